"""The shipped buyers and the catalogue that they choose from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_buyer import BUYER

from agentgym import Task
from agentgym.envs.sales import tasks, value
from agentgym.envs.sales.buyer import DOUBTS, as_json, case_of, from_json
from agentgym.envs.sales.catalogue import FOLDER, industries, industry, read
from agentgym.envs.sales.env import SalesEnv
from agentgym.envs.sales.seller import ASSURES
from agentgym.envs.sales.speech.relevance import TOPICS


def test_there_are_enough_buyers_in_enough_industries() -> None:
    sizes = {split: len(tasks.panel()[split]) for split in tasks.panel()}
    assert len(industries()) == 8 and sizes == {"train": 8 * 28, "dev": 8 * 5, "test": 8 * 9}


def test_no_two_buyers_look_for_the_same() -> None:
    wants = [
        json.dumps([task.data["industry"], sorted(task.data["shelf"]), sorted(map(str, task.data["needs"]))])
        for split in tasks.panel()
        for task in tasks.panel()[split]
    ]
    assert len(set(wants)) == len(wants)


def test_names_of_one_split_are_not_those_of_another() -> None:
    names = {split: {task.data["name"] for task in tasks.panel()[split]} for split in tasks.panel()}
    assert not names["train"] & names["test"] and not names["train"] & names["dev"] and not names["dev"] & names["test"]


def test_one_of_seven_cannot_be_won_each_for_one_reason() -> None:
    # places 6, 13, 20 and 27 of the 28 of an industry in train, none of the five of dev, 6 of the nine of test
    reasons: dict[str, int] = {}
    for split, lost in (("train", {6, 13, 20, 27}), ("dev", set()), ("test", {6})):
        for task in tasks.panel()[split]:
            one, number = tasks.case(task), int(task.id.rsplit("/", 1)[1])
            assert (value.best(one) < 0) is (number in lost), task.id
            if number in lost:
                (reason,) = value.blocks(one)
                kind = reason if reason in ("budget", "rival") else "need"
                reasons[kind] = reasons.get(kind, 0) + 1
                if kind == "need":
                    assert not any(reason in met for met in one.met), task.id
    assert reasons == {"need": 24, "budget": 8, "rival": 8}  # by place: 6 need, 13 budget, 20 rival, 27 need


def test_every_buyer_who_can_be_won_finds_all_of_its_needs_met() -> None:
    for task in tasks.panel()["test"]:
        one = tasks.case(task)
        best = value.best(one)
        assert best < 0 or len(one.met[best]) == len(one.buyer.needs), task.id


def test_a_buyer_is_its_json() -> None:
    for task in tasks.panel()["dev"]:
        assert as_json(from_json(task.data)) == dict(task.data)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"industry": "laptop"}, "laptops"),
        ({"needs": [{"attribute": "wieght", "value": 1, "worth": 1}]}, "weight"),
        ({"doubts": {"prise": 3}}, "price"),
        ({"shelf": [9]}, "0 to 5"),
        ({"shelf": []}, "shelf"),
        ({"colour": 1}, "field"),
    ],
)
def test_a_wrong_buyer_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"task 'odd'.*{said}"):
        case_of("odd", {**BUYER, **change})


def test_a_buyer_that_lacks_a_field_is_named() -> None:
    with pytest.raises(ValueError, match="lacks budget"):
        from_json({name: value for name, value in BUYER.items() if name != "budget"})


def test_a_task_of_ones_own_plays() -> None:
    env = SalesEnv(tasks=[Task("mine", BUYER)])
    observation, _ = env.reset(seed=0)
    assert "laptop" in observation


@pytest.mark.parametrize("key", industries())
def test_the_files_of_the_catalogue_are_whole(key: str) -> None:
    sells = industry(key)
    assert len({product.name for product in sells.products}) == len(sells.products) == len(sells.floors)
    aliases = [alias for product in sells.products for alias in product.aliases]
    assert len(set(aliases)) == len(aliases)
    for product, floor in zip(sells.products, sells.floors, strict=True):
        assert 0.7 < floor / product.price < 0.9 and {fact.attribute for fact in product.facts} == set(sells.topics)
        for alias in product.aliases:
            others = [other for other in sells.products if other is not product and alias in other.name.lower()]
            assert not others, alias
    for topic in sells.topics.values():
        assert len(topic.why) >= 5 and len(topic.want) >= 4 and len(topic.ask) >= 3 and len(topic.wonder) >= 3
        assert (topic.sense == "yes") is bool(topic.deny)
        assert topic.sense == "yes" or any("{v}" in text for text in topic.want)
        assert not any(mark in topic.attribute for mark in "\n,")


def test_an_odd_file_of_the_catalogue_is_refused() -> None:
    data = json.loads((FOLDER / "laptops.json").read_text("utf-8"))
    data["attributes"]["weight"]["sense"] = "maximum"
    with pytest.raises(ValueError, match="max"):
        read("laptops", data)


def test_objections_are_known_to_all_who_speak_of_them() -> None:
    assert set(DOUBTS) == set(TOPICS)
    ways = {way for each in DOUBTS.values() for way in each} - {"worth", "lower price", "no hurry"}
    assert ways == set(ASSURES)
