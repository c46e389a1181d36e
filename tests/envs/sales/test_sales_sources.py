"""Public data: listings to bargain over, and recorded talks; small folders in their layouts, and the samples."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentgym import Task, ToolCall, TurnBatch, data
from agentgym.envs.sales import value
from agentgym.envs.sales.env import SalesEnv
from agentgym.envs.sales.negotiation import FLOOR, buyer, case_of_listing
from agentgym.envs.sales.sources import load_source, persuasion
from agentgym.errors import DataError

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
needs_samples = pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE names no folder of samples")


def listing(key: str, **changes: Any) -> dict[str, Any]:
    return {
        "post_id": key, "title": f"Road bike {key}", "price": 300, "category": "bike",
        "description": ["Steel frame.", "Rides <b>well</b>."], "item": "good", "attrs": {}, **changes,
    }  # fmt: skip


def folder_of(place: Path, *listings: Any) -> Path:
    (place / "craigslist_bike.json").write_text(json.dumps(list(listings)))
    return place


# ---- listings --------------------------------------------------------------------------------------------------------


def test_listings_play_and_bad_ones_are_named(tmp_path: Path) -> None:
    bad = [
        (listing("2", price=1), "its price is 1"), (listing("3", price="100"), "its price is '100'"),
        (listing("4", title=" "), "it has no title"), (listing("5", category="boat"), "category"),
        ({**listing("6"), "post_id": 6}, "it has no post_id"), ("text", "no object"), (listing("1"), "before"),
        (listing("7", price=True), "its price is True"), (listing("8", price=float("1e9")), "its price"),
    ]  # fmt: skip
    folder = folder_of(tmp_path, listing("1"), *(each for each, _ in bad))
    env = SalesEnv(data_dir=folder)
    assert [task.id for split in env.panel for task in env.panel[split]] == ["bike/1"]
    assert len(env.problems) == len(bad)
    for number, (problem, (_, said)) in enumerate(zip(env.problems, bad, strict=True), 1):
        assert f"craigslist_bike.json, listing {number}" in problem and said in problem


def test_a_folder_without_listings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"craigslist_bike\.json"):
        SalesEnv(data_dir=tmp_path)
    (tmp_path / "full_dialog.csv").write_text("")
    with pytest.raises(DataError, match="persuasion"):
        SalesEnv(data_dir=tmp_path)


def test_a_damaged_file_leaves_the_others(tmp_path: Path) -> None:
    folder_of(tmp_path, listing("1"))
    (tmp_path / "craigslist_car.json").write_text("[{")
    (tmp_path / "craigslist_phone.json").write_text("{}")
    source = load_source("", tmp_path)
    assert [str(problem).split(":")[0] for problem in source.problems] == [
        "craigslist_car.json",
        "craigslist_phone.json",
    ]
    assert source.items == 1


def test_tasks_and_data_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="leave one out"):
        SalesEnv(data_dir=folder_of(tmp_path, listing("1")), tasks=[Task("x", {"listing": listing("2")})])


def test_a_listing_without_what_it_needs_is_named() -> None:
    for wrong in ({"price": 0}, {"category": "boat"}):
        with pytest.raises(ValueError, match="task 'odd'"):
            case_of_listing("odd", listing("1", **wrong))
    with pytest.raises(ValueError, match="price"):
        case_of_listing("odd", {"title": "Bike", "category": "bike"})


def bargain(limit: int, target: int) -> SalesEnv:
    """Return the world of a bike for 300 whose buyer has this limit and target, trusts fully and doubts nothing."""
    env = SalesEnv(tasks=[Task("bike", {"listing": listing("1")})])
    env.reset(seed=0)
    case = env.state.case
    who = {name: getattr(case.buyer, name) for name in type(case.buyer).__dataclass_fields__}
    own = type(case.buyer)(
        **{**who, "budget": limit, "target": target, "trust": 100, "doubts": {}, "curious": 0, "patience": 20}
    )
    changed = type(case)(case.task, own, case.sells, case.shelf, case.floors, case.note)
    env._state = env.state.but(case=changed, trust=100)
    return env


def test_a_buyer_opens_with_its_target_and_meets_half_way() -> None:
    env = bargain(260, 200)
    offers = []
    for price in (300, 290, 280, 280, 260):
        env.step(ToolCall("quote", {"price": price}))
        offers.append(env.state.bid)
    # 200 first; towards min(260, 290): 230; towards 260: 245; no concession, no other offer; 260 it can pay
    assert offers == [20_000, 23_000, 24_500, 24_500, -1]
    assert env.potential(env.state) == 1.0
    _, reward, terminated, _, info = env.step(ToolCall("close"))
    # floor 65 % of 300 = 195: margin (260 − 195) / (300 − 195); nothing is left of the limit
    assert terminated and reward == pytest.approx(0.5 + 0.25 * 65 / 105) and info["metrics"]["surplus"] == 0.0


def test_a_buyer_below_the_floor_is_let_go() -> None:
    env = bargain(190, 150)
    assert value.best(env.state.case) < 0 and value.blocks(env.state.case) == {"budget"}
    env.step("How much would you like to spend?")
    assert "$150" in env.render()  # the target, not the limit
    info = env.step("I'm sorry, I can't go as low as your budget.")[4]
    assert info["success"] and info["end_detail"] == "rightly let go"


def test_limits_and_targets_are_shares_of_the_price() -> None:
    for key in range(200):
        one = buyer(str(key), 1000)
        assert 550 <= one.budget <= 1100 and 0.6 * one.budget - 1 <= one.target <= 0.9 * one.budget
    assert FLOOR == 65 and buyer("7", 1000) == buyer("7", 1000)


def test_nobody_is_tempted_to_lie_about_a_listing() -> None:
    assert bargain(260, 200).exploits() == {} and SalesEnv().exploits()


def test_what_the_ad_says_cannot_close_a_tag() -> None:
    env = SalesEnv(tasks=[Task("bike", {"listing": {**listing("1"), "description": "Rides <b>well</b>."}})])
    env.reset(seed=0)
    sheet = env.step(ToolCall("lookup", {"product": "road bike 1"}))[0]
    assert "Rides ‹b›well‹/b›." in sheet and "<" not in sheet


@needs_samples
def test_the_sample_of_listings_plays() -> None:
    env = SalesEnv(data_dir=Path(REFERENCE) / "data" / "craigslist_listings")
    sizes = {split: len(env.panel[split]) for split in env.panel}
    assert sum(sizes.values()) + len(env.problems) == 998 + 1373 + 1363 + 2263
    assert sizes["train"] > 4000 and len(env.problems) < 150
    for number, task in enumerate(env.panel["test"][::40]):
        env.reset(seed=number, options={"task": task.id})
        while env.state.end == "":
            info = env.step(env.expert(env.state))[4]
        assert info["success"], task.id


# ---- recorded talks --------------------------------------------------------------------------------------------------

TALK = """,Unit,Turn,B4,B2
0,Hello. Have you heard of the charity?,0,0,one
1,No. Tell me.,0,1,one
2,It helps children. Would you give?,1,0,one
3,Yes.,1,1,one
0,Hi,0,1,two
1,Would you give?,0,0,two
0,Hello,0,0,three
1,Who is this?,0,2,three
0,Hello,0,0,four
0,Hello?,0,1,five
"""
GIVEN = "B2,B4,B6,B7\none,0,0.5,2\none,1,0.25,2\ntwo,1,0.0,1\nthree,1,1,1\nfour,1,much,1\nfive,1,1,1\n"


def talks(place: Path, talk: str = TALK, given: str = GIVEN) -> Path:
    (place / "full_dialog.csv").write_text(talk)
    (place / "donations.csv").write_text(given)
    return place


def test_recorded_talks_are_rollouts(tmp_path: Path) -> None:
    source = data.read("persuasionforgood", talks(tmp_path))
    rollouts = persuasion.recorded(source)
    assert [(each["task"], each["outcome"], each["success"]) for each in rollouts] == [
        ("one", 0.25, True), ("two", 0.0, False),
    ]  # fmt: skip
    batch = TurnBatch.from_messages(rollouts)
    # one: two messages of the persuader, the first before the other has said anything; two: one
    assert len(batch) == 3 and batch.num_rollouts == 2
    assert list(batch.observation) == ["", "No. Tell me.", "Hi"]
    assert batch.outcome_reward.tolist() == [0.0, 0.25, 0.0]


def test_what_is_wrong_with_a_talk_is_named(tmp_path: Path) -> None:
    source = data.read("persuasionforgood", talks(tmp_path))
    said = "\n".join(map(str, source.problems))
    for item in ("line 6: B6 is 'much'", "talk three: line 9", "talk four: donations.csv says nothing", "talk five"):
        assert item in said
    assert source.items == 5


def test_a_missing_file_or_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"full_dialog\.csv"):
        data.read("persuasionforgood", tmp_path)
    with pytest.raises(DataError, match="no column B4"):
        data.read("persuasionforgood", talks(tmp_path, talk="Unit,B2\nHello,one\n"))


def test_the_other_table_of_donations_is_read_too(tmp_path: Path) -> None:
    talks(tmp_path)
    (tmp_path / "donations.csv").rename(tmp_path / "full_info.csv")
    assert len(persuasion.recorded(data.read("persuasionforgood", tmp_path))) == 2


@needs_samples
def test_the_sample_of_recorded_talks() -> None:
    source = data.read("persuasionforgood", Path(REFERENCE) / "data" / "persuasionforgood")
    rollouts = persuasion.recorded(source)
    assert len(rollouts) == source.items == 1017 and not source.problems
    assert 0.5 < sum(each["success"] for each in rollouts) / 1017 < 0.6
    assert TurnBatch.from_messages(rollouts[:50]).num_rollouts == 50
