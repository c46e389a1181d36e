"""Wrong answers and queries near the right ones, and which of them stand beside these."""

from __future__ import annotations

import pytest

from agentgym import TurnRng
from agentgym.envs.wiki_search.answers import score
from agentgym.envs.wiki_search.beside import beside
from agentgym.envs.wiki_search.near_answers import bare, could_be, kind_of, near_answers
from agentgym.envs.wiki_search.near_queries import RELATIONS, is_query, near_queries, subject_of
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.shipped.quality_menu import guesses
from agentgym.envs.wiki_search.spelling import likenesses, spelling, words

RNG = TurnRng(0)
TIBREN = Passage("Tibren", "Tibren is a country of 1,200 km². Its capital is Arn. It was founded in 1830.")
NEAR = [
    Passage(
        "Galdia", "Galdia is a country of 890 km². Its capital is Moss End. It was founded in 1790. Its code is GA."
    ),
    Passage("Orrin (lake)", "Lake Orrin is 12 km long. A ferry reaches Tulle in 40 minutes, since 12 May 1911."),
]


def found(right: str, *more: str) -> list[str]:
    return near_answers(right, [right, *more], [TIBREN], NEAR, TurnRng(0))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        *(("yes", "closed"), ("No.", "closed"), ("1830", "year"), ("12 May 1911", "date"), ("May 1911", "date")),
        *(("1,200", "number"), ("-3.5", "number"), ("12 km", "amount"), ("5 %", "amount"), ("GA", "code")),
        *(("Moss End", "name"), ("Bank of the West", "name"), ("G. Hall", "name"), ("copper ore", "words")),
    ],
)
def test_the_kind_of_an_answer(answer: str, kind: str) -> None:
    assert kind_of(answer) == kind


def test_the_most_similar_surroundings_come_first() -> None:
    """Moss End stands behind "capital", as Arn does; Tulle and the titles stand elsewhere."""
    assert found("Arn")[0] == "Moss End"
    assert set(found("Arn")) == {"Moss End", "Galdia", "Orrin", "Lake Orrin", "Tulle", "GA", "May"} & set(found("Arn"))


def test_numbers_keep_their_kind() -> None:
    assert found("1830")[:2] == ["1790", "1911"]
    assert found("1,200 km²")[0] == "890 km²"
    assert found("TI")[0] == "GA"


def test_numbers_written_alike_come_first() -> None:
    near = [Passage("A", "It has 8 parts and 17 doors, 512,004 people."), Passage("B", "It has 401,300 people.")]
    assert set(near_answers("731,220", ["731,220"], [TIBREN], near, TurnRng(0))[:2]) == {"512,004", "401,300"}


def test_where_too_few_are_found_digits_are_changed() -> None:
    made = near_answers("7,305", ["7,305"], [TIBREN], [], TurnRng(0))
    assert len(made) > 6 and all(len(text) == 5 and text[1] == "," and text[3] == "0" for text in made)
    assert "7,305" not in made


def test_what_could_be_accepted_is_no_wrong_answer() -> None:
    assert "Moss End" not in found("Arn", "Moss End (city)")  # all its words are those of an accepted answer
    assert could_be("the Moss", ["Moss End"]) and could_be("East Arn", ["Arn"]) and could_be("Arnford", ["Arn"])
    assert not could_be("Moss Hill", ["Moss End"]) and not could_be("Arn", [])
    for right in ("Arn", "1830", "country"):
        assert all(score("em", text, [right]) == score("sub_em", text, [right]) == 0.0 for text in found(right))


def test_an_article_is_kept_and_yes_has_no_kind() -> None:
    assert found("the Arn")[0] == "the Moss End"
    assert found("yes") == []


def test_no_phrase_could_close_a_tag() -> None:
    near = [Passage("Bad", "Its capital is Foo</answer> here, said Bar Baz.")]
    assert all("<" not in text for text in near_answers("Arn", ["Arn"], [TIBREN], near, TurnRng(0)))


def test_the_qualifier_of_a_title_is_no_name() -> None:
    assert (bare("Georgia (country)"), bare("Georgia")) == ("Georgia", "Georgia")


# ---- queries ---------------------------------------------------------------------------------------------------------


def test_the_subject_of_a_query() -> None:
    assert subject_of("currency of Upper Tibren", ["Tibren", "Upper Tibren", "Arn"]) == "Upper Tibren"
    assert subject_of("the mayor of Moss End now", []) == "Moss End"
    assert subject_of("airport with the ICAO code ZHNY", []) == "ZHNY"  # the last of several
    assert subject_of("Which star has the Hipparcos number 9487?", []) == "9487"
    assert subject_of("Tibrenland", ["Tibren"]) == ""  # a part of a word is none


def near(right: str, question: str, others: list[str], known: list[str]) -> list[str]:
    return list(near_queries([right], question, lambda subject: others, known, TurnRng(1)))


def test_queries_of_every_sort_are_near() -> None:
    """Another entity, another relation, too broad, too narrow, the question itself, and parts of it."""
    right, question = "What is the currency of Tibren?", "Which money is used in the country of Tibren today?"
    made = near(right, question, ["Galdia", "Orrin"], ["Tibren"])
    assert "What is the currency of Galdia?" in made and "What is the currency of Orrin?" in made
    assert any(f"What is the {relation} of Tibren?" in made for relation in RELATIONS if relation != "currency")
    assert "Galdia" in made and question in made
    assert any(text.startswith(right.rstrip("?")) and len(text) > len(right) for text in made)
    assert any(text.startswith("Galdia, Orrin: ") for text in made)
    assert question.replace("Tibren", "Galdia") in made
    assert "Which money is used in the country of today" in made
    assert made == near(right, question, ["Galdia", "Orrin"], ["Tibren"])


def test_what_takes_the_place_of_a_value_is_asked_for() -> None:
    asked: list[str] = []

    def others(subject: str) -> list[str]:
        asked.append(subject)
        return ["113889"]

    queries = ["Which star has the number 9487?"]
    made = list(near_queries(queries, "What is star 9487 called?", others, [], TurnRng(1)))
    assert "Which star has the number 113889?" in made and set(asked) == {"9487"}


def test_queries_without_names_around() -> None:
    made = near("tin", "what is mined there?", [], [])
    assert "what is mined there?" in made and "mined" in made


@pytest.mark.parametrize(
    ("text", "good"), [("capital", True), ("the of", False), ("", False), ("a < b c", False), ("x > yy", False)]
)
def test_what_can_be_searched_for(text: str, good: bool) -> None:
    assert is_query(text) is good


# ---- beside, and marks -----------------------------------------------------------------------------------------------


def test_what_spelling_measures() -> None:
    measured = spelling(["the Orla", "12 km!"], "How long is the Orla?")
    assert measured["length"] == [8.0, 6.0] and measured["words"] == [2.0, 2.0]
    assert measured["punctuation"] == [0.0, 1.0] and measured["digits"] == [0.0, 2.0]
    assert measured["words shared with the question"] == [2.0, 0.0]
    assert measured["share of such words"] == [1.0, 0.0]
    assert measured["likeness to the others"] == [1.0, 1.0]  # each is like itself alone
    assert likenesses([words("a b"), words("b c"), words("")])[0] == [1.0, 1 / 3, 0.0]


def test_the_right_entry_is_longest_and_shortest_only_by_chance() -> None:
    """Beside a word of four letters stand four of sixteen others, shorter or longer, and every rank comes up."""
    wrong = ["x" * size for size in (1, 2, 3, 5, 6, 7, 8, 9)] + ["y" * size for size in (1, 2, 3, 5, 6, 7, 8, 9)]
    ranks = [0] * 5
    for seed in range(400):
        taken = beside("zzzz", wrong, 4, "what?", TurnRng(seed))
        assert len(set(taken)) == 4
        ranks[sum(len(text) < 4 for text in taken)] += 1
    assert all(40 <= count <= 125 for count in ranks), ranks  # 80 each, were the draw all that counts


def test_few_wrong_entries_are_all_taken() -> None:
    assert sorted(beside("a", ["b", "c"], 4, "", TurnRng(0))) == ["b", "c"]


def test_guesses_say_what_speaks_for_each_entry() -> None:
    ways = guesses(["<search>the Orla</search>", "<answer>12</answer>"], "How long is the Orla?")
    assert ways["first"] == [0.0, -1.0] and ways["last"] == [0.0, 1.0]
    assert ways["queries"] == [1.0, 0.0] and ways["answers"] == [0.0, 1.0]
    assert ways["most length"] == [8.0, 2.0] and ways["least digits"] == [0.0, -2.0]
