"""Holds answers against the document that the server itself serves at /openapi.json."""
import json
import re

import jsonschema


class OpenApi:
    """Every answer must be one that the document knows: path, method, status, content type, and the body's schema."""

    def __init__(self, document):
        self.document = document
        self.seen = set()  # (method, template) of every operation that answered
        self._operations = []
        for template, item in document["paths"].items():
            # A parameter matches one segment; plain paths win over those with parameters.
            pattern = re.compile("^" + re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(template)) + "/?$")
            self._operations.append((template.count("{"), pattern, template, item))
        self._operations.sort(key=lambda operation: operation[0])
        self._prefix = self._base_path()
        self._resolver = jsonschema.RefResolver.from_schema(document)

    def _base_path(self):
        servers = self.document.get("servers") or [{"url": ""}]
        return re.sub(r"^https?://[^/]*", "", servers[0]["url"]).rstrip("/")

    def operations(self):
        return {(method.upper(), template) for template, item in self.document["paths"].items()
                for method in item if method in ("get", "put", "post", "delete", "patch", "head")}

    def find(self, path):
        for candidate in (path, path[len(self._prefix):] if path.startswith(self._prefix) else None):
            for _, pattern, template, item in self._operations:
                if candidate and pattern.match(candidate):
                    return template, item
        return None, None

    def judge(self, method, path, answer):
        template, item = self.find(path)
        verb = "get" if method == "HEAD" else method.lower()
        if item is None or verb not in item:
            assert answer.status in (404, 405, 400, 401, 403, 413, 431), f"{method} {path} is not in the document: {answer}"
            return
        self.seen.add((method, template))
        answers = item[verb]["responses"]
        known = answers.get(str(answer.status)) or answers.get(f"{answer.status // 100}XX") or answers.get("default")
        assert known is not None, f"{method} {template}: the document has no answer {answer.status}: {answer}"
        known = self._resolved(known)
        if method == "HEAD" or not answer.body or "content" not in known:
            return
        kind = (answer.headers.get("Content-Type") or "").split(";")[0].strip()
        assert kind in known["content"], f"{method} {template} {answer.status}: the document has no content type {kind!r}"
        schema = known["content"][kind].get("schema")
        if schema and kind == "application/json" and not answer.headers.get("Content-Encoding"):
            validator = jsonschema.Draft202012Validator(schema, resolver=self._resolver)
            problems = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}"
                        for e in validator.iter_errors(json.loads(answer.body))]
            assert not problems, f"{method} {template} {answer.status} is not as documented: {problems}\n{answer}"

    def _resolved(self, value):
        while "$ref" in value:
            _, value = self._resolver.resolve(value["$ref"])
        return value
