"""Writes capture_service/models.py from the OpenAPI document of a service: make_models.py http://127.0.0.1:8080/openapi.json"""

from __future__ import annotations

import json
import sys
import textwrap
import urllib.request
from pathlib import Path
from typing import Any, Dict, List

TARGET = Path(__file__).parent / "capture_service" / "models.py"
HEAD = '''"""Fields and errors of the service. Written by make_models.py from its OpenAPI document."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Mapping, Type, Union

from .errors import CaptureError

if sys.version_info >= (3, 11):
    from typing import Literal, Required, TypedDict
else:
    from typing_extensions import Literal, Required, TypedDict

Json = Any

'''


class Models:
    """Collects the classes of nested objects."""

    def __init__(self) -> None:
        self.classes: List[str] = []

    def type_of(self, schema: Dict[str, Any], name: str) -> str:
        """Returns the Python type of a JSON schema. `name` names the class of an object."""
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            kinds = [self.type_of(each, name + option_name(each, index)) for index, each in enumerate(options)]
            return f"Union[{', '.join(dict.fromkeys(kinds))}]"
        if "const" in schema or "enum" in schema:
            values = [schema["const"]] if "const" in schema else schema["enum"]
            return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
        kind = schema.get("type")
        if kind == "array":
            return f"List[{self.type_of(schema['items'], name)}]"
        if kind == "object" and "properties" in schema:
            return self.add_class(name, schema)
        if kind == "object":
            value = schema.get("additionalProperties") or {}
            return f"Dict[str, {self.type_of(value, name) if value else 'Json'}]"
        return {"string": "str", "boolean": "bool", "integer": "int", "number": "float"}.get(str(kind), "Json")

    def add_class(self, name: str, schema: Dict[str, Any], doc: str = "", special: Dict[str, str] = {}) -> str:
        required = schema.get("required", [])
        lines = [f"class {name}(TypedDict, total=False):"]
        if doc:
            lines.append(f'    """{doc}"""\n')
        for field, each in schema["properties"].items():
            kind = special.get(field) or self.type_of(each, name + camel(field))
            lines += comment(each.get("description", ""))
            lines.append(f"    {field}: {f'Required[{kind}]' if field in required else kind}")
        self.classes.append("\n".join(lines))
        return name


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def option_name(schema: Dict[str, Any], index: int) -> str:
    kind = schema.get("properties", {}).get("type", {}).get("const")
    return camel(kind) if kind else str(index + 1) if "properties" in schema else ""


def comment(text: str) -> List[str]:
    return [f"    # {line}" for line in textwrap.wrap(text, 112)]


def docstring(text: str) -> List[str]:
    lines = textwrap.wrap(text, 112)
    return [f'    """{lines[0]}"""'] if len(lines) == 1 else ['    """', *[f"    {line}" for line in lines], '    """']


def make(document: Dict[str, Any]) -> str:
    """Returns the text of models.py."""
    schemas = document["components"]["schemas"]
    models = Models()
    fields = schemas["CaptureRequest"]
    models.add_class(
        "CaptureFields",
        {"properties": fields["properties"]},
        "Fields of a capture. Contents of `files` are bytes.",
        {"files": "Mapping[str, bytes]"},
    )
    described = {each["const"]: each["description"] for each in schemas["ErrorType"]["oneOf"]}
    errors = list(described)
    known = ["\n".join([f"class {name}(CaptureError):", *docstring(text)]) for name, text in described.items()]
    names = "\n".join(f'    "{name}",' for name in fields["properties"])
    classes = "\n".join(f'    "{name}": {name},' for name in errors)
    return HEAD + "\n\n\n".join(
        [
            *models.classes,
            *known,
            f"FIELD_NAMES = (\n{names}\n)\n\nERROR_CLASSES: Dict[str, Type[CaptureError]] = {{\n{classes}\n}}\n",
        ]
    )


if __name__ == "__main__":
    with urllib.request.urlopen(sys.argv[1]) as answer:
        TARGET.write_text(make(json.load(answer)), encoding="utf-8")
