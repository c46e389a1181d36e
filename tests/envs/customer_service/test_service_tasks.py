"""Panels: sheets drawn customer by customer, splits without a customer in common, as many train tasks as wanted."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from little_shop import SHOP

from agentgym.digest import state_hash
from agentgym.envs.customer_service.domain import Family
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import Goal, Sheet
from agentgym.envs.customer_service.sheet_json import as_json, read_sheet
from agentgym.envs.customer_service.tasks import DOMAINS, SIZES, customers_of, domain_of, drawn, panel_of
from agentgym.task import Task

TELECOM = domain_of("telecom")
README = Path(__file__).parents[3] / "envs/customer_service/README.md"


def test_of_ten_customers_one_plays_in_dev_two_in_test_seven_in_train() -> None:
    # the little shop's four customers have the indexes 0 to 3
    assert [customers_of(SHOP, split) for split in ("dev", "test", "train")] == [("c-1",), ("c-2", "c-3"), ("c-4",)]


def test_a_family_yields_each_sheet_once_and_ends_when_none_is_new() -> None:
    cancel = SHOP.families[0]
    sheets = list(drawn(SHOP, cancel, "test"))
    # two customers, two reasons each; the second thought has two streets
    assert len(sheets) == 4 == len({state_hash(as_json(sheet)) for sheet in sheets})
    assert sheets == list(drawn(SHOP, cancel, "test"))
    assert not list(drawn(SHOP, Family("never", lambda database, customer, rng: None), "test"))


def test_a_draw_may_refuse_a_customer() -> None:
    def draw(database: object, customer: str, rng: object) -> Sheet | None:
        return Sheet("little_shop", "picky", customer, {}, (Goal("cancel"),)) if customer == "c-3" else None

    assert [sheet.customer for sheet in drawn(SHOP, Family("picky", draw), "test")] == ["c-3"]


def test_a_panel_has_every_family_in_every_split_and_no_customer_in_two() -> None:
    panel = panel_of(TELECOM)
    families = [family.name for family in TELECOM.families]
    assert len(families) >= 12 and len(panel["test"]) >= 100
    seen: dict[str, set[str]] = {}
    for split, size in SIZES.items():
        assert [task.id for task in panel[split]] == [
            f"telecom/{name}/{split}/{index}" for name in families for index in range(size)
        ]
        seen[split] = {task.data["customer"] for task in panel[split]}
    assert not seen["train"] & seen["test"] and not seen["train"] & seen["dev"] and not seen["dev"] & seen["test"]
    contents = [state_hash(dict(task.data)) for split in panel for task in panel[split]]
    assert len(set(contents)) == len(contents)


def test_more_train_tasks_go_on_where_fewer_end() -> None:
    family = TELECOM.families[0]
    few, many = (list(islice(drawn(TELECOM, family, "train"), count)) for count in (5, 60))
    assert many[:5] == few and len({state_hash(as_json(sheet)) for sheet in many}) == 60
    assert len(panel_of(TELECOM, 45)["train"]) == 45 * len(TELECOM.families)


def test_some_families_alone_have_the_tasks_that_they_have_among_all() -> None:
    names = [family.name for family in TELECOM.families]
    some = panel_of(TELECOM, 1, (names[3], names[0]))
    whole = panel_of(TELECOM)
    for split in some:
        for task in some[split]:
            assert task == whole.task(task.id)
    assert [task.id for task in some["train"]] == [f"telecom/{names[0]}/train/0", f"telecom/{names[3]}/train/0"]
    world = CustomerServiceEnv(domain="telecom", families=names[:1], train=1)
    assert len(world.panel["test"]) == SIZES["test"]
    with pytest.raises(ValueError, match=rf"unknown family 'x{names[0]}' of telecom; did you mean '{names[0]}'"):
        panel_of(TELECOM, 1, (f"x{names[0]}",))
    with pytest.raises(ValueError, match="names none"):
        CustomerServiceEnv(domain="telecom", families=())
    with pytest.raises(ValueError, match="families="):
        CustomerServiceEnv(families=names[:1], tasks=[Task("one", {})])


@pytest.mark.parametrize("train", [0, -1, True, None, 2.0, "3", 10**9])
def test_so_many_train_tasks_there_cannot_be(train: object) -> None:
    with pytest.raises(ValueError, match="train must be an integer from 1 to 100,000"):
        panel_of(SHOP, train)  # type: ignore[arg-type]


def test_one_family_is_a_list_of_one() -> None:
    with pytest.raises(ValueError, match=r"write \['cancel'\]"):
        CustomerServiceEnv(domain="little_shop:SHOP", families="cancel")


@pytest.mark.parametrize("name", ["telecom"])
def test_shipped_sheets_read_back(name: str) -> None:
    for task in panel_of(domain_of(name))["dev"]:
        assert as_json(read_sheet(task.data)) == task.data


@pytest.mark.parametrize("name", DOMAINS)
def test_the_table_of_domains_counts_what_is_there(name: str) -> None:
    domain, lines = domain_of(name), README.read_text("utf-8").splitlines()
    _, _, _, families, records, tools, _ = next(line for line in lines if line.startswith(f"| `{name}` |")).split("|")
    assert (int(families), int(tools)) == (len(domain.families), len(domain.tools))
    held = sorted(f"{len(list(table)):,}" for table in domain.database.values())
    total, *some = [word for word in records.replace(":", "").split() if word[0].isdigit()]
    assert total == f"{sum(len(list(table)) for table in domain.database.values()):,}"
    assert some and set(some) <= set(held)
