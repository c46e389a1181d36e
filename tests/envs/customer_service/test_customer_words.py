"""What customers say: variety, moods, nothing but what the sheet holds; and errors of who writes domains."""

from __future__ import annotations

import re
from dataclasses import replace
from string import Formatter

import pytest
from toy_service import ADA, BOOKSHOP, WORDS, Talk, cancel, faster, returning, sheet, stuck, total

from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.customer.phrases import MOODS, PHRASES
from agentgym.envs.customer_service.customer.plan import plan_of, texts_of, used
from agentgym.envs.customer_service.customer.say import Speaker
from agentgym.envs.customer_service.customer.telling import plain, tells
from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Goal, Tell

SLOTS = {"forgot": {"what"}, "nothing": {"what"}, "reminder": {"again"}, "wish": {"wants"}}


def test_the_grammar_has_texts_for_every_mood_and_no_foreign_slots() -> None:
    for key, phrases in PHRASES.items():
        assert phrases[""], key
        assert phrases.keys() <= {"", *MOODS}, key
        for texts in phrases.values():
            assert len(set(texts)) >= len(texts) - 3, key  # an empty text may stand several times, to be drawn often
            for text in texts:
                slots = {name for _, name, _, _ in Formatter().parse(text) if name}
                assert slots == (SLOTS.get(key, set())), (key, text)
                assert not re.search(r"\d|###|\*", text)


def test_talks_hardly_ever_begin_alike() -> None:
    starts = [Talk(sheet(cancel(), mood=mood), manner).texts[0] for mood in MOODS for manner in range(50)]
    assert len(set(starts)) > 60


def test_moods_can_be_told_apart() -> None:
    greetings = {
        mood: {Speaker(WORDS, mood, manner, "").phrase("greet") for manner in range(200)}
        for mood in (*MOODS, "unknown")
    }
    for mood in MOODS:
        assert greetings[mood] - greetings["unknown"]
        assert greetings[mood] >= greetings["unknown"]


def test_words_change_with_manner_and_place_and_nothing_else() -> None:
    texts = {
        (manner, mark): Speaker(WORDS, "calm", manner, mark).phrase("unclear") for manner in range(30) for mark in "ab"
    }
    assert len(set(texts.values())) > 5
    assert texts[3, "a"] == Speaker(WORDS, "calm", 3, "a").phrase("unclear")


def test_the_request_states_what_it_opens_with() -> None:
    open_order = plan_of(WORDS, sheet(cancel()))[0][0]
    assert open_order.opens == ("order",)
    assert all("{order}" in text for text in open_order.wants)
    closed = plan_of(WORDS, sheet(cancel(opens=())))[0][0]
    assert closed.opens == ()
    assert closed.wants == ("I want to cancel an order.",)
    state = Talk(sheet(cancel(opens=()))).state
    assert "order" not in state.told


def test_the_plan_knows_what_belongs_to_a_goal() -> None:
    wanted = sheet(returning(fallback=cancel("B-12")), faster("B-10", change=faster("B-10", "slow")), total())
    plan = plan_of(WORDS, wanted)
    assert [[step.number for step in row] for row in plan] == [[0, 1], [2, 3], [4]]
    assert plan[0][0].names == {"b-11"} and plan[0][0].looks == {"b-11"}
    assert plan[0][1].names == {"b-12"}
    assert plan[1][0].choices == (("speed", "fast"),) and plan[1][1].choices == (("speed", "slow"),)
    assert plan[2][0].tells == ("1017.25",)
    assert plan_of(WORDS, wanted) is plan


def test_a_value_in_other_words_is_known_by_its_patterns() -> None:
    assert plan_of(WORDS, sheet(faster(speed="fast")))[0][0].choices == (("speed", "fast"),)
    spoken = Goal("ship", facts={"order": "B-10", "speed": "by express, please"}, opens=("order",))
    assert plan_of(WORDS, sheet(spoken))[0][0].choices == (("speed", "fast"),)
    either = Goal("ship", facts={"order": "B-10", "speed": "fast or slow"}, opens=("order",))
    assert plan_of(WORDS, sheet(either))[0][0].choices == ()


def test_missing_words_are_named() -> None:
    with pytest.raises(ValueError, match=r"no text wants\['fly'\]"):
        plan_of(WORDS, sheet(Goal("fly")))
    with pytest.raises(ValueError, match=r"no text wants\['return'\] with slots among \[\]"):
        plan_of(WORDS, sheet(returning(opens=())))
    with pytest.raises(ValueError, match=r"no text questions\['colour'\]"):
        plan_of(WORDS, sheet(cancel(tells=(Tell("colour", "red"),))))


def test_facts_without_words_are_stated_all_the_same() -> None:
    bare = replace(WORDS, says={}, names={})
    speaker = Speaker(bare, "calm", 1, "")
    assert speaker.states({"email": ADA["email"]}) == [f"It's {ADA['email']}."]
    assert "the post code or the size" in speaker.lacks("forgot", ["post_code", "size"])


def test_several_forgotten_facts_are_listed() -> None:
    talk = Talk(sheet(cancel(), facts={}, unknown=("name", "email", "postcode")))
    talk.say("Please tell me your name, e-mail and postcode.")
    assert "my name, my e-mail or my postcode" in talk.texts[-1]
    talk.say("And which shipping?")  # neither known nor forgotten: nothing in the sheet says so
    assert "the shipping" in talk.texts[-1]


def test_pushing_back_has_other_words_each_time_in_the_words_of_the_domain() -> None:
    talk = Talk(sheet(returning(insist=6), patience=9))
    talk.call("get_order", order="B-11")
    said = []
    for _ in range(6):
        assert talk.say("Unfortunately the 30 days are over, I can't take it back.") == "pushed"
        said.append(talk.texts[-1])
    assert set(said) <= set(WORDS.pretexts["return"])
    assert len(set(said)) > 1


def test_a_proposal_may_be_known_by_a_value_and_is_declined_for_a_foreign_one() -> None:
    for text, kind in [
        ("Order B-10 goes by fast post, shall I do that?", "agreed"),
        ("Shall I set it to slow post?", "declined"),
        ("Shall I send order B-12 by fast post?", "declined"),
        ("Shall I set order B-10 from slow to fast post?", "agreed"),  # the goal's value is named too
        ("Would you like me to cancel order B-10?", "declined"),
        ("Shall I go ahead?", "declined"),
        ("Shall I cancel order B-10 or ship it by fast post?", "either"),
    ]:
        talk = Talk(sheet(faster()))
        assert talk.say(text) == kind, text
        assert talk.state.agreed == (kind == "agreed")


@pytest.mark.parametrize(
    "text",
    [
        "Refunds can only go to the card that was charged. Shall I cancel order B-10?",
        "Please note that this cannot be undone. Would you like me to cancel order B-10?",
        "Order B-10 hasn't been shipped yet, so it can be cancelled. Would you like me to proceed?",
        "I understand that you can't use it any more. Do you want me to cancel order B-10?",
        "Your order B-10 can be cancelled. A refund by cheque is not possible, though. Shall I proceed?",
        "I'm sorry to hear that it isn't what you wanted! Shall I cancel order B-10 for you?",
        "You won't be charged for it. May I cancel order B-10?",
        "I couldn't find a voucher on order B-10. Should I cancel it anyway?",
    ],
)
def test_a_proposal_with_a_caution_is_no_refusal(text: str) -> None:
    talk = Talk(sheet(cancel()))
    assert talk.say(text) == "agreed"
    assert talk.faults[-1] == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I understand how annoying this is, and I can see that it isn't what you wanted.", "unclear"),
        ("I'm sorry that you can't use it.", "unclear"),
        ("I have found your account. Thank you for verifying it!", "unclear"),
        ("Thank you, Ada. I've located order B-10 and I'm looking into it now.", "wait"),
        ("I can't cancel it. Would you like me to connect you to a colleague?", "pushed"),
        ("I'm not able to cancel order B-10, but I could return it. Would you like that?", "pushed"),
        ("Unfortunately, I can't do that.", "pushed"),
        ("Your order B-10 was placed two days ago and has not been sent.", "unclear"),
        ("Once order B-10 has been cancelled, the money comes back within five days.", "unclear"),
    ],
)
def test_feelings_and_states_are_no_refusals_and_no_claims(text: str, kind: str) -> None:
    talk = Talk(sheet(cancel()))
    assert talk.say(text) == kind
    assert talk.faults[-1] == (("refused_allowed",) if kind == "pushed" else ())


def test_who_only_asks_wants_nothing_done() -> None:
    talk = Talk(sheet(total()))
    assert talk.say("Would you like me to do anything about order B-11?") == "declined"
    assert talk.say("Would you like me to look up the total of order B-11?") == "agreed"


def test_a_question_for_a_fact_changes_no_mind() -> None:
    talk = Talk(sheet(faster(change=cancel("B-10"))))
    assert talk.say("What e-mail address did you register with?") == "asks"
    assert talk.say("May I have your postcode?") == "asks"
    assert talk.state.depth == 0


def test_facts_asked_along_with_a_yes_are_stated_too() -> None:
    talk = Talk(sheet(cancel()))
    assert talk.say("I would cancel order B-10. Shall I, and may I have your postcode?") == "agreed"
    assert ADA["postcode"] in talk.texts[-1]


def test_a_question_at_the_end_keeps_the_customer() -> None:
    talk = Talk(sheet(cancel()))
    talk.call("cancel_order", order="B-10")
    assert talk.say("It's done. For the receipt: what is your e-mail?") == "asks"
    assert ADA["email"] in talk.texts[-1] and not talk.state.ended
    assert talk.say("Thank you.") == "goodbye"


def test_asking_what_is_wanted_and_to_wait_is_free_once() -> None:
    talk = Talk(sheet(cancel()))
    assert talk.say("How can I help you?") == "wish"
    assert "B-10" in talk.texts[-1]
    assert talk.state.patience == 5
    assert talk.say("One moment, please.") == "wait"
    assert talk.state.patience == 4
    assert talk.say("Is there anything else?") == "more"
    assert talk.state.patience == 3
    assert talk.say("I couldn't find that.") == "lost"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It was 54.12.", True),
        ("It was $54.12!", True),
        ("154.12", False),
        ("54.123", False),
        ("3.54.12", False),
        ("54.12.2030", False),
        ("54.1", False),
        ("(54.12)", True),
    ],
)
def test_a_number_is_told_when_it_stands_alone(text: str, told: bool) -> None:
    assert tells(text, "54.12") is told


def test_words_are_told_when_they_stand_alone() -> None:
    assert tells("it is a redwood, painted red", "red")
    assert not tells("it is a redwood", "red")


def test_what_a_tool_printed_is_read_out_plainly() -> None:
    assert plain('{"signal_bars": 3, "state": ["on"]}') == "signal bars: 3, state: on"


def test_texts_and_uses_of_calls() -> None:
    assert list(texts_of({"a": ["x", {"b": 3}], "c": None, "d": True})) == ["x", "3"]
    gold = (Call("press", {"key": "a"}, CUSTOMER), Call("press", {"key": "b"}), Call("press", {"key": "c"}, CUSTOMER))
    assert used(Goal("reader", gold=gold), "press", CUSTOMER) == [{"key": "a"}, {"key": "c"}]


def test_two_instructions_are_carried_out_in_their_order() -> None:
    talk = Talk(sheet(stuck()))
    assert talk.say("First look at the light. Then restart the reader.") == "instruction"
    assert talk.texts[-1].index("green") < talk.texts[-1].index("opens books")
    assert hear(WORDS, "Shall I restart the reader?").instructs == ()
    assert hear(WORDS, "I have restarted the reader.").instructs == ()
    assert BOOKSHOP.database["customers"]["ada"]["reader"] == "stuck"
