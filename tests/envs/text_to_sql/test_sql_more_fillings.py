"""Restaurants, energy, insurance, wildlife, recruitment: promises of their rows, and golds answered in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from sql_rows import Tables, by, check_golds, filling
from sql_rows import days as elapsed

__all__ = ["filling"]


# ---- promises ------------------------------------------------------------------------------------------------------


def test_restaurants_serve_no_meat_as_vegetarian_and_nobody_after_closing(filling: Any) -> None:
    _, t = filling("restaurants")
    kinds = {row.ingredient_id: row.kind for row in t["ingredient"]}
    flesh = {part.dish_id for part in t["dish_ingredient"] if kinds[part.ingredient_id] in ("meat", "fish")}
    assert all(dish.vegetarian == (dish.dish_id not in flesh) for dish in t["dish"])
    places = by(t["restaurant"], "restaurant_id")
    for review in t["review"]:
        place = places[review.restaurant_id]
        assert place.opened < review.visited and (place.closed is None or review.visited < place.closed)
        assert review.replied is None or review.visited < review.replied
    menus = {dish.restaurant_id for dish in t["dish"]}
    assert len(places) - len(menus) == 3 and len(places) > len({place.name for place in t["restaurant"]})


def test_energy_estimates_have_a_value_and_no_meter_is_read_once_it_is_out(filling: Any) -> None:
    _, t = filling("energy")
    meters = by(t["meter"], "meter_id")
    for reading in t["reading"]:
        meter = meters[reading.meter_id]
        assert reading.kwh is not None or not reading.estimated
        assert meter.installed < reading.read_at and (meter.removed is None or reading.read_at < meter.removed)
    assert any(reading.kwh == 0 for reading in t["reading"]) and any(reading.kwh is None for reading in t["reading"])
    assert len({meter.site_id for meter in t["meter"]}) < len(t["site"])
    assert all(outage.ended is None or outage.started < outage.ended for outage in t["outage"])


def test_insurance_claims_fall_into_their_policy_and_are_paid_after_the_report(filling: Any) -> None:
    _, t = filling("insurance")
    policies, claims = by(t["policy"], "policy_id"), by(t["claim"], "claim_id")
    for claim in claims.values():
        policy = policies[claim.policy_id]
        assert policy.start_date <= claim.occurred <= claim.reported
        assert policy.end_date is None or claim.occurred < policy.end_date
        assert claim.adjuster_id is not None or claim.status != "paid"
    for payout in t["payout"]:
        claim = claims[payout.claim_id]
        assert claim.reported < payout.paid_on and claim.status != "rejected" and payout.amount > 0
    left = {agent.agent_id: agent.left_on or "9999" for agent in t["agent"]}
    assert all(policy.start_date < left.get(policy.agent_id, "9999") for policy in policies.values())
    assert all(row.referred_by is None or row.referred_by < row.customer_id for row in t["customer"])


def test_wildlife_mothers_are_of_the_kind_and_nobody_is_seen_after_death(filling: Any) -> None:
    _, t = filling("wildlife")
    animals = by(t["animal"], "animal_id")
    for animal in animals.values():
        mother = animals.get(animal.mother_id)
        kin = mother is None or (mother.species_id, mother.reserve_id) == (animal.species_id, animal.reserve_id)
        assert kin and (mother is None or (mother.sex == "F" and mother.tagged <= animal.tagged))
    for sighting in t["sighting"]:
        animal = animals[sighting.animal_id]
        assert animal.tagged < sighting.seen_on <= (animal.died or "9999")
    joined = {ranger.ranger_id: ranger.since for ranger in t["ranger"]}
    assert all(row.mentor_id is None or joined[row.mentor_id] <= row.since for row in t["ranger"])


def test_recruitment_hires_one_a_job_and_decides_after_the_interviews(filling: Any) -> None:
    _, t = filling("recruitment")
    openings, applications = by(t["opening"], "opening_id"), by(t["application"], "application_id")
    for application in applications.values():
        opening = openings[application.opening_id]
        assert opening.posted <= application.applied <= (opening.closed or "9999")
        assert (application.decided is None) == (application.stage in ("screening", "interview", "offer"))
    assert max(Counter(row.opening_id for row in applications.values() if row.stage == "hired").values()) == 1
    for interview in t["interview"]:
        application = applications[interview.application_id]
        assert application.applied < interview.held < (application.decided or "9999")
    assert {row.opening_id for row in t["opening_skill"] if row.required} == set(openings)


# ---- golds, answered again -----------------------------------------------------------------------------------------


def second_dearest(t: Tables, city: str) -> list[Any]:
    here = by(t["city"], "name")[city].city_id
    places = {place.restaurant_id: place.name for place in t["restaurant"] if place.city_id == here}
    prices = defaultdict(set)
    for dish in t["dish"]:
        if dish.restaurant_id in places:
            prices[dish.course].add(dish.price)
    return [
        (dish.course, places[dish.restaurant_id], dish.name, dish.price)
        for dish in t["dish"]
        if dish.restaurant_id in places and sorted(prices[dish.course])[-2:-1] == [dish.price]
    ]


def gentle_guests(t: Tables, city: str, stars: int) -> list[Any]:
    here = by(t["city"], "name")[city].city_id
    places = {place.restaurant_id for place in t["restaurant"] if place.city_id == here}
    given = defaultdict(list)
    for review in t["review"]:
        if review.restaurant_id in places:
            given[review.guest_id].append(review.rating)
    return [(guest.name,) for guest in t["guest"] if given[guest.guest_id] and min(given[guest.guest_id]) >= stars]


def score_drops(t: Tables, year: str, points: int) -> list[Any]:
    visits = defaultdict(list)
    for row in sorted(t["inspection"], key=lambda row: row.inspected):
        visits[row.restaurant_id].append((row.inspected, row.score))
    return [
        (place, on, before, score)
        for place, known in visits.items()
        for (_, before), (on, score) in zip(known, known[1:], strict=False)
        if on[:4] == year and before - score >= points
    ]


def same_price_pairs(t: Tables, low: float) -> list[Any]:
    return [
        (one.restaurant_id, one.name, other.name, one.price)
        for one in t["dish"]
        for other in t["dish"]
        if one.restaurant_id == other.restaurant_id
        and one.price == other.price >= low
        and one.course != other.course
        and one.name < other.name
    ]


def every_cause(t: Tables, cause: str) -> list[Any]:
    causes = {outage.outage_id: outage.cause for outage in t["outage"]}
    known = defaultdict(set)
    for hit in t["outage_site"]:
        known[hit.site_id].add(causes[hit.outage_id])
    return [(site.name,) for site in t["site"] if set(causes.values()) - {cause} <= known[site.site_id]]


def newest_value(t: Tables, medium: str, moment: str) -> list[Any]:
    sites, meters = by(t["site"], "site_id"), by(t["meter"], "meter_id")
    newest: dict[int, Any] = {}
    for reading in sorted(t["reading"], key=lambda row: row.read_at):
        if meters[reading.meter_id].medium == medium and reading.kwh is not None and reading.read_at <= moment:
            newest[reading.meter_id] = reading
    return [(key, sites[meters[key].site_id].name, row.read_at, row.kwh) for key, row in newest.items()]


def going_on_at(t: Tables, moment: str) -> list[Any]:
    sites = Counter(hit.outage_id for hit in t["outage_site"])
    on = [row for row in t["outage"] if row.started <= moment and (row.ended is None or row.ended > moment)]
    return [(row.outage_id, row.cause, sites[row.outage_id]) for row in on]


def soon_again(t: Tables, cause: str, days: int) -> list[Any]:
    known = sorted((row.started, row.outage_id) for row in t["outage"] if row.cause == cause)
    pairs = zip(known, known[1:], strict=False)
    return [(key, one, then) for (one, key), (then, _) in pairs if elapsed(one[:10], then[:10]) <= days]


def chain_of_referrals(t: Tables, start: int) -> list[Any]:
    steps, here, number = 0, {start}, 0
    while here := {row.customer_id for row in t["customer"] if row.referred_by in here}:
        steps, number = steps + 1, number + len(here)
    return [(number, steps or None)]


def lines_held(t: Tables, one: str, two: str, three: str) -> list[Any]:
    lines = {product.product_id: product.line for product in t["product"]}
    held = defaultdict(set)
    for policy in t["policy"]:
        held[policy.customer_id].add(lines[policy.product_id])
    return [(customer,) for customer, known in held.items() if {one, two} <= known and three not in known]


def paid_short(t: Tables, line: str, gap: int) -> list[Any]:
    coverages = {row.coverage_id for row in t["coverage"] if row.line == line}
    parts = {(row.policy_id, row.coverage_id): row.deductible or 0 for row in t["policy_coverage"]}
    paid: Counter[int] = Counter()
    for payout in t["payout"]:
        paid[payout.claim_id] += payout.amount
    claims = [row for row in t["claim"] if row.status == "paid" and row.coverage_id in coverages]
    found = [(row, parts[row.policy_id, row.coverage_id], paid[row.claim_id]) for row in claims]
    return [(row.claim_id, row.amount, own, got) for row, own, got in found if row.amount - own - got > gap]


def whole_range(t: Tables, year: int) -> list[Any]:
    lines = {product.product_id: product.line for product in t["product"]}
    sold = defaultdict(list)
    for policy in t["policy"]:
        sold[policy.agent_id].append(lines[policy.product_id])
    agents = [row for row in t["agent"] if int(row.hired[:4]) >= year]
    return [(row.name, len(sold[row.agent_id])) for row in agents if set(sold[row.agent_id]) == set(lines.values())]


def below_target(t: Tables, **slots: str) -> list[Any]:
    species, reserves = by(t["species"], "species_id"), by(t["reserve"], "reserve_id")
    living = Counter((row.reserve_id, row.species_id) for row in t["animal"] if row.died is None)
    return [
        (reserves[home.reserve_id].name, species[home.species_id].name, home.target, number)
        for home in t["habitat"]
        if species[home.species_id].__dict__["class"] == slots["class"]
        and home.target is not None
        and (number := living[home.reserve_id, home.species_id]) < home.target
    ]


def grandmothers(t: Tables, biome: str) -> list[Any]:
    animals = by(t["animal"], "animal_id")
    there = {reserve.reserve_id for reserve in t["reserve"] if reserve.biome == biome}
    found = []
    for animal in t["animal"]:
        mother = animals.get(animal.mother_id)
        older = animals.get(mother.mother_id) if mother else None
        if older and animal.reserve_id in there:
            found.append((animal.animal_id, animal.nickname or "(none)", older.animal_id, older.nickname or "(none)"))
    return found


def out_of_sight(t: Tables, reserve: str, days: int) -> list[Any]:
    here = by(t["reserve"], "name")[reserve].reserve_id
    known = defaultdict(list)
    for sighting in sorted(t["sighting"], key=lambda row: row.seen_on):
        known[sighting.animal_id].append(sighting.seen_on)
    gaps = {
        animal.animal_id: max(map(elapsed, known[animal.animal_id], known[animal.animal_id][1:]), default=0)
        for animal in t["animal"]
        if animal.reserve_id == here
    }
    return [(animal, float(gap)) for animal, gap in gaps.items() if gap > days]


def seen_by_all(t: Tables, reserve: str) -> list[Any]:
    here = by(t["reserve"], "name")[reserve].reserve_id
    staff = {ranger.ranger_id for ranger in t["ranger"] if ranger.reserve_id == here}
    seen = defaultdict(set)
    for sighting in t["sighting"]:
        seen[sighting.animal_id].add(sighting.ranger_id)
    animals = [row.animal_id for row in t["animal"] if row.reserve_id == here]
    return [(animal,) for animal in animals if staff <= seen[animal]]


def fully_qualified(t: Tables, department: str) -> list[Any]:
    openings = {opening.opening_id for opening in t["opening"] if opening.department == department}
    levels = {(row.candidate_id, row.skill_id): row.level for row in t["candidate_skill"]}
    needed = defaultdict(list)
    for want in t["opening_skill"]:
        if want.required:
            needed[want.opening_id].append((want.skill_id, want.min_level))
    return [
        (row.application_id, row.opening_id, row.candidate_id)
        for row in t["application"]
        if row.opening_id in openings
        and all(levels.get((row.candidate_id, skill), 0) >= least for skill, least in needed[row.opening_id])
    ]


def better_second_time(t: Tables, department: str) -> list[Any]:
    openings = {opening.opening_id for opening in t["opening"] if opening.department == department}
    known = defaultdict(list)
    for interview in sorted(t["interview"], key=lambda row: row.held):
        known[interview.application_id].append(interview.score)
    pairs = [(row, known[row.application_id][:2]) for row in t["application"] if row.opening_id in openings]
    full = [(row.application_id, *two) for row, two in pairs if len(two) == 2 and None not in two]
    return [triple for triple in full if triple[2] > triple[1]]


def applied_again_soon(t: Tables, year: str, days: int) -> list[Any]:
    known = defaultdict(list)
    for row in sorted(t["application"], key=lambda row: (row.applied, row.application_id)):
        known[row.candidate_id].append(row.applied)
    return [
        (candidate,)
        for candidate, dates in known.items()
        if any(one[:4] == year and elapsed(one, then) <= days for one, then in zip(dates, dates[1:], strict=False))
    ]


def gone_quiet(t: Tables, day: str) -> list[Any]:
    last: dict[int, str] = {}
    for row in t["application"]:
        last[row.opening_id] = max(row.applied, last.get(row.opening_id, ""))
    open_ones = [row for row in t["opening"] if row.closed is None and last.get(row.opening_id, "") < day]
    return [(row.opening_id, row.title, last.get(row.opening_id, "none")) for row in open_ones]


@pytest.mark.parametrize(
    ("database", "again"),
    [
        ("restaurants", second_dearest), ("restaurants", gentle_guests), ("restaurants", score_drops),
        ("restaurants", same_price_pairs), ("energy", every_cause), ("energy", newest_value), ("energy", going_on_at),
        ("energy", soon_again), ("insurance", chain_of_referrals), ("insurance", lines_held),
        ("insurance", paid_short), ("insurance", whole_range), ("wildlife", below_target), ("wildlife", grandmothers),
        ("wildlife", out_of_sight), ("wildlife", seen_by_all), ("recruitment", fully_qualified),
        ("recruitment", better_second_time), ("recruitment", applied_again_soon), ("recruitment", gone_quiet),
    ],
)  # fmt: skip
def test_golds_mean_what_is_asked(filling: Any, database: str, again: Callable[..., list[Any]]) -> None:
    check_golds(filling, database, again)
