#!/usr/bin/env python3
"""Writes docs/rest.md from openapi/openapi.json. With --check: fails if the file is not what would be written."""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT, PAGE = ROOT / "openapi/openapi.json", ROOT / "docs/rest.md"
METHODS = ("get", "post", "put", "delete")


def name_of(ref):
    return ref["$ref"].rsplit("/", 1)[1]


def kind(schema):
    """A schema in a few words."""
    if "$ref" in schema:
        return f"[{name_of(schema)}](#{name_of(schema).lower()})"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"] if word != "")
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    for many in ("anyOf", "oneOf", "allOf"):
        if many in schema:
            return " or ".join(kind(one) for one in schema[many])
    types = schema.get("type", "any JSON")
    words = types if isinstance(types, str) else " or ".join(types)
    if "array" in words:
        return f"list of {kind(schema.get('items', {}))}" + (" or null" if "null" in words else "")
    if "object" in words and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {kind(schema['additionalProperties'])}"
    bounds = [f"{sign} {schema[key]}" for key, sign in (("minimum", "≥"), ("maximum", "≤"), ("exclusiveMinimum", ">"))
              if key in schema]
    return words + (f" ({', '.join(bounds)})" if bounds else "")


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def resolved(document, value):
    while "$ref" in value:
        found = document
        for part in value["$ref"].lstrip("#/").split("/"):
            found = found[part]
        value = found
    return value


def answer_line(document, status, answer):
    answer = resolved(document, answer)
    kinds = [kind(media["schema"]) if media_type == "application/json" else f"`{media_type}`"
             for media_type, media in answer.get("content", {}).items()]
    return f"- **{status}** {answer['description']}" + (f" → {', '.join(kinds)}" if kinds else "")


def operation_text(document, method, path, operation):
    yield f"### {operation['summary']}\n"
    yield f"`{method.upper()} {path}`\n"
    if "description" in operation:
        yield operation["description"] + "\n"
    if "requestBody" in operation:
        yield f"Body: {kind(operation['requestBody']['content']['application/json']['schema'])}\n"
    if operation.get("parameters"):
        yield "| parameter | in | what |\n|---|---|---|"
        for parameter in operation["parameters"]:
            yield f"| `{parameter['name']}` | {parameter['in']} | {cell(parameter['description'])} |"
        yield ""
    for status, answer in operation["responses"].items():
        # What every call can answer is said once, at the top.
        if "$ref" not in answer or status in ("409", "413", "429"):
            yield answer_line(document, status, answer)
    yield ""


def schema_text(name, schema):
    yield f"### {name}\n"
    if "description" in schema:
        yield schema["description"] + "\n"
    if not schema.get("properties"):
        yield kind(schema) + "\n"
        return
    required = schema.get("required", ())
    yield "| member | type | what |\n|---|---|---|"
    for member, inner in schema["properties"].items():
        always = "always there" if member in required else ""
        what = "; ".join(word for word in (always, inner.get("description", "")) if word)
        yield f"| `{member}` | {cell(kind(inner))} | {cell(what)} |"
    yield ""


def page(document):
    yield "# REST API\n"
    yield "<!-- Made by scripts/rest_docs.py from openapi/openapi.json: change that. -->\n"
    yield document["info"]["description"] + "\n"
    yield "Every call can also answer:\n"
    for name in ("BadRequest", "NoCaller", "Forbidden", "NotFound", "HeadersTooLarge", "Internal", "Unavailable"):
        yield f"- **{name}** {document['components']['responses'][name]['description']}"
    yield ""
    for tag in document["tags"]:
        yield f"## {tag['name'].capitalize()}\n\n{tag['description']}\n"
        for path, item in document["paths"].items():
            for method in METHODS:
                if method in item and tag["name"] in item[method]["tags"]:
                    yield from operation_text(document, method, path, item[method])
    yield "## Objects\n"
    for name, schema in document["components"]["schemas"].items():
        yield from schema_text(name, schema)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    text = "\n".join(page(json.loads(DOCUMENT.read_text(encoding="utf-8")))).rstrip() + "\n"
    if not check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is not what {DOCUMENT.relative_to(ROOT)} says: run scripts/rest_docs.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
