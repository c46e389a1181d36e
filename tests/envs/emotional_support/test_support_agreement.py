"""Wordings of one meaning are judged the same; lists say what they hold and what is wrong with them."""

from pathlib import Path

import pytest

from agentgym.envs.emotional_support import agreement
from agentgym.envs.emotional_support.analyser import Fact
from agentgym.errors import DataError

HERE = Path(__file__).parent
LISTS = [HERE / "wordings.txt", HERE / "wordings_held.txt"]


def test_the_lists_hold_at_least_150_sets_of_five():
    sets = [one for path in LISTS for one in agreement.read(path)]
    assert len(sets) >= 150
    assert {len(one.wordings) for one in sets} == {5}


def test_wordings_of_one_meaning_are_judged_the_same_in_85_of_100_sets():
    sets = [one for path in LISTS for one in agreement.read(path)]
    counts = agreement.agreement(sets)
    assert counts.same >= 0.85 * counts.sets
    assert counts.right >= 0.85 * counts.sets


def test_further_sentences_are_read_as_labelled():
    counts = agreement.agreement(agreement.read(HERE / "wordings_further.txt"))
    assert counts.wordings > 1_000
    assert counts.as_labelled >= 0.9 * counts.wordings


def test_wordings_by_somebody_who_had_not_read_the_rules():
    # as measured at first sight, 22 sets of 100 and 67.8 % of the wordings; nothing was mended by this list
    counts = agreement.agreement(agreement.read(HERE / "wordings_second.txt"))
    assert (counts.sets, counts.wordings) == (100, 500)
    assert counts.same >= 0.22 * counts.sets
    assert counts.right >= 0.22 * counts.sets
    assert counts.as_labelled >= 0.67 * counts.wordings


LITTLE = """# a remark
== nora
fact* laid off: job, laid off
fact mortgage: mortgage
feelings: ashamed, afraid
last: I lost my job.
earlier: Hello.
earlier: What happened?

-- open_question
What was that like?
how was that for you

-- none
Hello.

== omar
feelings: sad

-- reflection
You are so sad.

== nora
-- suggestion @ready
Maybe you could write it down.
-- reflection+open_question
You feel ashamed. What happened then?
"""


def test_a_list_says_who_is_spoken_to_and_what_each_set_means(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(LITTLE, "utf-8")
    first, second, third, fourth, fifth = agreement.read(path)
    assert first.context.story == (Fact("laid off", ("job", "laid off")), Fact("mortgage", ("mortgage",)))
    assert first.context.told == {"laid off"}
    assert first.context.earlier == ("Hello.", "What happened?")
    assert first.wordings == ("What was that like?", "how was that for you")
    assert second.skills == frozenset()
    assert (third.seeker, third.context.feelings, third.context.story) == ("omar", ("sad",), ())
    assert (fourth.seeker, fourth.context.last, fourth.context.ready) == ("nora", "I lost my job.", True)
    assert (fifth.skills, fifth.context.ready) == ({"reflection", "open_question"}, False)
    assert first.line == 10


def test_the_command_prints_the_figures_and_on_request_what_missed(tmp_path, capsys):
    path = tmp_path / "list.txt"
    path.write_text("== a\nfeelings: sad\n-- reflection\nYou are so sad.\nHello.\n-- none\nHello.\nHi.\n", "utf-8")
    assert agreement.main([str(path)]) == 0
    # 2 sets, the first read two ways; 3 of 4 wordings as labelled
    assert capsys.readouterr().out == (
        "list.txt: 2 sets, judged the same in all wordings 50.0%, and as labelled 50.0%; "
        "75.0% of 4 wordings as labelled\n"
    )
    agreement.main([str(path), "--misses"])
    assert capsys.readouterr().out.startswith("list.txt:3 a: reflection read as none: Hello.\n")


def test_the_same_in_all_wordings_is_not_yet_as_labelled(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("== a\n-- blame\nHello.\nHi.\n", "utf-8")
    assert agreement.agreement(agreement.read(path)) == (1, 1, 0, 2, 0)


@pytest.mark.parametrize(
    ("text", "word"),
    [("== a\nfeeling: sad\n-- none\nHi.\n", "feelings"), ("== a\n-- reflexion\nYou are sad.\n", "reflection")],
)
def test_what_no_list_has_is_named(tmp_path, text, word):
    path = tmp_path / "list.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=word):
        agreement.read(path)
