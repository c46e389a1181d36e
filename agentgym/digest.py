"""One canonical encoding of plain values: the bytes that are hashed into state hashes and written into snapshots.

Typed and exact: 1, True and 1.0 differ, a list differs from a tuple, dict order does not matter, sets are sorted by
their members' bytes, −0.0 is 0.0, NaN and unknown types are refused. `decode` inverts `encode`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import Any

_pack_float = struct.Struct(">d").pack
_unpack_float = struct.Struct(">d").unpack
_FIELDS: dict[type, tuple[str, ...]] = {}


def encode(value: object) -> bytes:
    """Return the canonical bytes of `value`.

    Understands None, bool, int, float, str, bytes, tuple, list, dict, set, frozenset, Enum members and dataclasses,
    nested in any way, and objects with a method `canonical()`, which stand for what it returns.

    Raises:
        TypeError: another type; the message says where it sits and what to do.
        ValueError: NaN or an infinite float.
    """
    out: list[bytes] = []
    _write(value, out.append)
    return b"".join(out)


def hash_bytes(data: bytes) -> str:
    """Return the 128-bit BLAKE2b of `data` as 32 hex digits."""
    return blake2b(data, digest_size=16).hexdigest()


def state_hash(value: object) -> str:
    """Return the 128-bit hash of a value's canonical encoding, 32 hex digits."""
    return blake2b(encode(value), digest_size=16).hexdigest()


def _write(value: object, put: Callable[[bytes], None]) -> None:
    writer = _WRITERS.get(type(value))
    if writer is None:
        writer = _find_writer(value)
    writer(value, put)


def _write_int(value: Any, put: Callable[[bytes], None]) -> None:
    put(b"i%d;" % value)


def _write_str(value: Any, put: Callable[[bytes], None]) -> None:
    data = value.encode("utf-8", "surrogatepass")
    put(b"s%d:" % len(data) + data)


def _write_bytes(value: Any, put: Callable[[bytes], None]) -> None:
    put(b"b%d:" % len(value) + value)


def _write_float(value: Any, put: Callable[[bytes], None]) -> None:
    if not value - value == 0.0:
        raise ValueError(f"cannot encode {value}: a state holds finite floats only")
    put(b"f" + _pack_float(value + 0.0))  # + 0.0 turns -0.0 into 0.0


def _write_tuple(value: Any, put: Callable[[bytes], None]) -> None:
    put(b"(")
    for item in value:
        _write(item, put)
    put(b")")


def _write_list(value: Any, put: Callable[[bytes], None]) -> None:
    put(b"[")
    for item in value:
        _write(item, put)
    put(b"]")


def _write_dict(value: Any, put: Callable[[bytes], None]) -> None:
    put(b"{")
    for key, item in sorted((encode(key), item) for key, item in value.items()):
        put(key)
        _write(item, put)
    put(b"}")


def _write_set(value: Any, put: Callable[[bytes], None]) -> None:
    put(b"<" if type(value) is set else b"^")
    for item in sorted(map(encode, value)):
        put(item)
    put(b">")


def _write_enum(value: Any, put: Callable[[bytes], None]) -> None:
    name = f"{type(value).__qualname__}.{value.name}".encode()
    put(b"e%d:" % len(name) + name)


def _write_dataclass(value: Any, put: Callable[[bytes], None]) -> None:
    kind = type(value)
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = tuple(field.name for field in fields(kind))
    name = kind.__qualname__.encode()
    put(b"@%d:" % len(name) + name)
    for field in names:
        _write(getattr(value, field), put)
    put(b")")


def _write_canonical(value: Any, put: Callable[[bytes], None]) -> None:
    _write(value.canonical(), put)


_WRITERS: dict[type, Callable[[Any, Callable[[bytes], None]], None]] = {
    type(None): lambda value, put: put(b"n"),
    bool: lambda value, put: put(b"T" if value else b"F"),
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


def _find_writer(value: object) -> Callable[[Any, Callable[[bytes], None]], None]:
    kind = type(value)
    if isinstance(value, Enum):
        writer = _write_enum
    elif callable(getattr(kind, "canonical", None)):
        writer = _write_canonical
    elif is_dataclass(kind):
        writer = _write_dataclass
    elif isinstance(value, tuple):  # NamedTuple
        raise TypeError(f"cannot encode {kind.__name__}: use a frozen dataclass instead of a named tuple")
    else:
        raise TypeError(
            f"cannot encode a {kind.__module__}.{kind.__qualname__} ({value!r:.60}): a state holds None, bool, int, "
            "float, str, bytes, tuples, lists, dicts, sets, enums and dataclasses; override canonical(state) to say "
            "what is hashed"
        )
    _WRITERS[kind] = writer
    return writer


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
    except (IndexError, struct.error, UnicodeDecodeError, RecursionError) as error:
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
        return int(data[at:end]), end + 1
    if tag == b"f":
        return _unpack_float(data[at : at + 8])[0], at + 8
    if tag in (b"s", b"b", b"e", b"@"):
        colon = data.index(b":", at)
        end = colon + 1 + int(data[at:colon])
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
        return getattr(kind, member), at
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
