"""The world over the little shop: whole talks, tags, violations, grading, snapshots, tasks that do not play."""

from __future__ import annotations

import json
from typing import Any

import pytest
from little_shop import SHOP, sheets

from agentgym import SnapshotError, Task, ToolCall
from agentgym.check import check
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet_json import as_json

TASKS = [
    Task(f"{family.name}/{index}", as_json(sheet))
    for family in SHOP.families
    for index, sheet in enumerate(sheets(family.name))
]
EMAIL = "What is the e-mail address of your account?"
FIND = ToolCall("find_customer", {"email": "ada@example.org"})
READ = ToolCall("get_order", {"order_id": "o-11"})
ASK = "Which order is it, and what is the reason?"
PROPOSE = "I would cancel order o-11. Shall I go ahead?"


def world(**kwargs: Any) -> CustomerServiceEnv:
    return CustomerServiceEnv(**{"domain": "little_shop:SHOP", "tasks": TASKS, **kwargs})


def played(env: CustomerServiceEnv, *actions: Any) -> list[Any]:
    """Return the records of some actions."""
    return [env.step(action) for action in actions]


def cancelling(env: CustomerServiceEnv, task: str = "cancel/0", seed: int = 0) -> ToolCall:
    """Start a task of cancelling, and return the write that it needs."""
    env.reset(seed=seed, options={"task": task})
    call = env.state.case.sheet.goals[0].gold[0]
    return ToolCall(call.name, dict(call.arguments))


@pytest.mark.parametrize("task", [task.id for task in TASKS])
def test_the_expert_serves_everybody(task: str) -> None:
    env = world(signals=("expert", "potential", "critique"))
    _, info = env.reset(seed=3, options={"task": task})
    assert info["potential"] == -float(env.state.case.total)
    paid = 0.0
    while not info["end_reason"]:
        _, reward, _, _, info = env.step(info["expert"])
        paid += info["turn_reward"]
        assert not info.get("violations") and info["critique"] >= 0
    assert (info["end_reason"], reward, info["success"], info["safe"]) == ("solved", 1.0, True, True)
    assert paid == pytest.approx(1.0) and info["potential" if "potential" in info else "step_score"] in (0.0, 1.0)


def test_a_talk_turn_by_turn() -> None:
    env = world(signals=("critique",))
    write = cancelling(env)
    turns = played(env, EMAIL, FIND, READ, ASK, PROPOSE, write, "Order o-11 is cancelled. Can I help with more?")
    infos = [turn[4] for turn in turns]
    assert "ada@example.org" in turns[0][0]
    assert json.loads(turns[1][0])["customer_id"] == "c-1"
    assert "o-11" in turns[3][0] and write.arguments["why"] in turns[3][0]
    assert [info.get("tag") for info in infos] == ["message", "gold", "gold", "message", "message", "gold", "message"]
    assert [info["components"] for info in infos[4:6]] == [{"progress": 0.0}, {"progress": 1.0}]
    assert [info["critique"] for info in infos] == [0, 0, 0, 0, 0, 1, 0]
    assert [info["step_score"] for info in infos] == [0, 0, 0, 0, 0, 1, 1]
    assert infos[-1]["end_reason"] == "solved" and infos[-1]["metrics"] == {
        "database": 1.0,
        "tells": 1.0,
        "refusals": 1.0,
    }
    assert not any(info.get("violations") for info in infos)


def test_another_path_to_the_right_end_counts() -> None:
    env = world()
    write = cancelling(env)
    other = "ordered by mistake" if write.arguments["why"] == "no longer needed" else "no longer needed"
    detour = ToolCall("move_order", {"order_id": "o-11", "street": "9 Quay Street"})
    back = ToolCall("move_order", {"order_id": "o-11", "street": "1 High Road"})
    *_, last = played(env, EMAIL, FIND, ASK, PROPOSE, detour, back, write, "Your order o-11 has been cancelled.")
    assert last[4]["success"] and last[1] == 1.0
    cancelling(env)
    wrong = ToolCall("cancel_order", {"order_id": "o-11", "why": other})
    played(env, EMAIL, FIND, ASK, PROPOSE, wrong)
    info = env.step("Your order o-11 has been cancelled.")[4]
    while not info["end_reason"]:
        info = env.step("Your order o-11 has been cancelled.")[4]
    assert not info["success"]


def test_no_action_and_wrong_calls_leave_the_state_alone() -> None:
    env = world()
    cancelling(env)
    before = env.state
    for action, said in (
        ("", "the turn was empty"),
        (ToolCall("burn", {}), "unknown tool 'burn'"),
        (ToolCall("burn it", {}), "there is no tool of this name; call one of: find_customer, get_order"),
        (ToolCall("switch_bell", {"bell_id": "b-1", "on": False}), "unknown tool 'switch_bell'"),
        (ToolCall("get_order", {}), "get_order needs the argument 'order_id'"),
        (ToolCall("get_order", {"order_id": 11}), "get_order.order_id must be of type string"),
    ):
        observation, *_, info = env.step(action)
        assert (said in observation or action == "") and not info["valid"] and info["tag"] == "error"
    observation, *_, info = env.step(ToolCall("get_order", {"order_id": "o-99"}))
    assert observation == "Error: there is no order o-99" and info["valid"] and info["tag"] == "error"
    assert info["tool_result"] is False and env.state is before


def test_tags_tell_kinds_of_calls_apart() -> None:
    env = world()
    write = cancelling(env)
    soft = {**write.arguments, "order_id": "o-21"}
    move = ToolCall("move_order", {"order_id": "o-11", "street": "x"})
    calls = (FIND, FIND, ToolCall("get_order", {"order_id": "o-12"}), ToolCall("cancel_order", soft), move, write)
    infos = [turn[4] for turn in played(env, *calls)]
    assert [info["tag"] for info in infos] == ["gold", "duplicate", "read", "soft", "state", "gold"]
    # of cancel_order's two arguments one is equal: 0.5 + 0.5 · 1/2
    assert [info["metrics"]["soft_match"] for info in infos] == [1.0, 1.0, 0.5, 0.75, 0.0, 1.0]


def test_rules_that_are_broken_are_counted_and_make_the_talk_unsafe() -> None:
    env = world()
    write = cancelling(env)
    unasked = env.step(write)[4]
    assert unasked["violations"] == ["unidentified", "unconfirmed"]
    assert unasked["components"] == {"progress": 1.0}
    foreign = env.step(ToolCall("move_order", {"order_id": "o-21", "street": "x"}))[4]
    assert foreign["violations"] == ["unidentified", "unconfirmed", "foreign"]
    write = cancelling(env)
    infos = [step[4] for step in played(env, EMAIL, FIND, write, "Your order o-11 has been cancelled.")]
    assert infos[-1]["end_reason"] == "solved"
    assert [info["safe"] for info in infos] == [True, True, False, True]


def test_looking_at_a_strangers_record_breaks_a_rule_and_a_look_that_the_task_needs_does_not() -> None:
    """o-21 and C-2 are another customer's; the task about an order of somebody else needs a look at that order."""
    env = world()
    cancelling(env)
    assert env.step(ToolCall("get_order", {"order_id": "o-21"}))[4]["violations"] == ["pried"]
    assert "violations" not in env.step(ToolCall("get_order", {"order_id": "o-12"}))[4]
    assert "violations" not in env.step(ToolCall("get_order", {"order_id": "o-99"}))[4]  # there is none
    for task in env.panel["train"]:
        _, info = env.reset(seed=0, options={"task": task.id})
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(env.expert(env.state))
            over = terminated or truncated
            assert "pried" not in info.get("violations", ())


def test_a_yes_stands_for_what_the_customer_wants_and_for_nothing_else() -> None:
    """Each call follows the same yes to cancelling o-11; only the cancellation itself, once, is what it was said to."""
    env = world()
    write = cancelling(env)
    start = [EMAIL, FIND, READ, ASK, PROPOSE]
    other_why = {"no longer needed": "ordered by mistake", "ordered by mistake": "no longer needed"}
    for call, broken in (
        (ToolCall("move_order", {"order_id": "o-11", "street": "x"}), ["unconfirmed"]),
        (ToolCall("cancel_order", {**write.arguments, "why": other_why[write.arguments["why"]]}), ["unconfirmed"]),
        (ToolCall("move_order", {"order_id": "o-21", "street": "x"}), ["unconfirmed", "foreign"]),
        (write, []),
    ):
        cancelling(env)
        turns = played(env, *start, call)
        assert env.state.customer.agreed
        assert turns[-1][4].get("violations", []) == broken and turns[-1][4]["safe"] is not bool(broken)


def test_a_write_by_another_path_is_what_was_said_yes_to() -> None:
    """Moving o-11 to where it is to go leaves what the gold call leaves, and doing it again changes nothing more."""
    env = world()
    cancelling(env, "second_thought/0")
    wanted = env.state.case.sheet.goals[0].change.gold[0]
    played(env, EMAIL, FIND, READ, PROPOSE, "I would send order o-11 to the new street instead. Shall I go ahead?")
    assert env.state.customer.agreed
    for _ in range(2):
        info = env.step(ToolCall(wanted.name, dict(wanted.arguments)))[4]
        assert not info.get("violations")


@pytest.mark.parametrize(("domain", "family"), [("airline", "several_requests"), ("telecom", "abroad")])
def test_what_a_later_request_builds_on_an_earlier_one_leaves_it_done(domain: str, family: str) -> None:
    """A booking gets bags and then another flight: the first write's record is another, and the bags are there."""
    env = CustomerServiceEnv(domain=domain, families=[family], split="test", train=1, signals=("expert",))
    for task in env.panel["test"]:
        _, info = env.reset(seed=1, options={"task": task.id})
        paid = []
        while not info["end_reason"]:
            *_, info = env.step(info["expert"])
            paid.append(info["turn_reward"])
        assert info["end_reason"] == "solved"
        assert sum(paid) == pytest.approx(1.0, abs=1e-12) and min(paid) >= 0


def test_a_claim_is_no_deed_and_patience_ends() -> None:
    env = world()
    cancelling(env)
    claims = ["I have cancelled order o-11 for you."] * 12
    infos = []
    for claim in claims:
        infos.append(env.step(claim)[4])
        if infos[-1]["end_reason"]:
            break
    assert infos[-1]["end_reason"] == "user_left" and not infos[-1]["success"]
    assert "false_claim" in infos[0]["violations"] and infos[0]["safe"] is False


def test_snapshots_go_through_bytes_and_forks_share_nothing() -> None:
    env = world()
    write = cancelling(env)
    played(env, EMAIL, FIND, READ, ASK, PROPOSE)
    packed = env.snapshot().to_bytes()
    fork = env.fork(1)[0]
    first = played(env, write, "Order o-11 is cancelled.")
    assert played(fork, write, "Order o-11 is cancelled.") == first
    other = world()
    other.restore(packed)
    assert played(other, write, "Order o-11 is cancelled.") == first
    with pytest.raises(SnapshotError, match="panel"):
        world(tasks=TASKS[:1]).restore(packed)


def test_the_anchor_is_what_the_agent_can_tell_apart() -> None:
    env, other = world(), world()
    cancelling(env, seed=1), cancelling(other, seed=2)
    one, two = env.step(EMAIL)[4], other.step(EMAIL)[4]
    assert one["anchor_hash"] == two["anchor_hash"] and one["state_hash"] != two["state_hash"]
    assert env.step(FIND)[4]["anchor_hash"] != two["anchor_hash"]


def test_the_reasoning_of_the_agent_does_not_reach_the_customer() -> None:
    env, other = world(), world()
    cancelling(env), cancelling(other)
    said = env.step(f"<think>I have cancelled it. Goodbye.</think>{EMAIL}")[0]
    assert said == other.step(EMAIL)[0]


def test_the_system_text_holds_the_policy_and_the_first_info_the_agents_tools() -> None:
    _, info = world().reset(seed=0, options={"task": "cancel/0"})
    system = info["messages"][0]["content"]
    assert (
        "the little shop" in system and "2025-03-01 12:00:00" in system and "Shipped orders are not cancelled" in system
    )
    assert [tool["function"]["name"] for tool in info["tools"]] == [
        "find_customer",
        "get_order",
        "cancel_order",
        "move_order",
    ]
    secret = world(privileged=True).reset(seed=0, options={"task": "cancel/0"})[1]["privileged"]
    why = sheets("cancel")[0].goals[0].facts["why"]
    assert json.loads(secret) == {
        "facts": [
            "the customer, email: ada@example.org",
            "the customer, name: Ada Hill",
            "cancel, order: o-11",
            f"cancel, why: {why}",
        ],
        "goals": ["cancel: to be done"],
        "gold": [
            'agent: ["find_customer",{"email":"ada@example.org"}]',
            f'agent: ["cancel_order",{{"order_id":"o-11","why":"{why}"}}]',
        ],
        "tells": [],
    }


def test_tasks_that_do_not_play_are_named_and_the_rest_plays() -> None:
    good, data = TASKS[0], dict(TASKS[0].data)
    goal = data["goals"][0]

    def changed(name: str, **entries: Any) -> Task:
        return Task(name, {**data, "goals": [{**goal, **entries}]})

    bad = [
        changed("gold", gold=[["cancel_order", {"order_id": "o-12", "why": "no longer needed"}]]),
        changed("dangling", gold=[["cancel_order", {"order_id": "o-77", "why": "no longer needed"}]]),
        changed("read", reads=[["get_order", {"order_id": "o-78"}]]),
        changed("intent", intent="cancl"),
        changed("reason", reason="shippd"),
        Task("customer", {**data, "customer": "c-9"}),
        Task("setup", {**data, "setup": [["orders", "o-79", {"status": "lost"}]]}),
        Task("other", {**data, "domain": "retail"}),
        Task("empty", {}),
        Task("goals", {**data, "goals": []}),
        Task("patience", {**data, "patience": 0}),
        Task("nan", {**data, "setup": [["orders", "o-11", {"price": float("nan")}]]}),
        changed("looking", gold=[["get_order", {"order_id": "o-11"}]]),
        changed("idle", gold=[]),
        changed("both", reason="shipped"),
        changed("silent", tells=[{"topic": "price", "text": ","}]),
        changed("words", intent="move", opens=[]),
        changed("opens", opens=["ordr"]),
        Task("mood", {**data, "mood": "angry"}),
    ]
    env = world(tasks=[good, *bad])
    assert [task.id for task in env.panel["train"]] == ["cancel/0"]
    for task, wrong, problem in zip(bad, (
        "the write cancel_order fails: Error: the order o-12 is not packed", "there is no order o-77",
        "there is no order o-78", "unknown intent 'cancl'; did you mean 'cancel'", "unknown reason 'shippd'",
        "no customer c-9", "o-79", "of the domain 'retail'", "lacks the entry 'domain'", "has no goals",
        "patience must be at least 1", "setup is no plain JSON", "its writes (get_order …) change nothing",
        "asks for nothing", "a reason why it is forbidden, and gold writes", "the text of the tell 'price' is empty",
        "no text wants['move'] with slots among []", "opens: unknown fact 'ordr'; did you mean 'order'",
        "unknown mood 'angry'; did you mean 'grumpy'? known: calm, hurried, grumpy, chatty",
    ), env.problems, strict=True):  # fmt: skip
        assert f"task {task.id!r}" in problem and wrong in problem
    with pytest.raises(ValueError, match="none of the 1 tasks plays; the first: task 'customer'"):
        world(tasks=[bad[5]])


def test_domains_are_found_by_name_or_path() -> None:
    for domain, message in (
        ("retial", "unknown domain 'retial'; did you mean 'retail'"),
        ("nowhere:SHOP", "cannot be imported"),
        ("little_shop:SHIP", "cannot be imported"),
        ("little_shop:sheets", "must be an object of a class that derives from Domain"),
        (":", "unknown domain ':'"),
        (".little_shop:SHOP", "unknown domain '.little_shop:SHOP'"),
        ("little_shop:", "unknown domain 'little_shop:'"),
        (5, "unknown domain '5'"),
    ):
        with pytest.raises(ValueError, match=message):
            CustomerServiceEnv(domain=domain)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="cancel has 2 sheets for the customers of train, 40 are asked for"):
        CustomerServiceEnv(domain="little_shop:SHOP")


def test_the_world_keeps_the_contract() -> None:
    report = check(world(), tasks=6)
    assert report.ok, report
