"""Products of the sales world: typed facts, and the caller's errors."""

import pytest

from agentgym.envs.sales.product import Fact, Product

DRILL = Product(
    name="Halden 300 cordless drill",
    industry="tools",
    price=129.5,
    stock=0,
    delivery_days=3,
    warranty_months=24,
    return_days=30,
    facts=(Fact("weight", 1.5, "kg"), Fact("colour", ("black", "silver"), others=("red",)), Fact("brushless", True)),
)


@pytest.mark.parametrize(
    "fact, kind, text",
    [
        (Fact("weight", 1.5, "kg"), "weight", "1.5 kg"),
        (Fact("fee", 1249.0, "USD"), "money", "$1,249"),
        (Fact("fee", 129.5, "USD"), "money", "$129.50"),
        (Fact("trial", 1, "month"), "time", "1 month"),
        (Fact("trial", 14, "day"), "time", "14 days"),
        (Fact("seats", 5), "count", "5"),
        (Fact("cover", 80, "%"), "percentage", "80%"),
        (Fact("waterproof", False), "feature", "no"),
        (Fact("wood", ("oak", "ash")), "choice", "oak or ash"),
    ],
)
def test_a_fact_has_a_kind_and_prints_its_value(fact: Fact, kind: str, text: str) -> None:
    assert (fact.kind, fact.text) == (kind, text)


def test_fields_of_a_product_are_facts_too() -> None:
    assert DRILL.fact("warranty").text == "24 months"
    assert DRILL.fact("delivery price").text == "$0"
    assert DRILL.fact("brushless").value is True
    assert len({fact.attribute for fact in DRILL.known}) == len(DRILL.known)


def test_a_wrong_unit_or_attribute_is_named_with_its_place() -> None:
    with pytest.raises(ValueError, match=r"unknown unit 'kgs' .*'weight'; did you mean 'kg'"):
        Fact("weight", 1.5, "kgs")
    with pytest.raises(ValueError, match="'waterproof' has the unit 'm', but True is no number"):
        Fact("waterproof", True, "m")
    with pytest.raises(
        ValueError, match=r"unknown attribute 'wieght' .*Halden 300 cordless drill'; did you mean 'weight'"
    ):
        DRILL.fact("wieght")
