"""Families about plans, packs of data, lost phones and lines of others."""

from __future__ import annotations

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.telecom.names import COUNTRIES
from agentgym.envs.customer_service.domains.telecom.plans import PACKS
from agentgym.envs.customer_service.domains.telecom.scenes import Scene, pack_goal, packs, question, scene
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet, Tell
from agentgym.rng import TurnRng


def bigger_plan(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """A dearer plan, and what the month then costs; half of the customers take another one at the last moment."""
    found = _free(scene(database, customer, rng))
    if found is None:
        return None
    plans = [plan for plan in _on_sale(found) if _price(plan) > _price(found.plan)]
    if len(plans) < 2:
        return None
    first, second = rng.shuffled(plans)[:2]
    goal = _to_plan(found, first, _to_plan(found, second) if rng.random() < 0.5 else None)
    return found.sheet("bigger_plan", goal, question(found, "data left", "term"))


def bound(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """A cheaper plan within the minimum term: refused; the customer then asks until when that is."""
    found = _free(scene(database, customer, rng))
    if found is None or not found.bound_until:
        return None
    plans = [plan for plan in _on_sale(found) if _price(plan) < _price(found.plan)]
    if not plans:
        return None
    plan = rng.choice(plans)
    reads = (found.on_line("get_line"),)
    after = Goal("ask_term", reads=reads, tells=(Tell("term", found.bound_until),))
    goal = Goal(
        "change_plan",
        {"plan": plan["name"]},
        ("plan",),
        reads=reads,
        reason="minimum_term",
        insist=1 + rng.integers(2),
        fallback=after,
    )
    return found.sheet("bound", goal)


def withdrawn_plan(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """A plan that is not sold any more: refused; the customer then takes another one."""
    found = _free(scene(database, customer, rng))
    if found is None:
        return None
    wanted = [plan for plan in database["plans"].values() if not plan["on_sale"] and plan != found.plan]
    dearer = [plan for plan in _on_sale(found) if _price(plan) > _price(found.plan)]
    if found.bound_until:
        wanted = [plan for plan in wanted if _price(plan) > _price(found.plan)]
    if not wanted or not dearer:
        return None
    plan = rng.choice(wanted)
    goal = Goal(
        "change_plan",
        {"plan": plan["name"]},
        ("plan",),
        reads=(found.on_line("get_line"),),
        reason="plan_withdrawn",
        insist=1,
        fallback=_to_plan(found, rng.choice(dearer)),
    )
    return found.sheet("withdrawn_plan", goal)


def no_roaming(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """Roaming on a plan that has none: refused; the customer then changes the plan."""
    found = _free(scene(database, customer, rng))
    if found is None or found.plan["roaming"] != "none":
        return None
    zone = rng.choice(tuple(COUNTRIES))
    plans = [
        plan for plan in _on_sale(found) if plan["roaming"] in (zone, "world") and _price(plan) > _price(found.plan)
    ]
    goal = Goal(
        "allow_roaming",
        {"country": rng.choice(COUNTRIES[zone])},
        ("country",),
        reads=(found.on_line("get_line"),),
        reason="plan_without_roaming",
        insist=1,
        fallback=_to_plan(found, rng.choice(plans)),
    )
    return found.sheet("no_roaming", goal)


def too_much_data(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """More extra data than a month allows: refused; the customer then takes a pack that fits, or asks what is left."""
    found = _free(scene(database, customer, rng))
    if found is None:
        return None
    fits = packs(found)
    wanted = [pack for pack in PACKS if pack not in fits]
    if not wanted:
        return None
    reads = (found.on_line("get_line"),)
    goal = Goal(
        "add_data",
        {"pack": f"{rng.choice(wanted)} GB"},
        ("pack",),
        reads=reads,
        reason="data_limit",
        insist=1 + rng.integers(2),
        fallback=pack_goal(found, "add_data", rng.choice(fits)),
    )
    return found.sheet("too_much_data", goal, question(found, "data left"))


def travel(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """Two errands before a journey: roaming is allowed on the line, and a pack of data is added."""
    found = _free(scene(database, customer, rng))
    if found is None or found.plan["roaming"] == "none" or found.line["roaming_allowed"]:
        return None
    fits = packs(found)
    country = rng.choice(COUNTRIES[found.plan["roaming"]])
    roam = Goal(
        "allow_roaming",
        {"country": country},
        ("country",),
        (found.on_line("allow_roaming"),),
        (found.on_line("get_line"),),
    )
    return found.sheet("travel", *rng.shuffled([roam, pack_goal(found, "add_data", rng.choice(fits))]))


def lost_phone(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """The phone is lost and the line to be suspended; some find it again when the agent asks for a yes."""
    found = scene(database, customer, rng, in_phone=True)
    if found.line["status"] != "active":
        return None
    gold, reads = (found.on_line("suspend_line"),), (found.on_line("get_line"),)
    asked = question(found)
    if rng.random() < 0.3:
        return found.sheet("lost_phone", Goal("lost_phone", gold=gold, reads=reads, change=asked))
    return found.sheet("lost_phone", Goal("lost_phone", gold=gold, reads=reads), asked)


def line_of_another(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """Something for the line of a relative, who is another customer: refused; then a pack for the own line."""
    found = _free(scene(database, customer, rng))
    if found is None:
        return None
    everyone = list(database["lines"].values())
    other = rng.choice(everyone)
    fits = packs(found)
    if other["customer"] == customer or not fits:
        return None
    relative = rng.choice(("sister", "brother", "father", "neighbour", "flatmate", "mother"))
    goal = Goal(
        "line_of_another",
        {"other_phone": other["phone"], "relative": relative},
        ("other_phone", "relative"),
        reads=(Call("get_customer", {"customer_id": customer}),),
        reason="not_the_holder",
        insist=1 + rng.integers(2),
    )
    return found.sheet("line_of_another", goal, pack_goal(found, "add_data", rng.choice(fits)))


def _free(scene: Scene) -> Scene | None:
    """Return the scene if contracts on its line can be changed."""
    return scene if scene.line["status"] == "active" and not scene.overdue else None


def _on_sale(scene: Scene) -> list[Record]:
    plans = scene.database["plans"].values()
    return [plan for plan in plans if plan["on_sale"] and plan["plan_id"] != scene.line["plan_id"]]


def _price(plan: Record) -> int:
    return money.cents(plan["monthly_price"])


def _to_plan(scene: Scene, plan: Record, change: Goal | None = None) -> Goal:
    """Return the goal of changing to a plan and hearing its price, or of changing one's mind when asked for a yes."""
    key = plan["plan_id"]
    return Goal(
        "change_plan",
        {"plan": plan["name"]},
        ("plan",),
        (scene.on_line("change_plan", plan_id=key),),
        (scene.on_line("get_line"), Call("get_plan", {"plan_id": key})),
        () if change else (Tell("monthly_price", plan["monthly_price"]),),
        change=change,
    )
