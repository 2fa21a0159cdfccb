"""Last by its name: what the others asked for, against what the document offers."""
import pathlib

# The pages of the web UI have their own tests.
NOT_HERE = ("/ui",)


def test_every_operation_of_the_document_was_asked_for(openapi, request):
    folder = pathlib.Path(__file__).parent
    ran = {pathlib.Path(item.fspath) for item in request.session.items}
    if not set(folder.glob("test_*.py")) <= ran:
        return  # a part of the tests cannot have asked for everything
    missing = sorted(f"{method} {path}" for method, path in openapi.operations() - openapi.seen
                     if not any(word in path for word in NOT_HERE))
    assert not missing
