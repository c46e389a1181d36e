"""Every recorded call of the official tools: the same output, error and changes, and the same state at the end."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from hashlib import sha256
from typing import Any

import pytest
from tau_oracle import SETS, changed, data, exact, read_json, records, reference

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.official.telecom_data import user_dump
from agentgym.envs.customer_service.official.telecom_setup import holds, prepare

pytestmark = reference

FRESH = {
    "retail": "b25c9cb211f5efcaee5dd646054a73c4a9f43f4f5acc32c10713cd9f9ac20e9c",
    "airline": "7d1714e959830778e6b38d63428b660ef6c9009261f0adaa178adb97bfb469d6",
}


@cache
def fresh(name: str) -> Database:
    """The database that the records of a domain start from."""
    if name == "retail":
        raw = read_json(data("tau2-bench/retail/db.json"))
    else:
        raw = {
            table: read_json(data(f"tau-bench/airline/{table}.json")) for table in ("flights", "users", "reservations")
        }
        raw["users"] = {key: {**user, "user_id": key} for key, user in raw["users"].items()}
    domain = DOMAINS[name]
    checked = {table: {key: model(raw[table][key]) for key in raw[table]} for table, model in domain.models.items()}
    return domain.build(checked)


def differences(name: str, before: Database, after: Database) -> dict[str, dict[str, Any]]:
    """table → id → new record, in the shape of the official dump."""
    found: dict[str, dict[str, Any]] = {**after.changes(before)}
    days = found.pop("days", {})
    if days:
        numbers = sorted({key.partition(" ")[0] for key in days})
        whole = {number: _flight(after, number) for number in numbers}
        found["flights"] = whole
    return found


def _flight(database: Database, number: str) -> dict[str, Any]:
    days = {key.partition(" ")[2]: record for key, record in database["days"].items() if key.startswith(f"{number} ")}
    return {**database["flights"][number], "dates": days}


@pytest.mark.parametrize("name", sorted(FRESH))
@pytest.mark.parametrize("kind", SETS)
def test_every_recorded_call(name: str, kind: str) -> None:
    domain = DOMAINS[name]
    played = 0
    for record in records(name, kind):
        database = fresh(name)
        for call in record["calls"]:
            found = domain.tools.call(database, call["tool"], call["args"])
            where = f"{record['id']} {call['tool']} {call['args']}"
            assert (found.error, found.kind) == (call["error"], call["error_kind"]), where
            assert exact(differences(name, database, found.database)) == exact(call["changed"]), where
            if call["error_kind"] in ("ok", "domain_error"):  # the others' words are Python's
                assert found.text == call["output"], where
            database = found.database
            played += 1
        assert exact(differences(name, fresh(name), database)) == exact(record["final_changed"]), record["id"]
    assert played > 50


@pytest.mark.parametrize("name", sorted(FRESH))
def test_the_official_hash_of_the_fresh_database_and_of_end_states(name: str) -> None:
    domain = DOMAINS[name]
    assert domain.official_hash(fresh(name)) == FRESH[name]
    some = list(records(name, "sequences"))[::30]
    for record in some:
        database = fresh(name)
        for call in record["calls"]:
            database = domain.tools.call(database, call["tool"], call["args"]).database
        assert domain.official_hash(database) == record["db_hash"], record["id"]
        assert exact(changed(domain.dump(fresh(name)), domain.dump(database))) == exact(record["final_changed"])


# ---- Telecom: two sides, a start that is prepared, and one random id ---------------------------------------------


@cache
def phones() -> Database:
    domain = DOMAINS["telecom"]
    raw = tomllib.loads(data("tau2-bench/telecom/db.toml").read_text("utf-8"))
    user = tomllib.loads(data("tau2-bench/telecom/user_db.toml").read_text("utf-8"))
    tables = {name: {row[domain.keys[name]]: model(row) for row in raw[name]} for name, model in domain.models.items()}
    return domain.build(
        {**tables, "user": {key: model(user.get(key, {})) for key, model in domain.user_models.items()}}
    )


def plain(value: Any) -> str:
    """A value as text, without the ids of bills that the official tools draw by chance."""
    return re.sub(r'"Bf[0-9a-f]{7}"', '"B*"', exact(value))


def of_both(before: Database, after: Database) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {**after.changes(before)}
    if "user" in found:
        found["user"].pop("vpn", None)  # stands for an official fault outside the database
    return {table: rows for table, rows in found.items() if rows}


def started(record: dict[str, Any]) -> Database:
    database = phones()
    for action in record["init"]:
        database = prepare(database, action["env_type"], action["func_name"], action["arguments"])
    return database


def asserted(database: Database, record: dict[str, Any]) -> list[bool]:
    return [holds(database, one["env_type"], one["func_name"], one["arguments"]) for one in record["assertions"]]


@pytest.mark.parametrize("kind", SETS)
def test_every_recorded_call_of_both_sides_of_telecom(kind: str) -> None:
    for record in records("telecom", kind):
        start = database = started(record)
        if kind == "tasks":
            assert plain(of_both(phones(), start)) == plain(record["init_changed"]), record["id"]
            assert asserted(start, record) == record["assertions_before"], record["id"]
        for call in record["calls"]:
            found = DOMAINS["telecom"].call(database, call["tool"], call["args"], call["requestor"])
            where = f"{record['id']} {call['tool']} {call['args']}"
            assert (found.error, found.kind) == (call["error"], call["error_kind"]), where
            assert plain(of_both(database, found.database)) == plain(call["changed"]), where
            if call["error_kind"] in ("ok", "domain_error"):
                assert found.text == call["output"], where
            database = found.database
        assert plain(of_both(start, database)) == plain(record["final_changed"]), record["id"]
        if kind == "tasks":
            assert asserted(database, record) == record["assertions_after"], record["id"]
        user = sha256(json.dumps(user_dump(database), sort_keys=True).encode()).hexdigest()
        assert user == record["user_db_hash"], record["id"]
        if not any(key.startswith("Bf") for key in database["bills"]):
            assert DOMAINS["telecom"].official_hash(database) == record["db_hash"], record["id"]
