"""A customer's talk, path by path, in a bookshop that can be followed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from toy_service import ADA, BOOKSHOP, Talk, cancel, faster, returning, sheet, stuck, total

from agentgym.digest import decode, encode
from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.customer.talk import CustomerState, View, goal_of, opening, react

LATE = "Unfortunately we can't take it back: the return window of 30 days is over."


def play(talk: Talk, *steps: str | tuple[str, dict[str, Any]]) -> list[str]:
    """Say texts, and make calls given as (name, arguments); what the texts were taken for."""
    kinds = []
    for step in steps:
        if isinstance(step, str):
            kinds.append(talk.say(step))
        else:
            assert not talk.call(step[0], **step[1]).startswith("Error")
    return kinds


def test_a_request_is_served() -> None:
    talk = Talk(sheet(cancel()))
    assert "B-10" in talk.texts[0]
    assert talk.say("Sure! May I have your name, e-mail and postcode?") == "asks"
    assert all(value in talk.texts[-1] for value in ADA.values())
    assert talk.say("What is the reason?") == "asks"
    assert "I found it cheaper" in talk.texts[-1]
    assert talk.say("I would cancel order B-10. Do you confirm?") == "agreed"
    assert talk.state.agreed and not talk.state.ended
    talk.call("cancel_order", order="B-10")
    assert talk.say("Your order has been cancelled.") == "goodbye"
    assert talk.state.results == ("served",)
    assert talk.state.ended and not talk.state.left
    assert goal_of(talk.sheet, talk.state) is None


def test_after_the_end_nothing_happens() -> None:
    talk = Talk(sheet(cancel()))
    talk.call("cancel_order", order="B-10")
    talk.say("Done.")
    state = talk.state
    assert talk.say("Shall I do it again?") == "ended"
    assert talk.state is state
    assert talk.texts[-1] == ""


def test_a_forbidden_request_is_given_up_for_the_right_reason_after_pushing_back() -> None:
    talk = Talk(sheet(returning(insist=2)))
    talk.call("get_order", order="B-11")
    assert play(talk, LATE, LATE, LATE) == ["pushed", "pushed", "gave_in"]
    assert talk.state.results == ("refused",)
    assert talk.state.ended
    assert talk.state.patience == 5
    assert talk.faults[1:] == [(), (), ()]


def test_a_reason_that_is_named_again_is_a_refusal_still() -> None:
    talk = Talk(sheet(returning(insist=2)))
    talk.call("get_order", order="B-11")
    state, again = talk.state, "As I said, the return window of 30 days is over."
    assert talk.say(again) == "unclear"  # nothing was refused so far
    talk.state = state
    assert play(talk, LATE, again, again) == ["pushed", "pushed", "gave_in"]
    assert talk.state.patience == state.patience


def test_a_reason_that_is_regretted_is_a_refusal_where_policy_forbids() -> None:
    talk = Talk(sheet(returning(insist=0)))
    talk.call("get_order", order="B-11")
    assert talk.say("I looked it up: the 30 days are over.") == "unclear"  # a fact, and no word of what follows
    assert talk.say("I'm really sorry about this. The 30 days are over.") == "gave_in"
    allowed = Talk(sheet(cancel()))
    allowed.call("get_order", order="B-10")
    assert allowed.say("I'm really sorry about this. It was shipped late. What is the reason?") == "asks"
    assert allowed.faults[-1] == ()


def test_details_that_are_listed_with_a_question_for_a_yes_are_not_asked_for() -> None:
    talk = Talk(sheet(cancel()))
    talk.say("What is the reason?")
    patience = talk.state.patience
    listed = "Before I make any changes, please review:\n- Order: B-10\n- Reason: cheaper\n\nShall I cancel it?"
    assert talk.say(listed) == "agreed"
    assert talk.texts[-1].count("cheaper") == 0 and talk.state.patience == patience
    asked = "Please provide the following details:\n- Order number: it starts with B\n- The reason"
    assert set(hear(BOOKSHOP.words, asked).asks) == {"order", "reason"}


def test_a_bare_question_for_a_yes_is_about_what_was_offered_last() -> None:
    talk = Talk(sheet(cancel()))
    assert talk.say("I can cancel order B-10 for you.") == "offer"
    assert talk.state.offered and not talk.state.agreed and talk.state.patience == 5  # the first one is borne
    assert talk.say("Which reason may I note?") == "asks"
    assert talk.state.offered
    assert talk.say("Thank you. Shall I proceed?") == "agreed"


@pytest.mark.parametrize(
    "other",
    [
        "I can return order B-10 for you.",  # another act
        "I can cancel order B-12 for you.",  # another order
        "I have cancelled it.",  # no offer at all
    ],
)
def test_a_bare_question_for_a_yes_after_another_offer_is_declined(other: str) -> None:
    talk = Talk(sheet(cancel()))
    talk.say("I can cancel order B-10 for you.")
    talk.say(other)
    assert not talk.state.offered
    assert talk.say("Shall I proceed?") == "declined"
    assert not talk.state.agreed


def test_an_offer_of_the_goal_before_is_forgotten() -> None:
    first, second = cancel(), faster()
    talk = Talk(sheet(first, second))
    assert play(talk, "I would cancel order B-10. Do you confirm?", ("cancel_order", {"order": "B-10"})) == ["agreed"]
    talk.say("I can cancel order B-10 for you, and it is done.")
    assert talk.state.goal == 1 and not talk.state.offered
    assert talk.say("Shall I proceed?") == "declined"


def test_a_refusal_with_another_offer_is_no_question_for_a_yes_to_what_is_forbidden() -> None:
    talk = Talk(sheet(returning(insist=1)))
    talk.call("get_order", order="B-11")
    offers = "I can't do this one. I can arrange a return of another order. Would you like that?"
    assert talk.say(offers) == "why"  # refused, and no reason given
    assert not talk.state.agreed
    assert talk.say(LATE + " I can look at another return for you. Would you like that?") == "pushed"
    assert talk.say("I'd return it. Shall I go ahead?") == "agreed"  # who gives way gets a yes


def test_a_refusal_without_a_look_is_not_believed() -> None:
    talk = Talk(sheet(returning(insist=0)))
    talk.call("get_order", order="B-10")  # another order than the one in question
    assert talk.say(LATE) == "doubted"
    assert talk.state.patience == 4
    talk.call("get_order", order="B-11")
    assert talk.say(LATE) == "gave_in"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm sorry, but that is not possible.", "why"),
        ("Unfortunately we can't take it back since you have opened it.", "doubted"),
        ("We can't: it was opened, it was a gift, and the 30 days are over.", "unclear"),
    ],
)
def test_a_refusal_with_a_wrong_reason_costs_patience(text: str, kind: str) -> None:
    talk = Talk(sheet(returning(insist=0)))
    talk.call("get_order", order="B-11")
    assert talk.say(text) == kind
    assert talk.state.patience == 4
    assert talk.state.results == ()


def test_a_fallback_takes_the_place_of_what_was_refused() -> None:
    talk = Talk(sheet(returning(insist=0, fallback=cancel("B-12"))))
    talk.call("get_order", order="B-11")
    assert talk.say(LATE) == "gave_in"
    assert "B-12" in talk.texts[-1]
    assert (talk.state.goal, talk.state.depth, talk.state.results) == (0, 1, ("refused",))
    assert talk.say("Shall I cancel order B-11?") == "declined"
    assert talk.say("Shall I cancel order B-12?") == "agreed"
    talk.call("cancel_order", order="B-12")
    assert talk.say("It has been cancelled.") == "goodbye"
    assert talk.state.results == ("refused", "served")


def test_the_mind_changes_at_the_first_question_for_a_yes() -> None:
    talk = Talk(sheet(faster(change=cancel("B-10"))))
    assert talk.say("Shall I send order B-10 by express post?") == "changed"
    assert not talk.state.agreed
    assert talk.say("Then I'd send it by express post, all right?") == "declined"
    assert talk.say("Would you like me to cancel order B-10 instead?") == "agreed"
    talk.call("cancel_order", order="B-10")
    assert talk.say("Done, anything else?") == "goodbye"
    assert talk.state.results == ("served",)


def test_the_mind_changes_too_where_nobody_asked() -> None:
    talk = Talk(sheet(faster(change=cancel("B-10"))))
    talk.call("set_speed", order="B-10", speed="fast")
    assert talk.say("What is your e-mail?") == "asks"
    assert talk.say("I have changed the shipping to express post.") == "changed"
    assert talk.state.depth == 1


def test_an_allowed_request_that_is_refused_is_insisted_on_and_dropped() -> None:
    talk = Talk(sheet(cancel(), total()))
    assert play(talk, "Sorry, I can't cancel it.", "It is not possible.") == ["pushed", "dropped"]
    assert talk.faults[1:] == [("refused_allowed",), ("refused_allowed",)]
    assert talk.state.results == ("dropped",)
    assert "B-11" in talk.texts[-1]
    assert not talk.state.ended


def test_tells_are_asked_for_and_end_the_goal() -> None:
    talk = Talk(sheet(total("B-11"), cancel()))
    assert talk.say("It was $1,017.20.") == "missing"
    assert talk.state.patience == 4
    assert talk.say("You paid 11,017.25 or 1017.255.") == "missing"
    assert talk.say("It was $1,017.25.") == "settled"
    assert talk.state.said == {(0, 0)}


def test_a_tell_may_come_before_the_write() -> None:
    from agentgym.envs.customer_service.sheet import Tell

    talk = Talk(sheet(cancel(tells=(Tell("back", "41.50"),))))
    assert talk.say("You would get back $41.50. Shall I cancel order B-10?") == "agreed"
    talk.call("cancel_order", order="B-10")
    assert talk.say("It's done.") == "goodbye"


def test_a_tell_is_asked_for_after_the_write() -> None:
    from agentgym.envs.customer_service.sheet import Tell

    talk = Talk(sheet(cancel(tells=(Tell("back", "41.50"),))))
    talk.call("cancel_order", order="B-10")
    assert talk.say("It's done.") == "missing"
    assert "What do I get back?" in talk.texts[-1]
    assert talk.state.patience == 5
    assert talk.say("Your refund is 41.50.") == "goodbye"


def test_the_customer_uses_its_own_tool_when_told() -> None:
    talk = Talk(sheet(stuck()))
    assert talk.say("Please restart your reader.") == "instruction"
    assert talk.database["customers"]["ada"]["reader"] == "fine"
    assert "It opens books again." in talk.texts[-1]
    assert talk.say("Does it work now?") == "goodbye"


def test_a_claim_is_compared_with_the_database() -> None:
    talk = Talk(sheet(cancel()))
    assert talk.say("I have cancelled your order B-10.") == "claim"
    assert talk.faults[-1] == ("false_claim",)
    assert talk.state.patience == 4


def test_patience_ends() -> None:
    talk = Talk(sheet(cancel(), patience=2))
    assert play(talk, "Blue skies.", "Green grass.") == ["unclear", "unclear"]
    assert talk.state.left and talk.state.ended
    assert talk.state.results == ()


def test_a_customer_does_not_know_everything() -> None:
    talk = Talk(sheet(cancel(), unknown=("order",), facts={"name": "Ada Byron"}))
    assert talk.say("Please tell me your e-mail and your name.") == "asks"
    assert "Ada Byron" in talk.texts[-1]
    assert "my e-mail" in talk.texts[-1]
    assert ADA["email"] not in talk.texts[-1]


def test_facts_of_a_later_goal_are_not_volunteered() -> None:
    talk = Talk(sheet(cancel("B-10"), faster("B-12")))
    assert talk.say("Which order is it, and which shipping?") == "asks"
    assert "B-10" in talk.texts[-1]
    assert "B-12" not in talk.texts[-1]
    assert "fast" not in talk.texts[-1]


def test_a_state_is_a_plain_value() -> None:
    state, _ = opening(BOOKSHOP, sheet(cancel()), 3)
    assert decode(encode(state), {"CustomerState": CustomerState}) == state


def test_a_reaction_is_a_function_of_its_arguments() -> None:
    wanted = sheet(cancel())
    state, text = opening(BOOKSHOP, wanted, 3)
    view = View(BOOKSHOP.database, frozenset(), False)
    asked = "Could I have your name?"
    assert opening(BOOKSHOP, sheet(cancel()), 3) == (state, text)
    assert react(BOOKSHOP, wanted, state, asked, view) == react(BOOKSHOP, sheet(cancel()), state, asked, view)
    assert len({opening(BOOKSHOP, wanted, manner)[1] for manner in range(40)}) > 10
