"""A user that puts the customer's answers into words of its own: the rules decide, the words are the user's."""

import os

import pytest

from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.errors import InfraError
from agentgym.user import SCRIPTED, Said

SEEDS = range(6)


class Echo:
    """Says every draft as it stands, and keeps what it was shown."""

    def __init__(self, scripted=True):
        self.scripted = scripted
        self.seen = []

    def speak(self, scene, draft, rng):
        self.seen.append((scene, draft))
        return Said(draft.text)


class Free(Echo):
    """Says everything otherwise; leaves at the n-th answer."""

    def __init__(self, leaves=0):
        super().__init__(scripted=False)
        self.leaves = leaves

    def speak(self, scene, draft, rng):
        self.seen.append((scene, draft))
        act = "leave" if len(self.seen) == self.leaves else "dance"  # no act of the draft: what was drafted stands
        return Said(f"Well, {draft.text} \ud800", act)


def play(env, seed):
    """Return the infos of an expert's episode."""
    infos = [env.reset(seed=seed)[1]]
    while not infos[-1]["end_reason"]:
        infos.append(env.step(env.expert(env.state))[4])
    return infos


def hashes(infos):
    return [(info["state_hash"], info["anchor_hash"], info["history_hash"]) for info in infos]


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_a_user_that_says_the_drafts_changes_no_hash(domain) -> None:
    plain, spoken = CustomerServiceEnv(domain=domain), CustomerServiceEnv(domain=domain, user=Echo())
    for seed in SEEDS:
        infos = play(plain, seed)
        assert infos[-1]["success"]
        assert hashes(play(spoken, seed)) == hashes(infos)
    assert plain.user is SCRIPTED
    assert plain.state.talk == ()


@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_free_words_leave_what_the_customer_does_to_the_rules(domain) -> None:
    plain, free = CustomerServiceEnv(domain=domain), CustomerServiceEnv(domain=domain, user=Free())
    for seed in SEEDS:
        scripted, own = play(plain, seed), play(free, seed)
        assert [i["end_reason"] for i in own] == [i["end_reason"] for i in scripted]
        assert [i["components"] for i in own] == [i["components"] for i in scripted]
        assert [i["anchor_hash"] for i in own] == [i["anchor_hash"] for i in scripted]
        assert [i["state_hash"] for i in own] != [i["state_hash"] for i in scripted]  # the talk is part of the state


def test_a_user_sees_the_card_the_talk_and_the_facts_but_nothing_of_the_agents_side() -> None:
    user = Echo(scripted=False)
    env = CustomerServiceEnv(user=user)
    opening, info = env.reset(seed=3)
    first = info["messages"][0]["content"]
    env.step("<think>secret plan</think>Hello! What is your name, and your postcode?")
    env.step('<tool_call>{"name": "get_order", "arguments": {"order_id": "ORD-44734"}}</tool_call>')
    answer = env.step("Thanks. What is your e-mail address?")[0]
    (one, two), (three, four) = user.seen
    assert one.messages == (("user", opening), ("assistant", "Hello! What is your name, and your postcode?"))
    assert three.messages[:2] == one.messages
    assert three.messages[2] == ("user", two.text)
    assert three.messages[3] == ("assistant", "Thanks. What is your e-mail address?")
    assert len(three.messages) == 4  # no call, and no result of one
    assert env.state.talk == (*three.messages, ("user", answer))
    # seed 3: Gideon Aldous of NR1 6HT wants ORD-44734 sent express, and has forgotten the e-mail address
    assert set(two.facts) == {"Gideon Aldous", "NR1 6HT"}
    assert all(fact in two.text for fact in two.facts)
    assert (two.choices, four.facts) == (("leave",), ())
    for text in ("Gideon Aldous", "NR1 6HT", "ORD-44734", "chatty", "You do not remember your customer number"):
        assert text in one.card
    assert "109.15" not in one.card  # the total that the agent has to find and to tell
    assert one.card.splitlines()[-1].startswith("Now: request 1; told: name, order, postcode;")
    assert first not in three.card and env.card(env.state) != one.card


def test_a_customer_may_leave_and_the_episode_is_lost() -> None:
    env = CustomerServiceEnv(user=Free(leaves=2))
    env.reset(seed=3)
    env.step("What is your name?")
    words, reward, terminated, truncated, info = env.step("And your postcode?")
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info["end_reason"] == "user_left"
    assert words.startswith("Well, ") and words.endswith("?")  # a lone surrogate is replaced
    assert "the talk is over" in env.card(env.state)


def test_no_other_act_can_be_chosen_once_the_talk_is_over() -> None:
    user = Echo()
    env = CustomerServiceEnv(user=user)
    assert play(env, 3)[-1]["success"]
    assert user.seen[-1][1].choices == ()


def test_a_user_that_fails_ends_the_episode_without_a_score() -> None:
    class Dead(Echo):
        def speak(self, scene, draft, rng):
            raise InfraError("no answer after 4 tries", "user_error")

    env = CustomerServiceEnv(user=Dead())
    env.reset(seed=3)
    _, reward, terminated, truncated, info = env.step("Hello?")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["end_reason"], info["end_detail"]) == ("infra_error", "user_error: no answer after 4 tries")


def test_moments_hold_the_talk() -> None:
    env = CustomerServiceEnv(user=Free())
    env.reset(seed=3)
    env.step("What is your name?")
    moment = env.snapshot().to_bytes()
    (fork,) = env.fork(1)
    other = CustomerServiceEnv(user=Free())
    other.restore(moment)
    after = [one.step("And your postcode?") for one in (env, fork, other)]
    assert after[0] == after[1] == after[2]
    assert env.state.talk == other.state.talk
    assert len(env.state.talk) == 5
    assert env.state.talk[-1][1].startswith("Well, ")


def test_what_a_card_says_of_refusals_changes_and_second_requests() -> None:
    cards = ""
    for domain in ("retail", "airline", "telecom"):
        env = CustomerServiceEnv(domain=domain)
        for task in env.panel["test"]:
            env.reset(seed=0, options={"task": task.id})
            mine = env.card(env.state)
            sheet = env.state.case.sheet
            for goal in sheet.all_goals:
                assert all(value in mine for value in goal.facts.values())
                assert not any(tell.text in mine for tell in goal.tells if not _known(sheet, tell.text)), task.id
            cards += mine + "\n"
    for text in (
        "change your mind", "When it is refused: push back 1 time, then accept it", "push back 2 times",
        "ask for the next request instead", "To tell when asked:", "To find out:", "Request 2:",
    ):  # fmt: skip
        assert text in cards, text


def _known(sheet, text):
    """Whether a text that has to be told is also in what the customer knows."""
    return any(text in value for goal in sheet.all_goals for value in (*goal.facts.values(), *sheet.facts.values()))


def test_a_public_tasks_card_holds_its_scenario_and_no_message_is_a_fact() -> None:
    folder = os.environ.get("AGENTGYM_REFERENCE")
    if not folder:
        pytest.skip("AGENTGYM_REFERENCE is unset: it names the folder of reference data")
    user = Echo()
    env = CustomerServiceEnv(data_dir=os.path.join(folder, "data", "tau2-bench"), domain="retail", user=user)
    for task in [env.panel[split][0] for split in env.panel]:
        env.reset(seed=0, options={"task": task.id})
        for name, text in task.data["scenario"].items():
            assert not text or f"{name.replace('_', ' ')}: {text}" in env.card(env.state)
        env.step("Hello?")
        assert all(len(fact) <= 60 for fact in user.seen[-1][1].facts)
