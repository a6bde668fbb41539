"""From a JSON schema of arguments to a model of them; what a model cannot say is refused, never half said."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic_core import SchemaError

from tools.providers.json_types import (
    OF_LISTS,
    OF_NUMBERS,
    OF_TEXT,
    InexpressibleError,
    choice,
    list_of,
    number,
    text,
)

MAX_BYTES, MAX_DEPTH, MAX_PROPERTIES = 64_000, 12, 100
MAX_PARTS = 500  # references written out: a kilobyte of them can say what would fill the memory
BEYOND = (
    "not", "if", "then", "else", "dependentSchemas", "dependentRequired", "dependencies", "patternProperties",
    "propertyNames", "minProperties", "maxProperties", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
    "minContains", "maxContains", "$dynamicRef", "$recursiveRef",
)  # fmt: skip
STRICT = ConfigDict(
    extra="forbid", frozen=True, allow_inf_nan=False, protected_namespaces=(), validate_by_name=True,
    validate_by_alias=True,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Property:
    """One argument. `field`: its name in the model; `name`: in the schema. `schema`: its own, references resolved."""

    name: str
    field: str
    schema: Mapping[str, Any]
    annotation: Any
    required: bool
    nullable: bool


class Reading:
    """Reads one schema. `root`: the whole of it, in which references point. Raises InexpressibleError."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root, self._parts = root, 0
        checked_text(root)

    def properties(self) -> list[Property]:
        """Of the root, which must be an object of named properties."""
        schema = self._resolved(self._root, "schema", ())[0]
        if schema.get("type", "object") != "object":
            raise InexpressibleError(f"schema: type {schema['type']!r}; arguments are an object")
        if not schema.get("properties") and schema.get("additionalProperties") not in (None, False):
            raise InexpressibleError("schema: takes arguments that it does not name")
        if "enum" in schema or "const" in schema or "anyOf" in schema or "oneOf" in schema:
            raise InexpressibleError("schema: several forms of the arguments")
        return self._properties(schema, "schema", (), 0)

    def _properties(self, schema: Mapping[str, Any], where: str, open_: tuple[str, ...], depth: int) -> list[Property]:
        _nothing_beyond(schema, where)
        named, required = schema.get("properties", {}), schema.get("required", [])
        if not isinstance(named, Mapping) or not isinstance(required, list):
            raise InexpressibleError(f"{where}: properties or required have the wrong form")
        if len(named) > MAX_PROPERTIES:
            raise InexpressibleError(f"{where}: more than {MAX_PROPERTIES} properties")
        for name in required:
            if not isinstance(name, str) or name not in named:
                raise InexpressibleError(f"{where}: requires {str(name)[:80]!r}, which it does not describe")
        found = []
        for name, one in named.items():
            inside = f"{where}.{name[:80]}"
            resolved, opened = self._resolved(one, inside, open_)
            annotation, nullable = self._type(resolved, inside, opened, depth + 1)
            found.append(
                Property(
                    name=name,
                    field=field_name(name, inside),
                    schema=resolved,
                    annotation=annotation,
                    required=name in required,
                    nullable=nullable,
                )
            )
        return found

    def _resolved(self, schema: Any, where: str, open_: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Without a reference and without an allOf of one, and the references that were followed."""
        if schema is True:
            return {}, open_
        if not isinstance(schema, Mapping):
            raise InexpressibleError(f"{where}: no schema")
        schema = dict(schema)
        while "$ref" in schema or "allOf" in schema:
            if "$ref" in schema:
                inner, open_ = self._target(schema["$ref"], where, open_)
            else:
                parts = schema["allOf"]
                if not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], Mapping):
                    raise InexpressibleError(f"{where}: allOf of several schemas")
                inner = parts[0]
            beside = {key: one for key, one in schema.items() if key not in ("$ref", "allOf")}
            if strange := sorted(set(beside) & _ASSERTIONS):
                raise InexpressibleError(f"{where}: {', '.join(strange)} beside a reference")
            schema = {**inner, **beside}
        return schema, open_

    def _target(self, reference: Any, where: str, open_: tuple[str, ...]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        parts = str(reference).split("/")
        if len(parts) != 3 or parts[0] != "#" or parts[1] not in ("$defs", "definitions"):  # noqa: PLR2004
            raise InexpressibleError(f"{where}: a reference to {str(reference)[:80]!r}, which is not its own $defs")
        if reference in open_:
            raise InexpressibleError(f"{where}: refers to itself")
        definitions = self._root.get(parts[1])
        target = definitions.get(parts[2]) if isinstance(definitions, Mapping) else None
        if not isinstance(target, Mapping):
            raise InexpressibleError(f"{where}: a reference to {str(reference)[:80]!r}, which is not there")
        return target, (*open_, str(reference))

    def _type(self, schema: Mapping[str, Any], where: str, open_: tuple[str, ...], depth: int) -> tuple[Any, bool]:
        """The type without null, and whether null is a value of it."""
        if depth > MAX_DEPTH:
            raise InexpressibleError(f"{where}: nested too deeply")
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise InexpressibleError(f"schema: more than {MAX_PARTS} parts, with all references written out")
        _nothing_beyond(schema, where)
        if "anyOf" in schema or "oneOf" in schema:
            return self._union(schema, where, open_, depth)
        kinds = schema.get("type")
        kinds = list(kinds) if isinstance(kinds, list) else [kinds]
        nullable = "null" in kinds or schema.get("nullable") is True
        kinds = [kind for kind in kinds if kind != "null"]
        if "enum" in schema or "const" in schema:
            values = [schema["const"]] if "const" in schema else schema["enum"]
            return choice(values, [kind for kind in kinds if kind], where, nullable)
        if kinds in ([], [None]):
            if kinds == [] or set(schema) & _ASSERTIONS - {"properties"}:
                raise InexpressibleError(f"{where}: has no type")
            kinds = ["object"] if "properties" in schema else []
        found = [self._single(str(kind), schema, where, open_, depth) for kind in kinds]
        return (reduce(or_, found) if found else Any), nullable

    def _union(self, schema: Mapping[str, Any], where: str, open_: tuple[str, ...], depth: int) -> tuple[Any, bool]:
        key = "anyOf" if "anyOf" in schema else "oneOf"
        if strange := sorted((set(schema) & _ASSERTIONS) - {key}):
            raise InexpressibleError(f"{where}: {', '.join(strange)} beside {key}")
        branches = schema[key]
        if not isinstance(branches, list) or not branches:
            raise InexpressibleError(f"{where}: {key} of nothing")
        found, nullable, kinds = [], schema.get("nullable") is True, set()
        for branch in branches:
            resolved, opened = self._resolved(branch, where, open_)
            if resolved.get("type") == "null":
                nullable = True
                continue
            kind = "number" if resolved.get("type") == "integer" else str(resolved.get("type"))
            if key == "oneOf" and kind in kinds:
                raise InexpressibleError(f"{where}: oneOf of schemas that are not told apart by their type")
            kinds.add(kind)
            annotation, also_null = self._type(resolved, where, opened, depth + 1)
            found.append(annotation)
            nullable = nullable or also_null
        if not found:
            raise InexpressibleError(f"{where}: only ever null")
        return reduce(or_, found), nullable

    def _single(self, kind: str, schema: Mapping[str, Any], where: str, open_: tuple[str, ...], depth: int) -> Any:
        if kind == "string":
            return text(schema, where)
        if kind == "boolean":
            return bool
        if kind in ("integer", "number"):
            return number(kind, schema, where)
        if kind == "array":
            return self._list(schema, where, open_, depth)
        if kind == "object":
            return self._object(schema, where, open_, depth)
        raise InexpressibleError(f"{where}: no type {kind[:80]!r}")

    def _list(self, schema: Mapping[str, Any], where: str, open_: tuple[str, ...], depth: int) -> Any:
        inner, nullable = Any, False
        if "items" in schema:
            if isinstance(schema["items"], list):
                raise InexpressibleError(f"{where}: items of several schemas")
            resolved, opened = self._resolved(schema["items"], f"{where}[]", open_)
            inner, nullable = self._type(resolved, f"{where}[]", opened, depth + 1)
        return list_of(inner | None if nullable else inner, schema, where)

    def _object(self, schema: Mapping[str, Any], where: str, open_: tuple[str, ...], depth: int) -> Any:
        more = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
        if not schema.get("properties") and more is not False:
            if schema.get("required"):
                raise InexpressibleError(f"{where}: requires properties that it does not describe")
            if more is None or more is True:
                return dict[str, Any]
            resolved, opened = self._resolved(more, where, open_)
            inner, nullable = self._type(resolved, where, opened, depth + 1)
            return dict[str, inner | None] if nullable else dict[str, inner]  # type: ignore[valid-type]  # as above
        if isinstance(more, Mapping):
            raise InexpressibleError(f"{where}: properties with a name beside others with any name")
        found = self._properties(schema, where, open_, depth)
        return model_of(where, found, extra="allow" if more is True else "forbid", aliases=True)


_ASSERTIONS = frozenset(
    {"type", "enum", "const", "properties", "required", "items", "additionalProperties", "unevaluatedProperties",
     "uniqueItems", "anyOf", "oneOf", "nullable", *OF_TEXT, *OF_LISTS, *OF_NUMBERS, *BEYOND}
)  # fmt: skip


def model_of(
    name: str, properties: Collection[Property], *, extra: Literal["forbid", "allow"] = "forbid", aliases: bool = False
) -> type[BaseModel]:
    """`aliases`: its properties are read and written by their names in the schema."""
    fields: dict[str, Any] = {}
    for one in properties:
        if one.field in fields:
            raise InexpressibleError(f"{name}: two properties are written alike: {one.name[:80]!r}")
        required = one.required and not (one.nullable and not aliases)
        annotation = one.annotation | None if one.nullable else one.annotation
        described = Field(
            default=... if required else None,
            description=described_as(one),
            alias=one.name if aliases and one.name != one.field else None,
        )
        fields[one.field] = (annotation, described)
    config = ConfigDict(**{**STRICT, "extra": extra})
    try:
        model: type[BaseModel] = create_model(name, __config__=config, **fields)
        if not aliases:  # that of a part is made with the whole
            model.model_json_schema()
    except (SchemaError, PydanticUserError, TypeError, ValueError, NameError) as error:
        raise InexpressibleError(f"{name}: {type(error).__name__}: {str(error)[:200]}") from error
    return model


def described_as(one: Property) -> str:
    said = one.schema.get("description") or one.schema.get("title") or one.name
    return str(said).strip()[:1_000] or one.name


def field_name(name: str, where: str) -> str:
    """The name of a property, unless pydantic has another use for it."""
    field = name.lstrip("_")
    if not field or not any(map(str.isalnum, name)):
        raise InexpressibleError(f"{where}: a property without a name")
    taken = hasattr(BaseModel, field) or field != name
    return f"{field}_" if taken else field


def checked_text(value: Any) -> None:
    """Raises InexpressibleError for what is no JSON in UTF-8, holds NUL, or is larger than a schema may be."""
    try:
        written = json.dumps(value, allow_nan=False, ensure_ascii=False)
        encoded = written.encode()
    except (ValueError, TypeError, RecursionError) as error:
        raise InexpressibleError(f"schema: no JSON: {type(error).__name__}") from error
    if "\\u0000" in written:
        raise InexpressibleError("schema: holds NUL")
    if len(encoded) > MAX_BYTES:
        raise InexpressibleError(f"schema: larger than {MAX_BYTES} bytes")


def _nothing_beyond(schema: Mapping[str, Any], where: str) -> None:
    if strange := [key for key in BEYOND if key in schema]:
        raise InexpressibleError(f"{where}: {', '.join(strange)} cannot be checked")
