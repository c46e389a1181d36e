"""The canonical encoding: written out, typed, exact, invertible; and safe to decode whatever the bytes."""

import contextlib
import enum
import functools
import json
import math
import struct
from collections import namedtuple
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import plain_values

from agentgym.digest import decode, encode, encode_rows, hash_bytes, json_writer, state_hash


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Bits(enum.Flag):
    A = 1
    B = 2


@dataclass(frozen=True)
class Point:
    x: int
    y: Any = None


@dataclass(frozen=True, slots=True)
class Slotted:
    items: tuple[Any, ...] = ()


@dataclass
class Guarded:
    value: int

    def __post_init__(self) -> None:
        raise AssertionError("decoding must not construct")


class Stand:
    """Hashed by what stands for it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def canonical(self) -> Any:
        return self.value


TYPES = {kind.__qualname__: kind for kind in (Colour, Level, Point, Slotted, Guarded, Bits)}

WRITTEN = [
    (None, b"n"),
    (True, b"T"),
    (False, b"F"),
    (1, b"i1;"),
    (-20, b"i-20;"),
    (1.0, b"f\x3f\xf0\0\0\0\0\0\0"),  # IEEE 754, most significant byte first: sign 0, exponent 1023, fraction 0
    (-0.0, b"f\0\0\0\0\0\0\0\0"),
    ("aé", b"s3:a\xc3\xa9"),  # é has two bytes in UTF-8
    ("\ud800", b"s3:\xed\xa0\x80"),  # a lone surrogate as it stands
    (b"\0", b"b1:\0"),
    ((1, (2,)), b"(i1;(i2;))"),
    ([1, 2], b"[i1;i2;]"),
    ({"b": 1, "a": 2}, b"{s1:ai2;s1:bi1;}"),
    ({2, 1}, b"<i1;i2;>"),
    (frozenset({"a"}), b"^s1:a>"),
    (Colour.RED, b"e10:Colour.RED"),
    (Level.LOW, b"e9:Level.LOW"),
    (Point(1, "a"), b"@5:Pointi1;s1:a)"),
]


@pytest.mark.parametrize(("value", "data"), WRITTEN, ids=repr)
def test_encodings_written_out(value: object, data: bytes) -> None:
    assert encode(value) == data
    assert state_hash(value) == hash_bytes(data) == blake2b(data, digest_size=16).hexdigest()
    assert decode(data, TYPES) == value
    assert type(decode(data, TYPES)) is type(value)


@given(st.lists(st.tuples(plain_values, st.text(), st.integers() | st.booleans()), max_size=5))
def test_rows_are_encoded_as_tuples(rows):
    assert encode_rows(list(zip(*rows, strict=True))) == [encode(row) for row in rows]


def test_rows_of_what_cannot_be_encoded_are_refused():
    with pytest.raises(ValueError, match="nan"):
        encode_rows([[1, 2], [0.5, math.nan]])
    assert encode_rows([]) == encode_rows([[]]) == []


def test_equal_values_of_different_types_differ() -> None:
    values = [
        1,
        True,
        1.0,
        "1",
        b"1",
        (1,),
        [1],
        {1},
        frozenset({1}),
        {1: None},
        Level.LOW,
        Point(1),
        None,
        "",
        b"",
        (),
    ]
    assert len({encode(value) for value in values}) == len(values)


def test_neighbours_do_not_run_together() -> None:
    pairs = [("ab", "c"), ("a", "bc"), (("a", "b"), "c"), ("a", ("b", "c")), ("a", "b", "c"), (("a", "b", "c"),)]
    assert len({encode(pair) for pair in pairs}) == len(pairs)


@given(plain_values)
def test_decode_inverts_encode_exactly(value: object) -> None:
    data = encode(value)
    assert encode(decode(data)) == data
    assert repr(sorted_sets(decode(data))) == repr(sorted_sets(value))


def sorted_sets(value: Any) -> Any:
    """Return `value` with an order of sets and dicts that repr can compare, and −0.0 as 0.0."""
    if isinstance(value, dict):
        return [dict, *sorted((repr(sorted_sets(key)), repr(sorted_sets(item))) for key, item in value.items())]
    if isinstance(value, set | frozenset):
        return [type(value), *sorted(repr(sorted_sets(item)) for item in value)]
    if isinstance(value, list | tuple):
        return type(value)(map(sorted_sets, value))
    return value + 0.0 if isinstance(value, float) else value


@given(st.dictionaries(st.text(max_size=3), plain_values, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_a_dict_does_not_matter(value: dict[str, Any], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert state_hash(dict(items)) == state_hash(value)


@given(plain_values, plain_values)
def test_hashes_are_equal_exactly_where_values_are(one: object, other: object) -> None:
    same = repr(sorted_sets(one)) == repr(sorted_sets(other))
    assert (state_hash(one) == state_hash(other)) is same


def test_dataclasses_are_made_again_without_their_constructor() -> None:
    guarded = object.__new__(Guarded)
    guarded.value = 3
    again = decode(encode((guarded, Slotted((1,)))), TYPES)
    assert again[0].value == 3
    assert again[1] == Slotted((1,))


def test_every_field_counts() -> None:
    @dataclass
    class Hidden:
        shown: int
        cache: int = field(default=0, compare=False)

    assert state_hash(Hidden(1, 2)) != state_hash(Hidden(1, 3))


class Undecorated(Point):
    def __init__(self, x: int, more: int) -> None:
        super().__init__(x)
        self.more = more


@dataclass
class Listing(list[int]):
    name: str


@dataclass(frozen=True)
class Entry(dict[str, int]):
    name: str = ""


class Bare:
    __slots__ = ("more",)


@dataclass
class OnBare(Bare):
    x: int


@dataclass(frozen=True)
class Cached:
    x: int

    @functools.cached_property
    def double(self) -> int:
        return 2 * self.x


def test_what_would_not_count_in_a_hash_is_refused() -> None:
    @dataclass
    class Open:
        x: int

    grown = Open(1)
    assert state_hash(grown) == state_hash(Open(1))
    grown.extra = 2  # type: ignore[attr-defined]
    cases: list[tuple[Any, str]] = [
        (grown, r"Open with the attribute 'extra', which is no field"),
        (Undecorated(1, 2), "Undecorated, a subclass of a dataclass that is none itself.*decorate it with @dataclass"),
        (Listing("a"), "Listing, which is a list too"),
        (Entry("a"), "Entry, which is a dict too"),
        (OnBare(1), "its slot 'more' is no field"),
    ]
    for value, message in cases:
        for _ in range(2):  # the second time the class is known
            with pytest.raises(TypeError, match=message):
                state_hash((value, 1))
            with pytest.raises(TypeError, match=message):
                encode([value])


def test_cached_properties_follow_from_the_fields() -> None:
    read = Cached(3)
    before = state_hash(read)
    assert read.double == 6
    assert state_hash(read) == before == state_hash(Cached(3))


def test_what_stands_for_a_value_is_hashed_but_never_encoded() -> None:
    assert state_hash((Stand([1]), 2)) == state_hash(([1], 2))
    with pytest.raises(TypeError, match=r"cannot encode a Stand but only hash it: let pack\(state\)"):
        encode((Stand([1]), 2))

    @dataclass
    class Both:
        value: int
        noise: int

        def canonical(self) -> int:
            return self.value

    assert state_hash(Both(1, 2)) == state_hash(1)
    assert decode(encode(Both(1, 2)), {Both.__qualname__: Both}) == Both(1, 2)
    with pytest.raises(ValueError, match="two keys of one canonical form"):
        state_hash({Stand(1): "a", Stand(1): "b"})


@pytest.mark.parametrize(
    ("value", "error", "message", "place"),
    [
        ({"a": [1, object()]}, TypeError, "cannot encode a builtins.object", "dict['a'][1]"),
        (Point(1, (2, math.nan)), ValueError, "cannot encode nan", "Point.y[1]"),
        (Point(math.inf), ValueError, "cannot encode inf", "Point.x"),
        (np.float64(1), TypeError, "numpy.float64", "float64"),
        (np.array([1]), TypeError, "override canonical", "ndarray"),
        ((np.str_("a"),), TypeError, "numpy.str_", "tuple[0]"),
        (namedtuple("Pair", "a b")(1, 2), TypeError, "frozen dataclass instead of a named tuple", "Pair"),
        (Bits.A | Bits.B, TypeError, "no combination of flags", "Bits"),
    ],
    ids=range(8),
)
def test_refused_values_are_named_with_their_place(value: object, error: type, message: str, place: str) -> None:
    with pytest.raises(error, match=message) as caught:
        state_hash(value)
    assert caught.value.__notes__ == [f"the value is {place}"]


def test_what_nests_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="contains itself"):
        encode(endless)
    with pytest.raises(ValueError, match="damaged"):
        decode(b"(" * 100_000)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"x", b"i1", b"i;", b"i01;", b"i 1;", b"i1_0;", b"i" + b"9" * 5000 + b";", b"s2:a", b"s-1:a", b"s:a",
        b"s1:\xff", b"f\0", b"f" + struct.pack(">d", math.nan), b"(i1;", b"i1;i2;", b"{i1;}", b"<[]>", b"{[]n}",
        b"e10:Colour.RED",
        b"e5:Point", b"@4:Nonei1;)", b"b9999999999999999999:", b"@6:Colouri1;)", b"e9:Point.__i",
        b"e16:Colour.__class__",
        b"e14:Colour.__new__", b"@5:Pointi1;)", b"e7:Point.x", b"e10:Bits.A|B",
    ],
)  # fmt: skip
def test_bytes_that_encode_never_wrote_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode(data, {} if data == b"e10:Colour.RED" else TYPES)


@given(st.binary(max_size=60))
def test_decode_raises_nothing_but_value_errors(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        decode(data, TYPES)


@given(plain_values, st.data())
def test_damaged_bytes_are_refused_or_another_value(value: object, data: st.DataObject) -> None:
    written = bytearray(encode(value))
    at = data.draw(st.integers(0, len(written) - 1))
    written[at] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(ValueError):
        assert encode(decode(bytes(written))) != encode(value)


@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_json_writer_writes_as_json_does(sort: bool, ascii_only: bool) -> None:
    write = json_writer(sort_keys=sort, ensure_ascii=ascii_only, separators=(",", ":"))
    for value in ({"b": [1, 1.5, None, True], "a": "ä\n"}, [], "x", 3, {"k": {"z": 1, "a": {}}}):
        for _ in range(2):  # the same encoder again
            assert write(value) == json.dumps(value, sort_keys=sort, ensure_ascii=ascii_only, separators=(",", ":"))
    for bad, error in ((float("nan"), ValueError), ({1, 2}, TypeError)):
        with pytest.raises(error):
            write([bad])
    assert write([1]) == "[1]"
