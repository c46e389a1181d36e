"""@tool methods: schemas, checks of arguments, inheritance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import pytest
from worlds import Shop

from agentgym import AgentEnv, InvalidAction, Task, tool
from agentgym.tool import function_spec, tools_of

if TYPE_CHECKING:
    from nowhere import OnlyForTypes


def test_a_schema_is_made_from_annotations_and_docstring() -> None:
    assert tools_of(Shop)["sell"].schema() == {
        "type": "function",
        "function": {
            "name": "sell",
            "description": "Sell some.",
            "parameters": {
                "type": "object",
                "properties": {
                    "key": {"type": "string", "description": "the item."},
                    "count": {"type": "integer", "description": "how many.", "default": 1},
                    "to": {"type": "string", "enum": ["shop", "guest"], "default": "guest"},
                    "notes": {"type": ["array", "null"], "items": {"type": "string"}},  # null is the default: not named
                    "price": {"type": "number", "default": 1.5},
                },
                "required": ["key"],
                "additionalProperties": False,
            },
        },
    }
    assert tools_of(Shop)["look"].single_text == "key"
    assert tools_of(Shop)["sell"].single_text is None
    assert list(tools_of(Shop)) == ["look", "sell"]


def test_schemas_are_fresh_to_the_last_list() -> None:
    first = tools_of(Shop)["sell"]
    shown = first.schema()["function"]["parameters"]
    shown["properties"]["to"]["enum"].append("me")
    shown["properties"]["notes"]["items"]["type"] = "integer"
    shown["required"].clear()
    again = first.schema()["function"]["parameters"]
    assert again["properties"]["to"]["enum"] == ["shop", "guest"]
    assert again["properties"]["notes"]["items"] == {"type": "string"}
    assert again["required"] == ["key"]


@pytest.mark.parametrize(
    ("arguments", "checked"),
    [
        ({"key": "a"}, {"key": "a"}),
        ({"key": "a", "price": 2}, {"key": "a", "price": 2.0}),  # integers become numbers
        ({"key": "a", "notes": ["x", "y"]}, {"key": "a", "notes": ["x", "y"]}),
        ({"key": "a", "notes": None, "to": "shop"}, {"key": "a", "notes": None, "to": "shop"}),
        ({"key": "", "count": -(2**63)}, {"key": "", "count": -(2**63)}),
        ({"key": "", "price": -(2**63)}, {"key": "", "price": -(2.0**63)}),  # the lowest integer of 64 bits
        ({"key": "", "price": 2**63 - 1}, {"key": "", "price": 2.0**63}),  # the highest; rounded, as floats are
    ],
)
def test_good_arguments(arguments: dict[str, Any], checked: dict[str, Any]) -> None:
    out = tools_of(Shop)["sell"].check(arguments)
    assert out == checked
    assert [type(value) for value in out.values()] == [type(value) for value in checked.values()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "args: sell needs the argument 'key'"),
        ({"key": "a", "kee": 1}, "args: sell has no argument 'kee'; it takes: key, count, to, notes, price"),
        ({"key": "a", "self": 1}, "no argument 'self'"),
        ({"key": "a", "state": 1}, "no argument 'state'"),
        ({"key": 1}, "args: sell.key must be of type string, not int ('1')"),
        ({"key": None}, "sell.key must be of type string, not NoneType"),
        ({"key": "a", "count": True}, "sell.count must be of type integer, not bool"),
        ({"key": "a", "count": 1.0}, "sell.count must be of type integer, not float"),
        ({"key": "a", "count": "3"}, "sell.count must be of type integer, not str"),
        ({"key": "a", "count": 2**63}, "number: sell.count"),
        ({"key": "a", "price": math.nan}, "number: sell.price"),
        ({"key": "a", "price": math.inf}, "number: sell.price"),
        ({"key": "a", "price": 2**63}, "number: sell.price must be finite and fit into 64 bits"),
        ({"key": "a", "price": True}, "sell.price must be of type number, not bool"),
        ({"key": "a", "to": "me"}, "args: sell.to must be one of shop, guest, not 'me'"),
        ({"key": "a", "notes": "x"}, "sell.notes must be of type array, not str"),
        ({"key": "a", "notes": ["x", 2]}, "sell.notes[1] must be of type string, not int"),
        ({"key": "a", "x" * 999: 2}, "no argument an unknown name"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        tools_of(Shop)["sell"].check(arguments)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


class Base(AgentEnv[int]):
    panel = (Task("t"),)

    @tool
    def one(self, state: int, rng: Any, *, key: str) -> Any:
        """First."""

    @tool
    def two(self, state: OnlyForTypes, rng: OnlyForTypes) -> OnlyForTypes:
        """Second: annotations that are nobody's business are not looked at."""


def test_subclasses_change_add_and_remove_tools() -> None:
    class More(Base):
        two = None  # type: ignore[assignment]

        def one(self, state: int, rng: Any, *, number: int) -> Any:  # type: ignore[override]
            """Changed."""

        @tool
        def three(self, state: int, rng: Any) -> Any:
            """Third."""

    assert list(tools_of(Base)) == ["one", "two"]
    assert list(tools_of(More)) == ["one", "three"]
    assert list(tools_of(More)["one"].parameters["properties"]) == ["number"]


class Kinds(AgentEnv[int]):
    panel = (Task("t"),)

    @tool
    def order(
        self, state: int, rng: Any, *, what: str, sizes: dict[str, int], to: Literal["a", "b"] | None = None,
        tags: list[str] = ("x", "y"), prices: dict[str, list[float]] | None = None, fast: bool = False,
    ) -> Any:  # fmt: skip
        """Order something.

        Args:
            what (str): the thing, described
                over two lines.
            sizes: sizes by name;
                two: like this.
            tags:
                on a line of its own.

        Returns:
            nothing: of interest.
        """

    @tool
    def find(self, state: int, rng: Any, *, query: str | None = None) -> Any:
        """Find."""


def test_dicts_nulls_defaults_and_long_descriptions_in_a_schema() -> None:
    parameters = tools_of(Kinds)["order"].schema()["function"]["parameters"]
    assert parameters["properties"] == {
        "what": {"type": "string", "description": "the thing, described over two lines."},
        "sizes": {
            "type": "object", "additionalProperties": {"type": "integer"},
            "description": "sizes by name; two: like this.",
        },
        "to": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "tags": {
            "type": "array", "items": {"type": "string"}, "description": "on a line of its own.", "default": ["x", "y"],
        },
        "prices": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "array", "items": {"type": "number"}},
        },
        "fast": {"type": "boolean", "default": False},
    }  # fmt: skip
    assert parameters["required"] == ["what", "sizes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": {"s": True}}, "args: order.sizes['s'] must be of type integer, not bool ('True')"),
        ({"sizes": {"<b>": 1.5}}, "args: order.sizes[an unknown name] must be of type integer, not float ('1.5')"),
        ({"sizes": [1]}, "args: order.sizes must be of type object, not list"),
        ({"sizes": None}, "args: order.sizes must be of type object, not NoneType ('None')"),
        ({"to": "c"}, "args: order.to must be one of a, b, not 'c'"),
        ({"prices": {"s": [1, "2"]}}, "args: order.prices['s'][1] must be of type number, not str ('2')"),
        ({"fast": 1}, "args: order.fast must be of type boolean, not int ('1')"),
    ],
)
def test_bad_arguments_of_nested_types_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        tools_of(Kinds)["order"].check({"what": "a", "sizes": {}, **arguments})
    assert str(caught.value) == message


def test_good_arguments_of_nested_types() -> None:
    check = tools_of(Kinds)["order"].check
    given = {"what": "a", "sizes": {"s": 1}, "to": None, "prices": {"s": [1]}}
    assert check(given) == {**given, "prices": {"s": [1.0]}}
    assert type(check(given)["prices"]["s"][0]) is float
    assert check({"what": "a", "sizes": {}, "prices": None, "to": "a"})["to"] == "a"


def test_the_argument_that_a_bare_text_stands_for() -> None:
    assert tools_of(Shop)["look"].text_argument == "key"
    assert tools_of(Shop)["sell"].text_argument == "key"  # the only one without a default
    assert tools_of(Kinds)["order"].text_argument is None  # two are needed
    assert tools_of(Kinds)["find"].text_argument == tools_of(Kinds)["find"].single_text == "query"
    assert tools_of(Base)["two"].text_argument is None


def test_tools_that_cannot_be_are_refused_when_the_class_is_made() -> None:
    def world(method: Any) -> None:
        type("Bad", (AgentEnv,), {method.__name__: tool(method)})

    def positional(self: Any, state: Any, rng: Any, key: str) -> None: ...
    def keywords(self: Any, state: Any, rng: Any, **keys: str) -> None: ...
    def many(self: Any, state: Any, *rng: Any) -> None: ...
    def nothing(self: Any, state: Any, rng: Any, *, key: Literal[()]) -> None: ...  # type: ignore[valid-type]
    def bare(self: Any, state: Any, rng: Any, *, key) -> None: ...  # type: ignore[no-untyped-def]
    def strange(self: Any, state: Any, rng: Any, *, key: dict[int, str]) -> None: ...
    def numbers(self: Any, state: Any, rng: Any, *, key: Literal[1, 2]) -> None: ...
    def missing(self: Any, state: Any, rng: Any, *, key: OnlyForTypes) -> None: ...
    def default(self: Any, state: Any, rng: Any, *, key: int = True) -> None: ...
    def choice(self: Any, state: Any, rng: Any, *, key: Literal["a", "b"] = "c") -> None: ...  # type: ignore[assignment]
    def reset(self: Any, state: Any, rng: Any) -> None: ...
    def state(self: Any, state: Any, rng: Any) -> None: ...

    for method, message in [
        (positional, r"tool positional: define it as positional\(self, state, rng, \*, …\)"),
        (keywords, "its own arguments after the star"),
        (many, "its own arguments after the star"),
        (nothing, "is not one of str, int, float, bool, Literal of texts"),
        (bare, "tool bare, argument 'key': annotate it"),
        (strange, r"tool strange, argument 'key': dict\[int, str\] is not one of"),
        (numbers, "is not one of str, int, float, bool, Literal of texts"),
        (default, "tool default, argument 'key': args: the default must be of type integer, not bool"),
        (choice, "tool choice, argument 'key': args: the default must be one of a, b, not 'c'"),
        (missing, "tool missing, argument 'key': name 'OnlyForTypes' is not defined"),
        (reset, "the tool 'reset' of Bad hides AgentEnv.reset"),
        (state, "hides AgentEnv.state"),
    ]:
        with pytest.raises(TypeError, match=message):
            world(method)
    with pytest.raises(TypeError, match=r"tool look: define it as look\(self, state, rng, \*, …\)"):
        type("Bad", (AgentEnv,), {"look": tool(classmethod(keywords))})


def test_the_spec_of_a_function_is_that_of_its_keyword_arguments() -> None:
    def fetch(store: Any, *, key: str, limit: int = 5) -> str:
        """Fetch a value.

        Args:
            key: what to fetch.
            limit: most entries.
        """
        return f"{store}{key}{limit}"

    spec = function_spec("fetch", fetch)
    assert (spec.name, spec.description, spec.text_argument) == ("fetch", "Fetch a value.", "key")
    assert spec.check({"key": "a"}) == {"key": "a"} and spec.parameters["required"] == ["key"]
    with pytest.raises(TypeError, match="tool fetch, argument 'key': annotate it"):
        function_spec("fetch", lambda *, key: key)
