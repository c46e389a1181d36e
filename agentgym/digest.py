"""One canonical encoding of plain values: the bytes that are hashed into state hashes and written into snapshots.

Typed and exact: 1, True and 1.0 differ, a list differs from a tuple, dict order does not matter, sets are sorted by
their members' bytes, −0.0 is 0.0, NaN and unknown types are refused. A dataclass is its fields: one that holds anything
besides (attributes other than cached properties, the contents of a list) is refused. `decode` inverts `encode`, calls
nothing that the bytes name, and builds only dataclasses and enum members of classes that it was given.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from json import encoder
from typing import Any

_pack_float = struct.Struct(">d").pack
_unpack_float = struct.Struct(">d").unpack
_NUMBER = re.compile(rb"0|-?[1-9][0-9]*").fullmatch
_FIELDS: dict[type, tuple[tuple[str, ...], frozenset[str]]] = {}
_NO_BASES = (dict, list, set, frozenset, tuple, str, bytes, bytearray, int, float, complex)


class _Exact(list[bytes]):
    """Pieces of an encoding that will be decoded again, where nothing may stand in for something else."""


def encode(value: object) -> bytes:
    """Return the canonical bytes of `value`, from which `decode` makes it again.

    Understands None, bool, int, float, str, bytes, tuple, list, dict, set, frozenset, Enum members and dataclasses,
    nested in any way.

    Raises:
        TypeError: another type; the message says what to do, a note where it sits.
        ValueError: NaN or an infinite float.
    """
    return _encode(value, _Exact())


def encode_rows(columns: Sequence[Sequence[object]]) -> list[bytes]:
    """Return what `encode` gives for each row of a table, as a tuple; several times faster.

    Args:
        columns: the values of each column, all equally many.

    Raises:
        TypeError, ValueError: as `encode`.
    """
    return [b"(%b)" % b"".join(row) for row in zip(*map(_cells, columns), strict=True)]


def _cells(column: Sequence[Any]) -> list[bytes]:
    kinds = set(map(type, column))
    if kinds == {int}:
        return [b"i%d;" % value for value in column]
    if kinds == {str}:
        texts = [value.encode("utf-8", "surrogatepass") for value in column]
        return [b"s%d:%b" % (len(text), text) for text in texts]
    return [
        b"f" + _pack_float(value + 0.0) if type(value) is float and value - value == 0.0 else encode(value)
        for value in column
    ]


def json_writer(
    *, sort_keys: bool = False, ensure_ascii: bool = True, separators: tuple[str, str] = (", ", ": ")
) -> Callable[[Any], str]:
    """Return a function that writes a value as `json.dumps` does, NaN and infinite floats refused, in less time.

    `json` makes a new encoder for every text; this one is made once. A value that contains itself is a RecursionError.
    """
    slow = json.JSONEncoder(
        sort_keys=sort_keys, ensure_ascii=ensure_ascii, separators=separators, allow_nan=False, check_circular=False
    )
    make: Any = getattr(encoder, "c_make_encoder", None)  # CPython's own
    if make is None:
        return slow.encode
    quote = encoder.encode_basestring_ascii if ensure_ascii else encoder.encode_basestring
    item, key = separators
    chunks = make(None, slow.default, quote, None, key, item, sort_keys, False, False)
    return lambda value: "".join(chunks(value, 0))


def hash_bytes(data: bytes) -> str:
    """Return the 128-bit BLAKE2b of `data` as 32 hex digits."""
    return blake2b(data, digest_size=16).hexdigest()


def state_hash(value: object) -> str:
    """Return the 128-bit hash of a value's canonical encoding, 32 hex digits.

    Takes what `encode` takes, and objects with a method `canonical()`, which stand for what it returns.
    """
    if type(value) is bytes:  # what fast worlds hand over
        return blake2b(b"b%d:%b" % (len(value), value), digest_size=16).hexdigest()
    return blake2b(_encode(value, []), digest_size=16).hexdigest()


def _encode(value: object, out: list[bytes]) -> bytes:
    try:
        _WRITERS[type(value)](value, out)
    except (TypeError, ValueError) as error:
        error.add_note(f"the value is {type(value).__qualname__}{_where(value, type(out))}")
        raise
    except RecursionError:
        raise ValueError("cannot encode a value that nests this deep, or that contains itself") from None
    return b"".join(out)


def _where(value: Any, pieces: type[list[bytes]]) -> str:
    """Return the way to the first part of `value` that cannot be encoded, such as ".items[3]"; by trying again."""
    children: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        children = [(f"[{key!r:.40}]", item) for key, item in value.items()]
    elif isinstance(value, tuple | list):
        children = [(f"[{index}]", item) for index, item in enumerate(value)]
    elif is_dataclass(value):
        children = [(f".{field.name}", getattr(value, field.name)) for field in fields(value)]
    for step, child in children:
        try:
            _WRITERS[type(child)](child, pieces())
        except (TypeError, ValueError):
            return step + _where(child, pieces)
    return ""


def _write_int(value: Any, out: list[bytes]) -> None:
    out.append(b"i%d;" % value)


def _write_str(value: Any, out: list[bytes]) -> None:
    data = value.encode("utf-8", "surrogatepass")
    out.append(b"s%d:" % len(data) + data)


def _write_bytes(value: Any, out: list[bytes]) -> None:
    out.append(b"b%d:" % len(value) + value)


def _write_float(value: Any, out: list[bytes]) -> None:
    if not value - value == 0.0:
        raise ValueError(f"cannot encode {value}: a state holds finite floats only")
    out.append(b"f" + _pack_float(value + 0.0))  # + 0.0 turns -0.0 into 0.0


def _write_tuple(value: Any, out: list[bytes]) -> None:
    out.append(b"(")
    for item in value:
        _WRITERS[type(item)](item, out)
    out.append(b")")


def _write_list(value: Any, out: list[bytes]) -> None:
    out.append(b"[")
    for item in value:
        _WRITERS[type(item)](item, out)
    out.append(b"]")


def _write_dict(value: Any, out: list[bytes]) -> None:
    out.append(b"{")
    items = {_alone(key, out): item for key, item in value.items()}
    if len(items) != len(value):
        raise ValueError("cannot encode a dict with two keys of one canonical form")
    for key in sorted(items):
        out.append(key)
        item = items[key]
        _WRITERS[type(item)](item, out)
    out.append(b"}")


def _write_set(value: Any, out: list[bytes]) -> None:
    out.append(b"<" if type(value) is set else b"^")
    out.extend(sorted([_alone(item, out) for item in value]))
    out.append(b">")


def _alone(value: object, out: list[bytes]) -> bytes:
    pieces = type(out)()
    _WRITERS[type(value)](value, pieces)
    return b"".join(pieces)


def _write_enum(value: Any, out: list[bytes]) -> None:
    if value.name not in type(value).__members__:
        raise TypeError(f"cannot encode {value!r}: a state holds single members of an Enum, no combination of flags")
    name = f"{type(value).__qualname__}.{value.name}".encode()
    out.append(b"e%d:" % len(name) + name)


def _write_dataclass(value: Any, out: list[bytes]) -> None:
    kind = type(value)
    known = _FIELDS.get(kind)
    if known is None:
        known = _FIELDS[kind] = _fields_of(kind)
    names, own = known
    if kind.__dictoffset__ and not value.__dict__.keys() <= own:
        odd = next(name for name in value.__dict__ if name not in own)
        raise TypeError(
            f"cannot encode a {kind.__qualname__} with the attribute {odd!r}, which is no field of the dataclass and "
            "would not count: make it a field, or override canonical(state)"
        )
    name = kind.__qualname__.encode()
    out.append(b"@%d:" % len(name) + name)
    for field in names:
        item = getattr(value, field)
        _WRITERS[type(item)](item, out)
    out.append(b")")


def _fields_of(kind: Any) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the fields, and all names that an instance may hold; refuse classes whose instances hold more."""
    if issubclass(kind, _NO_BASES):
        base = next(base for base in kind.__mro__ if base in _NO_BASES)
        what = f"which is a {base.__name__} too, whose contents would not count: put them into a field"
        raise TypeError(f"cannot encode the dataclass {kind.__qualname__}, {what}")
    if "__dataclass_fields__" not in vars(kind):
        what = "whose own attributes would not count: decorate it with @dataclass too"
        raise TypeError(f"cannot encode a {kind.__qualname__}, a subclass of a dataclass that is none itself, {what}")
    names = tuple(field.name for field in fields(kind))
    slots = [slot for base in kind.__mro__ for slot in _slots(base)]
    for slot in slots:
        if slot not in names and slot not in ("__dict__", "__weakref__"):
            raise TypeError(f"cannot encode a {kind.__qualname__}: its slot {slot!r} is no field and would not count")
    derived = [name for base in kind.__mro__ for name, part in vars(base).items() if isinstance(part, cached_property)]
    return names, frozenset((*names, *derived))


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _write_canonical(value: Any, out: list[bytes]) -> None:
    if type(out) is not _Exact:
        value = value.canonical()
        _WRITERS[type(value)](value, out)
    elif is_dataclass(value):
        _write_dataclass(value, out)
    else:
        name = type(value).__qualname__
        raise TypeError(f"cannot encode a {name} but only hash it: let pack(state) put a plain value in its place")


def _refuse(value: Any, out: list[bytes]) -> None:
    kind = type(value)
    if isinstance(value, tuple):
        raise TypeError(f"cannot encode {kind.__name__}: use a frozen dataclass instead of a named tuple")
    raise TypeError(
        f"cannot encode a {kind.__module__}.{kind.__qualname__} ({value!r:.60}): a state holds None, bool, int, float, "
        "str, bytes, tuples, lists, dicts, sets, enums and dataclasses; override canonical(state) to say what is hashed"
    )


class _Writers(dict[type, Callable[[Any, list[bytes]], None]]):
    """The writer of each type; those of classes are found at first sight."""

    def __missing__(self, kind: type) -> Callable[[Any, list[bytes]], None]:
        if issubclass(kind, Enum):
            writer = _write_enum
        elif callable(getattr(kind, "canonical", None)):
            writer = _write_canonical
        else:
            writer = _write_dataclass if is_dataclass(kind) else _refuse
        self[kind] = writer
        return writer


_WRITERS = _Writers(
    {
        type(None): lambda value, out: out.append(b"n"),
        bool: lambda value, out: out.append(b"T" if value else b"F"),
        int: _write_int,
        float: _write_float,
        str: _write_str,
        bytes: _write_bytes,
        tuple: _write_tuple,
        list: _write_list,
        dict: _write_dict,
        set: _write_set,
        frozenset: _write_set,
    }
)


def decode(data: bytes, types: Mapping[str, type] = {}) -> Any:
    """Return the value whose canonical bytes these are.

    Args:
        data: bytes from `encode`.
        types: qualified class name → class, for the dataclasses and enums inside.

    Raises:
        ValueError: the bytes are not a whole canonical value, or name a class that is not in `types`.
    """
    try:
        value, end = _read(data, 0, types)
    except (IndexError, TypeError, struct.error, RecursionError) as error:
        raise ValueError(f"damaged canonical bytes: {error}") from error
    if end != len(data):
        raise ValueError(f"damaged canonical bytes: {len(data) - end} bytes too many")
    return value


def _read(data: bytes, at: int, types: Mapping[str, type]) -> tuple[Any, int]:
    tag, at = data[at : at + 1], at + 1
    if tag in _CONSTANTS:
        return _CONSTANTS[tag], at
    if tag == b"i":
        end = data.index(b";", at)
        return _digits(data[at:end]), end + 1
    if tag == b"f":
        number = _unpack_float(data[at : at + 8])[0]
        if not number - number == 0.0:
            raise ValueError(f"damaged canonical bytes: the float {number}")
        return number, at + 8
    if tag in (b"s", b"b", b"e", b"@"):
        colon = data.index(b":", at)
        end = colon + 1 + _digits(data[at:colon])
        body = data[colon + 1 : end]
        if len(body) != end - colon - 1:
            raise IndexError("cut short")
        if tag == b"b":
            return body, end
        text = body.decode("utf-8", "surrogatepass")
        return (text, end) if tag == b"s" else _read_object(data, end, types, tag, text)
    if tag in _CLOSERS:
        items, at = _read_items(data, at, _CLOSERS[tag], types)
        return _BUILDERS[tag](items), at
    raise ValueError(f"damaged canonical bytes: unknown tag {tag!r} at {at - 1}")


def _digits(data: bytes) -> int:
    if not _NUMBER(data):
        raise ValueError(f"damaged canonical bytes: {data[:40]!r} is no number")
    return int(data)


def _read_items(data: bytes, at: int, closer: int, types: Mapping[str, type]) -> tuple[list[Any], int]:
    items = []
    while data[at] != closer:
        item, at = _read(data, at, types)
        items.append(item)
    return items, at + 1


def _read_object(data: bytes, at: int, types: Mapping[str, type], tag: bytes, name: str) -> tuple[Any, int]:
    owner, _, member = name.rpartition(".") if tag == b"e" else (name, "", "")
    kind = types.get(owner)
    if kind is None:
        raise ValueError(f"unknown class {owner!r} in canonical bytes: list it in the world's state_types")
    if tag == b"e":
        if not issubclass(kind, Enum) or member not in kind.__members__:
            raise ValueError(f"damaged canonical bytes: {owner!r} has no member {member!r:.60}")
        return kind[member], at
    if not is_dataclass(kind):
        raise ValueError(f"damaged canonical bytes: {owner!r} is no dataclass")
    values, at = _read_items(data, at, ord(")"), types)
    names = [field.name for field in fields(kind)]
    if len(values) != len(names):
        raise ValueError(f"{name} has {len(names)} fields, the bytes hold {len(values)}: another version wrote them")
    built: Any = object.__new__(kind)
    for field, value in zip(names, values, strict=True):
        object.__setattr__(built, field, value)
    return built, at


_CONSTANTS: dict[bytes, Any] = {b"n": None, b"T": True, b"F": False}
_CLOSERS = {b"(": ord(")"), b"[": ord("]"), b"{": ord("}"), b"<": ord(">"), b"^": ord(">")}
_BUILDERS: dict[bytes, Callable[[list[Any]], Any]] = {
    b"(": tuple,
    b"[": list,
    b"{": lambda items: dict(zip(items[::2], items[1::2], strict=True)),
    b"<": set,
    b"^": frozenset,
}
