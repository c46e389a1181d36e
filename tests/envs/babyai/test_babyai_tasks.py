"""Tasks and panels: what is on offer, that splits share nothing, that loading makes nothing."""

from __future__ import annotations

import json
from hashlib import blake2b

import pytest

from agentgym import Task
from agentgym.envs.babyai import expert, kernel, levels, make_panels, mixed, tasks
from agentgym.envs.babyai.env import BabyAIEnv

QUICK = ("BabyAI-GoToLocalS5N2-v0", "BabyAI-GoToObjS4-v0", "BabyAI-GoToRedBallNoDists-v0")


def entries():
    """Yield (name, entry) of everything in the data file."""
    for name in tasks.PANELS:
        for part, entry in tasks.data()[name].items():
            yield f"{name} {part}", entry


def test_the_families_hold_each_of_the_96_ids_once():
    members = [f"BabyAI-{short}" for family in tasks.FAMILIES.values() for short in family]
    assert sorted(members) == list(levels.names())
    assert tuple(sorted(members)) == tasks.LEVELS


@pytest.mark.parametrize("name", tasks.PANELS)
def test_every_panel_has_2000_200_500_tasks(name):
    assert tuple(len(tasks.panel(name)[split]) for split in tasks.SPLITS) == tasks.SIZES


def test_levels_with_fewer_first_states_are_named_here():
    few = {name: entry["sizes"] for name, entry in entries() if entry["sizes"] != list(tasks.SIZES)}
    assert few == {
        "GoToObj BabyAI-GoToObjS4-v0": [213, 21, 53],
        "KeyCorridor BabyAI-KeyCorridorS3R1-v0": [480, 48, 120],
        "OpenDoor BabyAI-OpenRedDoor-v0": [77, 7, 19],
        "OpenDoorsOrder BabyAI-OpenDoorsOrderN2Debug-v0": [1354, 135, 338],
        "OpenDoorsOrder BabyAI-OpenDoorsOrderN4Debug-v0": [1340, 134, 335],
        "OpenTwoDoors BabyAI-OpenRedBlueDoors-v0": [732, 73, 183],
        "OpenTwoDoors BabyAI-OpenRedBlueDoorsDebug-v0": [732, 73, 183],
    }


# Seeds whose first state the expert cannot solve: found among those that were tasks once.
LOST = {
    "GoToMaze BabyAI-GoToImpUnlock-v0": (2270, 2299, 2300, 2347, 2361, 2432, 2515, 2644),
    "PickupDist BabyAI-PickupDistDebug-v0": (2580,),
    "Synth BabyAI-SynthS5R2-v0": (343, 441, 568, 901, 1067, 1141),
    "Unlock BabyAI-Unlock-v0": (370, 750),
}


def test_seeds_that_cannot_be_solved_are_in_no_panel():
    skipped = {name: entry["skip"] for name, entry in entries()}
    for name, seeds in LOST.items():
        assert set(seeds) <= set(skipped[name])
        level = name.split()[1]
        assert expert.remaining(levels.make(level, seeds[0])) == expert.UNSOLVABLE
        assert expert.remaining(levels.make(level, seeds[0] + 1)) < expert.UNSOLVABLE


@pytest.mark.parametrize("level", ["GoToImpUnlock", "SynthS5R2", "Unlock-v0", "OpenDoorsOrderN2Debug"])
def test_the_expert_solves_what_such_a_level_kept(level):
    found = tasks.panel(level)
    for task in (*found["train"][-20:], *found["dev"][-5:], *found["test"][-20:]):
        assert expert.remaining(tasks.first_state(task.data)) < expert.UNSOLVABLE, task.id


def test_strict_halves_fail_on_each_others_toggle():
    # Why most seeds of this level are skipped: both strict halves judge the toggle that opens the grey door.
    state = levels.make("BabyAI-OpenDoorsOrderN2Debug-v0", 2002)
    assert state.level.mission == "open the grey door, then open the green door"
    assert expert.remaining(state) == expert.UNSOLVABLE
    state = state._replace(pos=106 - 1, dir=0)  # beside the grey door, facing it
    assert kernel.step(state, kernel.TOGGLE)[1] == kernel.FAILURE


def test_seed_lists_have_the_sizes_they_say_and_share_nothing():
    for name, entry in entries():
        lists = tasks.seeds(entry)
        assert [len(chosen) for chosen in lists] == entry["sizes"], name
        together = [seed for chosen in lists for seed in chosen]
        assert len(set(together)) == len(together), name


def test_seeds_by_hand():
    # 0 … 8 without 1 and 4 leave 0 2 3 5 6 7 8: four train, one dev, two test.
    entry = {"stop": 9, "skip": [1, 4], "sizes": [4, 1, 2]}
    assert tasks.seeds(entry) == [[0, 2, 3, 5], [6], [7, 8]]


def test_loading_a_panel_makes_no_level():
    before = levels.make.cache_info(), tasks.mixed_state.cache_info()
    for name in ("goto", "GoToLocal", "BabyAI-GoToRedBall-v0"):
        tasks.panel(name)
    assert (levels.make.cache_info(), tasks.mixed_state.cache_info()) == before


def test_panels_are_made_once_and_their_hashes_stay():
    assert tasks.panel("goto") is tasks.panel("goto", 8)
    assert tasks.panel("goto").hash == "a9aa765502a2474ef5e207fa2b43d335"
    assert tasks.panel("GoToObj").hash == "cdb56926e5d819c9582e532780d9fdde"
    assert tasks.panel("goto", 0).hash != tasks.panel("goto").hash


def test_names_of_levels_may_be_short():
    long = tasks.panel("BabyAI-GoToLocalS5N2-v0")
    assert tasks.panel("GoToLocalS5N2-v0") is tasks.panel("GoToLocalS5N2") is long
    assert tasks.panel("GoToObjS6-v1").name == "BabyAI-GoToObjS6-v1"
    assert tasks.panel("GoToLocal").name == "GoToLocal"  # the family, not the id


def test_a_family_takes_turns_with_its_levels():
    first = [task.data["level"] for task in tasks.panel("GoToRedBall")["train"][:8]]
    members = [f"BabyAI-{short}" for short in tasks.FAMILIES["GoToRedBall"]]
    assert first == members * 2


@pytest.mark.parametrize("name", [5, [], {"a": 1}, None, b"goto"])
def test_a_level_that_is_no_name_is_named(name):
    with pytest.raises(TypeError, match="level must be the name of a panel or of a level, not "):
        tasks.panel(name)


@pytest.mark.parametrize("name", ["gotoo", "GoToLocale", "BabyAI-GoToLocalS9-v0", ""])
def test_unknown_panels_offer_the_nearest(name):
    with pytest.raises(ValueError, match="unknown BabyAI panel or level"):
        tasks.panel(name)


@pytest.mark.parametrize("number", [-1, 9, 2.0, True, "8"])
def test_a_number_of_distractors_that_is_not_offered(number):
    tasks.panel("goto", 1)  # equal numbers of other types must not find what is kept of these
    tasks.panel("goto", 2)
    with pytest.raises(ValueError, match="from 0 to 8"):
        tasks.panel("goto", number)


@pytest.mark.parametrize("number", ["3", None, 2.0, True])
def test_a_number_of_distractors_in_a_tasks_data_that_is_none(number):
    for usual in (1, 2, 3):  # what a cache could take it for
        tasks.first_state({"level": "putnext", "seed": 1, "num_dists": usual})
    with pytest.raises(ValueError, match=r"^mine: data\['num_dists'\] must be an integer from 0 to 12, not "):
        tasks.first_state({"level": "putnext", "seed": 1, "num_dists": number}, "mine")


def test_too_many_distractors_in_a_tasks_data_are_refused_at_once():
    with pytest.raises(ValueError, match="num_dists is 16: give an integer from 0 to 12"):
        BabyAIEnv(tasks=[Task("x", {"level": "putnext", "seed": 1, "num_dists": 16})]).reset()


def test_mixed_states_follow_from_the_task_alone():
    data = tasks.panel("open", 3)["dev"][7].data
    state = tasks.first_state(data)
    tasks.mixed_state.cache_clear()
    assert tasks.first_state(data).canonical() == state.canonical()
    assert state.level.mission.startswith("open the")
    assert state.level.max_steps == 128  # 64 turns, two rooms, one walk


@pytest.mark.parametrize("task", mixed.TASKS)
def test_first_states_of_mixed_panels_are_the_recorded_ones(task):
    for number in (0, 8):
        entry = tasks.data()[task][str(number)]
        state_of = lambda seed, number=number: tasks.mixed_state.__wrapped__(task, seed, number)
        assert first_digest(entry, state_of) == entry["first"]


@pytest.mark.parametrize("level", [pytest.param(x, marks=[] if x in QUICK else pytest.mark.slow) for x in tasks.LEVELS])
def test_first_states_of_levels_are_the_recorded_ones(level):
    entry = tasks.data()[tasks._FAMILY_OF[level]][level]
    assert first_digest(entry, make_panels.level_states(level)) == entry["first"]


def first_digest(entry, state_of):
    kept = [seed for chosen in tasks.seeds(entry) for seed in chosen][:10]
    contents = [blake2b(state_of(seed).canonical(), digest_size=16).digest() for seed in kept]
    return blake2b(b"".join(contents), digest_size=16).hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("panel", ["goto", "open", "GoToObj"])
def test_no_first_state_twice_in_a_panel(panel):
    found = tasks.panel(panel)
    states = [tasks.first_state(task.data).canonical() for split in tasks.SPLITS for task in found[split]]
    assert len(set(states)) == len(states)


# ---- the script that writes the data file --------------------------------------------------------------------------


def numbered(values):
    """Return seed → a state-like object whose content is `values[seed]`; the last value goes on for ever."""

    class State:
        def __init__(self, value):
            self.value = value
            self.level = self
            self.max_steps = 64

        def canonical(self):
            return b"%d" % self.value

    return lambda seed: State(values[min(seed, len(values) - 1)])


@pytest.fixture
def known_ways(monkeypatch):
    """Let the expert know a way from every stand-in for a state but number 6."""
    monkeypatch.setattr(make_panels.expert, "remaining", lambda state: expert.UNSOLVABLE if state.value == 6 else 1)


@pytest.mark.usefixtures("known_ways")
def test_entry_skips_what_came_before_and_what_cannot_be_solved(monkeypatch):
    monkeypatch.setattr(make_panels, "SIZES", (2, 1, 1))
    monkeypatch.setattr(make_panels, "MOST_TRIES", 8)
    found = make_panels.entry(numbered([5, 5, 10, 7, 6, 8, 9]), {blake2b(b"7", digest_size=16).digest()})
    # 5 twice, 7 taken from the start, 6 not to be solved.
    assert (found["sizes"], found["stop"], found["skip"], found["limits"]) == ([2, 1, 1], 7, [1, 3, 4], [64])
    assert tasks.seeds(found) == [[0, 2], [5], [6]]


@pytest.mark.usefixtures("known_ways")
def test_entry_of_a_small_level_keeps_the_proportions(monkeypatch):
    monkeypatch.setattr(make_panels, "MOST_TRIES", 60)
    found = make_panels.entry(numbered(list(range(10, 64))), set())
    # 54 different states of 2,700: 2,000 / 200 / 500 become 40 / 4 / 10.
    assert (found["sizes"], found["stop"]) == ([40, 4, 10], 60)
    assert sum(map(len, tasks.seeds(found))) == 54


def test_the_script_writes_only_what_was_asked_for_and_checks_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(make_panels, "SIZES", (4, 1, 1))
    monkeypatch.setattr(make_panels, "PATH", tmp_path / "data" / "seeds.json")
    assert make_panels.main(["PickupLoc"]) == 0
    first = (tmp_path / "data" / "seeds.json").read_text()
    assert sorted(json.loads(first)) == ["PickupLoc", "minigrid"]
    assert make_panels.main(["PickupLoc", "--check"]) == 0
    (tmp_path / "data" / "seeds.json").write_text(first.replace('"stop":6', '"stop":7'))
    assert make_panels.main(["PickupLoc", "--check"]) == 1
    with pytest.raises(SystemExit):
        make_panels.main(["PickupLok"])
    assert "did you mean 'PickupLoc'" in capsys.readouterr().err


def test_a_task_names_its_level_and_seed():
    assert tasks.panel("goto")["train"][0] == Task("goto-0", {"level": "goto", "seed": 0, "num_dists": 8})
    assert tasks.panel("goto", 0)["train"][0].id == "goto-d0-0"
    assert tasks.panel("GoToObjS6-v1")["train"][0].id == "GoToObjS6-v1-0"
