"""Readers of tau2-bench and tau-bench: small folders, good and bad, and the real sets where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tau_airfield
import tau_shop
from tau_airfield import airfield
from tau_folders import AWAY, CANCEL, DATA_OFF, DATA_WORKS, READ, on_phone, task, tau2, tau_bench, write
from tau_oracle import data as real
from tau_oracle import exact, records, reference
from tau_phone import company

from agentgym import data
from agentgym.data import Source
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.sources import load_source, open_database, policy
from agentgym.envs.customer_service.sources.entries import begin
from agentgym.envs.customer_service.sources.links import dangling
from agentgym.errors import DataError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tau_bench(tmp_path / "tau-bench")
    return tau2(tmp_path / "tau2-bench")


def ids(source: Source) -> dict[str, list[str]]:
    return {split: [task.id for task in source.panel[split]] for split in source.panel}


def problems(source: Source) -> list[str]:
    return [str(problem) for problem in source.problems]


def retail(folder: Path, *tasks: Any) -> Source:
    """The set with these retail tasks; retail/0 always plays."""
    write(folder / "retail/tasks.json", [task("0", READ), *tasks])
    return data.read("tau2", folder)


# ---- What plays --------------------------------------------------------------------------------------------------


def test_tau2s_layout(folder: Path) -> None:
    source = data.read("tau2", folder)
    assert ids(source) == {
        "train": ["retail/0"],
        "test": ["airline/0", "retail/1"],  # airline has no file of splits
        "small": ["telecom/off"],
    }
    assert problems(source) == [] and source.items == 4
    assert "../tau-bench/airline/users.json" in source.files and "retail/db.json" in source.files


def test_a_task_holds_what_playing_and_grading_need(folder: Path) -> None:
    source = data.read("tau2", folder)
    held = source.panel.task("retail/0").data
    assert held["scenario"] == {
        "reason_for_call": "You want help.", "known_info": "You are Ada.", "unknown_info": "", "task_instructions": "",
        "persona": "", "ticket": "",
    }  # fmt: skip
    assert held["gold"][1] == {"side": "assistant", **CANCEL, "compare": None}
    assert held["basis"] == ["DB", "COMMUNICATE"]  # the older schema
    shop = open_database(source, source.panel.task("retail/0"))
    assert shop == tau_shop.shop() and held["start"] == held["content"] == shop.digest
    after = DOMAINS["retail"].call(shop, "cancel_pending_order", CANCEL["arguments"]).database
    assert held["end"] == after.digest != held["start"]
    assert source.panel.task("retail/1").data["end"] == held["start"]
    assert json.loads(json.dumps(held)) == held


def test_databases_are_opened_once_and_made_of_whatever_files_hold_them(folder: Path) -> None:
    source = data.read("tau2", folder)
    flights = open_database(source, source.panel.task("airline/0"))
    assert flights == airfield() and flights is open_database(source, source.panel.task("airline/0"))
    phone = source.panel.task("telecom/off")
    base = open_database(source, phone)
    off = begin(base, phone.data["prepare"])
    assert off["user"]["device"]["data_enabled"] is False and off.digest == phone.data["start"] != base.digest


def test_policies_are_read_in_their_order(folder: Path) -> None:
    source = data.read("tau2", folder)
    assert policy(source, "retail") == "# Be kind\n"
    assert policy(source, "telecom") == "# Phones\n\n# Manual\n"


def test_tau2s_repository_is_read_too(folder: Path, tmp_path: Path) -> None:
    inner = tmp_path / "clone" / "data" / "tau2"
    inner.mkdir(parents=True)
    folder.rename(inner / "domains")
    assert data.read("tau2", tmp_path / "clone").items == 4


def test_a_set_of_tasks_alone_takes_the_rest_from_beside(folder: Path, tmp_path: Path) -> None:
    verified = tmp_path / "tau2-bench-verified"
    write(verified / "retail/tasks.json", [task("0", CANCEL), task("1")])
    source = data.read("tau2", verified)
    assert ids(source) == {"train": ["retail/0"], "test": ["retail/1"]} and problems(source) == []
    assert policy(source, "retail") == "# Be kind\n"
    assert open_database(source, source.panel.task("retail/0")) == tau_shop.shop()


def test_tau_bench_plays_its_database_with_tau2s_tasks(folder: Path, tmp_path: Path) -> None:
    source = data.read("tau-bench", tmp_path / "tau-bench")
    assert ids(source) == {"test": ["airline/0"]} and source.panel.name == "tau-bench"
    held = open_database(source, source.panel.task("airline/0"))  # records as the files have them
    user = {key: item for key, item in tau_airfield.RAW["users"]["ada"].items() if key != "user_id"}
    assert dict(held["users"]) == {"ada": user}
    assert dict(held["reservations"]) == tau_airfield.RAW["reservations"]
    with pytest.raises(DataError, match="holds no database of tau-bench, such as airline"):
        data.read("tau-bench", tmp_path)
    (folder / "airline/tasks.json").unlink()
    with pytest.raises(DataError, match="holds no file of tasks; looked for airline"):
        data.read("tau-bench", tmp_path / "tau-bench")


def test_telecoms_files_overlap_and_the_first_that_names_a_task_counts(folder: Path) -> None:
    write(folder / "telecom/tasks.json", [on_phone("new", DATA_OFF, env_assertions=[])])
    write(folder / "telecom/tasks_full.json", [on_phone("new"), on_phone("off")])
    source = data.read("tau2", folder)
    assert ids(source)["small"] == ["telecom/off"] and ids(source)["test"][-1] == "telecom/new"
    assert source.items == 5
    assert (
        len(source.panel.task("telecom/new").data["prepare"]) == 2 and not source.panel.task("telecom/off").data["gold"]
    )


def test_a_set_that_was_added_is_found_by_name(folder: Path) -> None:
    data.add("tau2", folder, name="mine")
    source = load_source("mine")
    assert source.panel.hash == load_source(folder=folder).panel.hash
    assert load_source(folder=folder.parent / "tau-bench").kind == "tau-bench"
    assert open_database(source, source.panel.task("retail/0")) == tau_shop.shop()
    with pytest.raises(ValueError, match="not neither"):
        load_source()
    with pytest.raises(ValueError, match="not both"):
        load_source("mine", folder)


def test_a_set_of_another_world_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(data.SETS, "songs", data.SETS["tau2"])
    data.add("songs", folder)
    with pytest.raises(ValueError, match="unknown kind of customer service 'songs'"):
        load_source("songs")


def test_a_database_that_has_changed_is_refused(folder: Path) -> None:
    source = data.read("tau2", folder)
    chosen = source.panel.task("retail/0")
    write(folder / "retail/db.json", {**tau_shop.RAW, "orders": {}})
    with pytest.raises(DataError, match="has changed since it was checked"):
        open_database(source, chosen)
    (folder / "retail/db.json").unlink()
    with pytest.raises(DataError, match="the database of retail, needed by retail/0, is gone"):
        open_database(source, chosen)


# ---- What does not -----------------------------------------------------------------------------------------------

BAD: list[tuple[Any, str]] = [
    (5, "task number 1: it is 5, no object"),
    ({"id": 7}, "task number 1: its id is 7, no text"),
    (task("0"), "task '0': its id is that of task number 0"),
    ({**task("x"), "evaluation_criteria": None}, "task 'x': it has no evaluation_criteria"),
    ({**task("x"), "user_scenario": {}}, "task 'x': it tells the customer nothing"),
    (task("x", {"name": "get_order_details"}), "evaluation_criteria.actions: action lacks the field 'arguments'"),
    (task("x", {**READ, "name": "get_order"}), "unknown tool 'get_order' of the assistant in a gold action; did"),
    (task("x", {**READ, "requestor": "user"}), "unknown tool 'get_order_details' of the user in a gold action;"),
    (task("x", reward_basis=["LUCK"]), "task 'x': evaluation_criteria.reward_basis: one of 'DB', 'ENV_ASSERTION'"),
    (task("x", communicate_info=[5]), "task 'x': evaluation_criteria.communicate_info: a text is needed, not 5"),
    (task("x", env_assertions=[DATA_WORKS]), "unknown assertion 'assert_mobile_data_status' of the user; known: none"),
    ({**task("x"), "initial_state": {"message_history": [{}]}}, "task 'x': its initial_state has message_history"),
    ({**task("x"), "initial_state": {"clock": 1}}, "task 'x': its initial_state has other keys than"),
]  # fmt: skip


@pytest.mark.parametrize("bad, message", BAD)
def test_a_bad_task_is_named_and_the_others_play(folder: Path, bad: Any, message: str) -> None:
    source = retail(folder, bad, task("1"))
    found = [problem for problem in problems(source) if problem.startswith("retail/tasks.json, ")]
    assert len(found) == 1 and message in found[0] and "(it plays)" not in found[0]
    assert ids(source)["train"] == ["retail/0"] and "retail/1" in ids(source)["test"] and source.items == 5


def test_a_gold_action_that_fails_is_kept_and_reported(folder: Path) -> None:
    source = retail(folder, task("1", {**CANCEL, "arguments": {**CANCEL["arguments"], "order_id": "#9"}}, READ))
    assert problems(source) == [
        "retail/tasks.json, task '1': its gold action 0, cancel_pending_order, fails (Order not found); "
        "the end state is what it leaves (it plays)"
    ]
    assert len(source.panel.task("retail/1").data["gold"]) == 2


@pytest.mark.parametrize(
    "entry, message",
    [
        (
            on_phone("x", {**DATA_OFF, "func_name": "turn_it_off"}),
            "unknown initialization action 'turn_it_off' of the user",
        ),
        (
            on_phone("x", {**DATA_OFF, "arguments": {"a": 1}}),
            "its initialization action turn_data_off fails (TypeError",
        ),
        (
            on_phone("x", env_assertions=[{**DATA_WORKS, "arguments": {}}]),
            "its assertion assert_mobile_data_status fails",
        ),
    ],
)
def test_a_phone_that_cannot_be_prepared_or_asked(folder: Path, entry: Any, message: str) -> None:
    write(folder / "telecom/tasks_small.json", [entry])
    source = data.read("tau2", folder)
    assert len(source.problems) == 1 and message in problems(source)[0] and not source.problems[0].plays


def test_an_assertion_that_the_gold_actions_miss_is_reported(folder: Path) -> None:
    write(folder / "telecom/tasks_small.json", [on_phone("off", DATA_OFF)])
    source = data.read("tau2", folder)
    assert "after its gold actions assert_mobile_data_status does not hold" in problems(source)[0]
    assert source.problems[0].plays and "telecom/off" in ids(source)["small"]


@pytest.mark.parametrize(
    "text, message",
    [("[", "it is no JSON (Expecting value"), ("{}", "it holds a dict, no list of tasks"),
     ('[{"id": NaN}]', "it is no JSON (it holds NaN)"), ("[" * 100_000, "it is no JSON")],
)  # fmt: skip
def test_a_file_of_tasks_that_is_none(folder: Path, text: str, message: str) -> None:
    write(folder / "retail/tasks.json", text)
    source = data.read("tau2", folder)
    assert ids(source) == {"test": ["airline/0"], "small": ["telecom/off"]}
    assert problems(source)[0].startswith(f"retail/tasks.json: {message}")


def test_records_that_are_no_records_or_lead_nowhere(folder: Path) -> None:
    orders = {
        **tau_shop.RAW["orders"],
        "#5": {**tau_shop.RAW["orders"]["#1"], "status": "lost"},
        "#6": {**tau_shop.RAW["orders"]["#1"], "user_id": "eve"},
    }
    users = {**tau_shop.RAW["users"], "bob": {**tau_shop.RAW["users"]["bob"], "orders": ["#9"]}}
    write(folder / "retail/db.json", {**tau_shop.RAW, "orders": orders, "users": users})
    found = problems(data.read("tau2", folder))
    assert found[0].startswith("retail/db.json, orders '#5': Order.status: one of 'processed', 'pending'")
    assert found[1:] == [
        "retail/db.json, users 'bob': it names order '#9', which is not there; mend the record (it plays)",
        "retail/db.json, orders '#6': it names user 'eve', which is not there; mend the record (it plays)",
    ]


def test_links_of_the_other_domains(folder: Path) -> None:
    write(folder.parent / "tau-bench/airline/users.json", {})
    lines = (folder / "telecom/db.toml").read_text("utf-8").replace('"P1", device_id = "D1"', '"P9", device_id = "D9"')
    write(folder / "telecom/db.toml", lines.replace('bill_ids = ["B1", "B2"]', 'bill_ids = ["B1", "B8"]'))
    found = "\n".join(problems(data.read("tau2", folder)))
    assert "airline/flights.json, reservations 'R1': it names user 'ada', which is not there" in found
    for link in ("plan_id 'P9'", "device_id 'D9'", "bill_ids 'B8'"):
        assert f"it names {link}, which is not there" in found


def test_every_kind_of_link_is_followed() -> None:
    shops, flights, phones = tau_shop.shop(), airfield(), company()
    order, ada = shops["orders"]["#1"], shops["users"]["ada"]
    lamp = {**order["items"][1], "item_id": "l9"}
    trip = flights["reservations"]["R1"]
    found = [
        *dangling("retail", shops.set("orders", "#1", {**order, "items": [lamp]})),
        *dangling("retail", shops.set("users", "ada", {**ada, "payment_methods": {}})),
        *dangling("airline", flights.set("users", "ada", {**flights["users"]["ada"], "reservations": ["R9"]})),
        *dangling("airline", flights.remove("days", "F1 2024-05-20")),
        *dangling("airline", flights.set("reservations", "R1", {**trip, "user_id": "eve"})),
        *dangling("telecom", phones.remove("customers", "C1")),
    ]
    assert found == [
        ("orders", "#1", "item 'l9' of product 'p2'"),
        *(("orders", key, f"payment method {name!r}") for key, name in zip(
            ("#1", "#2", "#3", "#4"), ("card", "paypal", "gift", "card"), strict=True)),
        ("users", "ada", "reservation 'R9'"),
        ("reservations", "R1", "flight F1 on 2024-05-20"),
        ("reservations", "R1", "user 'eve'"),
        ("bills", "B3", "customer_id 'C1'"),
    ]  # fmt: skip


def test_dates_days_and_cabins_that_are_none(folder: Path) -> None:
    raw = (folder / "telecom/db.toml").read_text("utf-8")
    write(folder / "telecom/db.toml", raw.replace("2025-01-15T10:30:00", "soon").replace("2025-03-01", "2025-02-30"))
    flights = json.loads((folder.parent / "tau-bench/airline/flights.json").read_text("utf-8"))
    flights["F1"]["dates"]["2024-05-20"] = {"status": "lost"}
    flights["F2"]["dates"]["2024-05-20"]["prices"]["first"] = 900
    write(folder.parent / "tau-bench/airline/flights.json", flights)
    found = "\n".join(problems(data.read("tau2", folder)))
    assert "flights 'F1': Flight.dates: a day of status available, landed, " in found
    assert "flights 'F2': Flight.dates: Available.prices: the cabins are business, economy, basic_economy" in found
    assert "customers 'C2': Customer.created_at: a time is needed, not 'soon'" in found
    assert "bills 'B3': Bill.period_start: a date is needed, not '2025-02-30'" in found


def test_a_scenario_may_be_one_text(folder: Path) -> None:
    source = retail(folder, {**task("1"), "user_scenario": {"persona": "Calm", "instructions": "Ask."}, "ticket": "T"})
    held = source.panel.task("retail/1").data["scenario"]
    assert {name: text for name, text in held.items() if text} == {
        "task_instructions": "Ask.", "persona": "Calm", "ticket": "T",
    }  # fmt: skip


def test_a_file_of_splits_that_is_none_leaves_all_in_test(folder: Path) -> None:
    write(folder / "retail/split_tasks.json", {"train": "0", "test": [5]})
    assert ids(data.read("tau2", folder))["test"] == ["airline/0", "retail/0", "retail/1"]


def test_databases_that_are_missing_or_broken_cost_their_domain_alone(folder: Path) -> None:
    (folder.parent / "tau-bench/airline/users.json").unlink()
    write(folder / "retail/db.json", "[]")
    write(folder / "telecom/user_db.toml", "device = ")
    with pytest.raises(DataError, match="none of 4 items of tau2 plays"):
        data.read("tau2", folder)
    write(folder / "retail/db.json", tau_shop.RAW)
    found = problems(data.read("tau2", folder))
    assert found[0].startswith(
        "airline: there is no database (db.json or flights.json and users.json and reservations.json)"
    )
    assert found[1].startswith("telecom/user_db.toml: it is no TOML")


def test_a_missing_policy_is_reported(folder: Path) -> None:
    (folder / "retail/policy.md").unlink()
    source = data.read("tau2", folder)
    assert problems(source) == ["retail/policy.md: it is missing; put it there for the agent (it plays)"]
    assert policy(source, "retail") == ""


def test_a_phone_that_is_no_phone_is_as_by_default(folder: Path) -> None:
    write(folder / "telecom/user_db.toml", "device = {battery_level = 'full'}\n")
    source = data.read("tau2", folder)
    assert problems(source)[0].startswith(
        "telecom/user_db.toml, device: MockPhoneAttributes.battery_level: a whole number"
    )
    assert open_database(source, source.panel.task("telecom/off"))["user"]["device"]["battery_level"] == 80


# ---- The real sets -----------------------------------------------------------------------------------------------


@reference
def test_the_real_tau2(folder: Path) -> None:
    source = data.read("tau2", real("tau2-bench"))
    assert {split: len(tasks) for split, tasks in ids(source).items()} == {"train": 104, "test": 60, "small": 20}
    assert all(problem.plays and "gold action" in problem.wrong for problem in source.problems)
    assert len(source.problems) == 18  # 16 lookups of the retail golds miss, 2 exchanges are refused
    assert all(policy(source, domain).startswith("# ") for domain in DOMAINS)
    for domain in DOMAINS:
        for record in records(domain, "tasks"):
            chosen = source.panel.task(f"{domain}/{record['task_id']}")
            gold = [(action["side"], action["name"], action["arguments"]) for action in chosen.data["gold"]]
            made = [(call.get("requestor", "assistant"), call["tool"], call["args"]) for call in record["calls"]]
            assert exact(gold) == exact(made), chosen.id  # their end states: test_tau_records


@reference
def test_the_real_verified_tasks_and_tau_bench() -> None:
    verified = data.read("tau2", real("tau2-bench-verified"))
    assert {split: len(tasks) for split, tasks in ids(verified).items()} == {"train": 104, "test": 60}
    assert verified.panel.task("retail/0").data["basis"] == ["DB", "COMMUNICATE"]
    assert all(problem.plays for problem in verified.problems)
    # FIXES.md, task 44 of airline: S61CZX is cancelled no more.
    assert all(action["arguments"].get("reservation_id") != "S61CZX" or action["name"] != AWAY["name"]
               for action in verified.panel.task("airline/44").data["gold"])  # fmt: skip
    first = data.read("tau-bench", real("tau-bench"))
    assert {split: len(tasks) for split, tasks in ids(first).items()} == {"train": 30, "test": 20}
    assert first.problems == ()
