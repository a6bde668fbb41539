"""Checks the designs of cards: what they show has to be among the fields that the card's data must have."""

from collections.abc import Iterator, Mapping
from typing import Any

from config.catalogue import CardDesign
from config.strict_yaml import did_you_mean

OF_THE_WHOLE = ("summary", "figures", "shares")  # the other parts of a design with `rows` show a row's fields
NAMING = ("field", "colour_by")


def against_fields(card: CardDesign) -> Iterator[str]:
    """Problems of one card, each `<key path>: <what is wrong>`."""
    design, whole = card.design, set(card.fields)
    rows = design.get("rows")
    row = _row_fields(card, str(rows)) if rows is not None else whole
    if rows is not None and (rows not in whole or card.fields[rows].get("type") != "array"):
        yield f"design.rows: no field {rows!r} that is an array{did_you_mean(str(rows), sorted(whole))}"
        return
    for key, part in design.items():
        known = whole if key in OF_THE_WHOLE else row
        if key == "row_key":
            part = {"field": part}  # noqa: PLW2901  a bare name of a field
        for where, name in _named(part, f"design.{key}"):
            if known is not None and name not in known:
                yield f"{where}: there is no field {name!r}{did_you_mean(name, sorted(known))}"


def _row_fields(card: CardDesign, rows: str) -> set[str] | None:
    """None where the fields of a row are not declared."""
    properties = card.fields.get(rows, {}).get("items", {}).get("properties")
    return set(properties) if properties else None


def _named(part: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every field that a part of a design names, with the key path."""
    if isinstance(part, list):
        for index, one in enumerate(part):
            yield from _named(one, f"{where}.{index}")
    elif isinstance(part, Mapping):
        yield from ((f"{where}.{key}", str(part[key])) for key in NAMING if key in part)
