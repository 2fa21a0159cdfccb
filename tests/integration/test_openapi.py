"""The document at /openapi.json."""
import jsonschema
import pytest


def test_it_is_openapi_3_1_and_its_schemas_are_schemas(openapi):
    assert openapi.document["openapi"].startswith("3.1")
    for schema in openapi.document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_operation_has_a_summary_an_id_and_answers(openapi):
    ids = []
    for template, item in openapi.document["paths"].items():
        for method, operation in item.items():
            if method in ("get", "put", "post", "delete"):
                assert operation.get("summary") or operation.get("description"), (method, template)
                assert operation["responses"], (method, template)
                ids.append(operation["operationId"])
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("call", [
    "POST /job", "GET /job/{id}", "GET /job/{id}/status", "POST /job/{id}/cancel", "GET /job/{id}/stdout",
    "GET /job/{id}/stderr", "GET /job/{id}/result", "GET /job/{id}/events", "POST /job/{id}/rerun", "GET /job/statuses",
    "GET /command/statuses", "GET /cluster/statuses", "GET /jobs", "POST /admin/reload", "DELETE /command/{id}/override",
    "DELETE /cluster/{id}/override", "POST /job/{id}/attributes/render", "POST /jobs", "POST /jobs/cancel",
    "PUT /command/{id}", "GET /command/{id}", "GET /command/{id}/status", "PUT /command/{id}/status", "GET /commands",
    "PUT /cluster/{id}", "GET /cluster/{id}", "GET /cluster/{id}/status", "PUT /cluster/{id}/status", "GET /clusters",
    "GET /clusters/health", "GET /cluster/{id}/health", "POST /route", "POST /attributes/preview", "GET /stats/jobs", "GET /records", "GET /record/{id}", "GET /record/{id}/manifest", "GET /stats/records",
    "GET /events"])
def test_it_knows_every_call(openapi, call):
    method, path = call.split()
    template, item = openapi.find("/api/v1" + path.replace("{id}", "x"))
    assert item is not None and method.lower() in item, call
