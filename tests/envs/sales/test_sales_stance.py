"""What a sentence states: clauses, denials, what is no statement about the product, stock and promises."""

from pathlib import Path

import pytest

from agentgym.envs.sales.agreement import goods
from agentgym.envs.sales.claims.amounts import amounts
from agentgym.envs.sales.claims.clauses import clauses, cut, is_denied
from agentgym.envs.sales.claims.ear import ear_of
from agentgym.envs.sales.claims.promises import promised, vows
from agentgym.envs.sales.claims.shelf import MANY, shelf
from agentgym.envs.sales.claims.stance import is_question, states_nothing
from agentgym.envs.sales.claims.tokens import Sentence, sentences

GOODS = goods(Path(__file__).parent / "sentence_goods.json")
DRILL = ear_of(GOODS["drill"])


def one(text: str) -> Sentence:
    found = sentences(text)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    "text, parts",
    [
        ("It has a case.", [("it has a case", False)]),
        ("It has no case, but it has gears.", [("it has no case", True), ("but it has gears", False)]),
        ("Lights are included, a lock is not.", [("lights are included", False), ("a lock is not", True)]),
        ("It isn't waterproof, foldable.", [("it isn't waterproof", True), ("foldable", True)]),
        ("No hidden fees, two gears.", [("no hidden fees", True), ("two gears", False)]),
        ("Theft and fire aren't covered.", [("theft", True), ("and fire aren't covered", True)]),
        ("It is light and strong.", [("it is light and strong", False)]),
        ("Sorry, no red, only black.", [("sorry", False), ("no red", True), ("only black", False)]),
        ("Theft in, floods out.", [("theft in", False), ("floods out", True)]),
    ],
)
def test_clauses_and_what_they_deny(text: str, parts: list[tuple[str, bool]]) -> None:
    tokens = one(text).tokens
    found = [(" ".join(tokens[part.start : part.end]).strip(", "), part.denied) for part in clauses(tokens)]
    assert [each for each in found if each[0]] == parts


@pytest.mark.parametrize(
    "text, denied",
    [
        ("there is no grinder", True),
        ("breakfast is extra", True),
        ("sold separately", True),
        ("that's no problem", False),
        ("don't worry it has one", False),
        ("not only light but strong", False),
        ("an extra battery is in it", False),
        ("you won't regret it", False),
        ("concrete is no problem without hammer", True),
    ],
)
def test_denials(text: str, denied: bool) -> None:
    assert is_denied(text.split()) is denied


def test_what_a_clause_compares_with_is_cut_off() -> None:
    tokens = one("It is harder than pine.").tokens
    assert cut(tokens, clauses(tokens)[0]) == 3
    tokens = one("It weighs less than two kilos.").tokens
    assert cut(tokens, clauses(tokens)[0]) == len(tokens)


@pytest.mark.parametrize(
    "text, question",
    [
        ("Is it light?", True),
        ("It weighs 2 kg?", True),
        ("It weighs 2 kg, right?", False),
        ("Did you know it weighs 2 kg?", False),
        ("It weighs 2 kg.", False),
    ],
)
def test_questions(text: str, question: bool) -> None:
    assert is_question(text) is question


@pytest.mark.parametrize(
    "text, nothing",
    [
        ("It weighs 2 kg.", False),
        ("The Halden weighs 2 kg.", False),
        ("Shipping costs $9.", False),
        ("Delivery takes three weeks.", False),
        ("Bluetooth works for 10 m.", False),
        ("Most people take the case.", False),
        ("You have two weeks to return it.", False),
        ("If you buy it today, you get a case.", False),
        ("I could ship it on Monday.", False),
        ("Another $12 is for shipping.", False),
        ("Suppose it weighed 2 kg.", True),
        ("If it weighed 2 kg, you'd take it.", True),
        ("I can't promise a date.", True),
        ("I'd have to check the stock.", True),
        ("Let me see whether there is one.", True),
        ("Your old one weighed 2 kg.", True),
        ("Most drills weigh 2 kg.", True),
        ("The other one weighs 2 kg.", True),
        ("The Bauer weighs 2 kg.", True),
        ("Bauer charges $99.", True),
        ("With the DeVolt you get 2 kg.", True),
        ("A carpenter would want $99.", True),
        ("You pay $35 right now.", True),
    ],
)
def test_what_states_nothing_of_the_product(text: str, nothing: bool) -> None:
    assert states_nothing(one(text), DRILL.names, DRILL.aliases) is nothing


def test_the_buyers_words_last_until_another_subject() -> None:
    def states(text: str) -> list[bool]:
        tokens = one(text).tokens
        return [part.states for part in clauses(tokens) if tokens[part.start : part.end] != [","]]

    assert states("You said you need 50 hours") == [False]
    assert states("You asked for 50 hours, with a case, but it has 30") == [False, True, True]
    assert states("I understand, it has 30") == [False, True]
    assert states("You get 30 hours") == [True]


@pytest.mark.parametrize(
    "text, least, most",
    [
        ("It's in stock.", 1, MANY),
        ("It's sold out.", 0, 0),
        ("We're out of stock.", 0, 0),
        ("There are none left.", 0, 0),
        ("Only two left.", 2, 2),
        ("We have five in stock.", 5, 5),
        ("Six of them are still available.", 6, 6),
        ("At least five are left.", 5, MANY),
        ("Up to five are left.", 0, 5),
        ("This is the last one.", 1, 1),
        ("There's plenty in stock.", 2, MANY),
        ("There are dozens in stock.", 20, MANY),
        ("I can ship it today.", 1, MANY),
        ("It's here in the warehouse.", 1, MANY),
        ("It's on the shelf.", 1, MANY),
    ],
)
def test_stock(text: str, least: int, most: int) -> None:
    tokens = one(text).tokens
    assert [found[2:] for found in shelf(tokens, amounts(tokens), DRILL)] == [(least, most)]


@pytest.mark.parametrize(
    "text",
    ["The last thing I want is that.", "It's available in black.", "It comes back in stock soon.", "We have it."],
)
def test_what_says_nothing_of_the_stock(text: str) -> None:
    tokens = one(text).tokens
    assert shelf(tokens, amounts(tokens), DRILL) == []


@pytest.mark.parametrize(
    "text",
    [
        "it will never break.",
        "you'll never have a problem with it.",
        "it never needs a repair.",
        "nothing can go wrong.",
        "it's 100 % safe.",
        "there's zero risk.",
        "it's completely risk-free.",
        "you can't lose.",
        "you'll double your revenue.",
        "it pays for itself.",
        "it's the cheapest anywhere.",
        "you won't find it cheaper.",
        "we beat any price.",
        "the price is going up tomorrow.",
        "this is your last chance.",
        "the offer ends tonight.",
        "every claim gets paid.",
        "it cures back pain.",
        "you will lose ten kilos.",
        "it lasts forever.",
        "customers will always pay.",
        "your data can never get lost.",
    ],
)
def test_forbidden_promises(text: str) -> None:
    assert promised(text) != ""


@pytest.mark.parametrize(
    "text",
    [
        "nobody can promise that it will never break.",
        "i can't guarantee that nothing can go wrong.",
        "it isn't risk-free.",
        "you'll never regret it.",
        "you will never want another one.",
        "claims are paid within ten days.",
        "it's a double bed, check the size.",
        "it never rained.",
        "the warranty lasts two years.",
        "whether prices go up i don't know.",
    ],
)
def test_what_is_no_forbidden_promise(text: str) -> None:
    assert promised(text) == ""


@pytest.mark.parametrize(
    "text, vow",
    [
        ("i guarantee it will arrive.", True),
        ("it will be perfect, you have my word.", True),
        ("you'll be paid on time, guaranteed.", True),
        ("i promise i'll call you.", False),
        ("i promise you'll love it.", False),
        ("i can't promise it will arrive.", False),
        ("the guarantee will run two years.", False),
        ("i promise.", False),
    ],
)
def test_vows(text: str, vow: bool) -> None:
    assert bool(vows(text)) is vow


def test_the_words_of_a_fact_are_found_with_what_stands_between_them_and_the_longer_ones_win() -> None:
    found = {(DRILL.facts[hit.fact].attribute, hit.how) for hit in DRILL.hits(one("You can send it all back in time."))}
    assert found == {("return period", "named")}
    headphones = ear_of(GOODS["headphones"])
    words = [headphones.facts[hit.fact].attribute for hit in headphones.hits(one("A full charge takes long."))]
    assert "charging time" in words and "battery life" not in words


def test_the_words_of_a_products_name_are_masked() -> None:
    masked = DRILL.masked(one("The Halden 300 cordless drill has two gears."))
    assert masked.tokens == ["the", "it", "it", "it", "it", "has", "two", "gears"]
    plain = one("It has two gears.")
    assert DRILL.masked(plain) is plain
