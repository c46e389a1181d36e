"""EmotionalSupportEnv: somebody in distress, and a supporter who listens."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final

from agentgym import data as store
from agentgym.action import Action, Say
from agentgym.env import AgentEnv
from agentgym.envs.emotional_support import expert, grammar, listen, menu, quality, rewards, rules, sage, tasks, text
from agentgym.envs.emotional_support.analyser import Reading
from agentgym.envs.emotional_support.bad import Script, bad_supporters
from agentgym.envs.emotional_support.hearing import read
from agentgym.envs.emotional_support.rules import Levels
from agentgym.envs.emotional_support.seeker import Seeker, seeker_of
from agentgym.envs.emotional_support.state import TRAIL, SupportState
from agentgym.envs.emotional_support.words import Chooser
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task, TaskPanel
from agentgym.turn import EndReason, InvalidAction, Opening, Outcome, Turn
from agentgym.user import SCRIPTED, Draft, Item, Judge, Scene, UserSimulator, as_judge, as_user

KEPT: Final = 1024  # openings that a world keeps
_AXES: Final = {
    "C": "cognitive: is understood",
    "A": "affective: feels felt with",
    "P": "motivational: feels able to act",
}
ITEMS: Final = tuple(
    item
    for axis, what in _AXES.items()
    for item in (
        Item(
            f"{axis}.Prog", f"How far does the last message help on this axis ({what})? 0 not, 1 some, 2 deeply.", 0, 2
        ),
        Item(f"{axis}.Neg", f"How far does it hurt on this axis ({what})? 0 not, -1 some, -2 badly.", -2, 0),
    )
)
"""What a judge is asked of every message: EMPA's six levels."""


class EmotionalSupportEnv(AgentEnv[SupportState]):
    """Somebody in distress, and a supporter who listens.

    Description:
        A seeker writes about something that hurts. The supporter finds out what happened, names what it does to this
        person, makes it safe to tell what is held back, sees what was done well, and leaves the next step to the
        seeker. Seekers are state machines over fifty stories: seeded, guarded in five ways, and hurt by advice that
        comes too soon.
    Actions:
        What the supporter says, plain text. With levels=True an action gives the levels themselves: "C+1 A0 P-2".
    Observations:
        What the seeker says, the first words at reset.
    State and hash:
        Who the seeker is and their voice; the last nine positions, messages heard, what was told, felt, held back,
        affirmed and planned, the wall, whether harm was done; what the seeker said last, and the supporter's messages
        in no order. With a user that is not scripted, the whole talk. Anchor: what was told and named, and what the
        seeker did last.
    Turn rewards:
        progress: the part of the first distance that the turn closed; the distance is MICA's, to where no axis lacks
        more than 1.
    Outcome:
        1 if the talk is won by EMPA's rules, else 0.
    Episode end:
        solved: the energy ‖P₀‖ is spent and P lies near 0 or beyond the plane through it, after at least 12 messages;
        failed: five worsening turns in a row, or standstill while worsening; user_left, where the user chooses to;
        turn_limit.
    Info:
        tag: gold (something opened), read (a fact was told), soft, message, duplicate, error. step_score: 1 −
        distance over the first distance. violations: blame, minimising, false_fact, lecturing, premature_advice;
        safe: were there none. rubrics: the session's score under those of `rewards.RUBRICS` that the turn is about.
        subgoal, switch. metrics: cognitive, affective, motivational (the position), distance, gain and energy (EMPA's
        ΔE and E), shaped (MICA's other reward), skill_NAME for each skill that was heard. By signal: menu, expert,
        potential (−distance), describe; critique (−1 after harm or where energy was lost, +1 where it was gained,
        else 0). With privileged=True: what is held back and felt, the position, how the seeker resists.

    Arguments:
        user: who puts into words what the seeker does: an object, or a language model's description; default: a script.
        judge: who gives the levels instead of the analyser, likewise; default: nobody.
        levels: whether actions are levels instead of text.
        min_turns: before which no talk is won or lost by the rules; default: EMPA's 12.
        data: "sage", or the name of a set of its kind in the store: SAGE's seekers; data_dir: or its folder. They need
            user= and judge=.
        and those of AgentEnv; `tasks` replaces the panel: Task(id, {"name", "manner", "resistance", "items", "story"}).
    Determinism:
        The seed draws the seeker's voice once; afterwards nothing is drawn.
    Known exploits tried:
        See README.md: no action, lecturing, flattery, repeating oneself, advice at once, stuffing, orders to the
        judge, other topics, the seeker's own words.
    Source:
        EMPA's rules: MICA (arXiv 2603.06194) and its released code. Skills: Hill's helping skills, as in ESConv
        (arXiv 2106.01144). Stories, seekers and their words are this project's own.
    Versions:
        1: first.
    """

    version: ClassVar[str] = "1"
    max_turns = 20
    rewards: ClassVar[RewardSpec] = RewardSpec({"progress": 1.0})
    extra_signals: ClassVar[Sequence[str]] = ("critique",)

    def __init__(
        self,
        *,
        user: UserSimulator | Mapping[str, Any] = SCRIPTED,
        judge: Judge | Mapping[str, Any] | None = None,
        levels: bool = False,
        min_turns: int = rules.MIN_TURNS,
        data: str = "",
        data_dir: str | os.PathLike[str] = "",
        **shell: Any,
    ) -> None:
        store.check_given(data, data_dir)
        if levels and judge is not None:
            raise ValueError("levels=True takes the levels from the action, so no judge is asked: leave one out")
        if isinstance(min_turns, bool) or not isinstance(min_turns, int) or min_turns < 1:
            raise ValueError(f"min_turns must be a whole number of at least 1, not {min_turns!r}")
        self.user, self.judge, self.levels, self.min_turns = as_user(user), as_judge(judge), levels, min_turns
        self.problems: tuple[store.Problem, ...] = ()
        if data or data_dir:
            if shell.get("tasks") is not None:
                raise ValueError("tasks= and data= or data_dir= each say which tasks there are: leave one out")
            source = store.find(data, data_dir, (sage.KIND,), "seekers", lambda folder: sage.KIND)
            shell["tasks"], self.problems = source.panel, source.problems
            shell.setdefault("split", "test")
            self._check_spoken(shell.get("signals", ()))
        elif shell.get("tasks") is None:
            shell["tasks"] = tasks.panel()
        super().__init__(**shell)
        self._seekers: dict[str, Seeker] = {}
        self._openings: dict[
            tuple[str, int], Opening[SupportState]
        ] = {}  # the same objects for a group of equal starts
        self._system = text.system(self.max_turns)

    def _check_spoken(self, signals: Sequence[str]) -> None:
        """Refuse public seekers without somebody who speaks and somebody who rates, and signals that need a script."""
        if self.user.scripted or (self.judge is None and not self.levels):
            raise ValueError(
                "these seekers have no script, and the analyser does not read their language: give user= and judge=, "
                'such as {"model": "NAME", "endpoint": URL}'
            )
        if unscripted := sorted({"menu", "expert"}.intersection(signals)):
            raise ValueError(f"these seekers have no script, so there is no {unscripted[0]}: leave that signal out")

    def initial(self, task: Task, rng: TurnRng) -> Opening[SupportState]:
        """Return the task's first state; the seeker's voice is drawn. The first words are scripted, whoever speaks."""
        voice = rng.bits() >> 32
        kept = self._openings.get((task.id, voice))
        if kept is not None:
            return kept
        seeker = self._seeker(task)
        said = seeker.story.openers[0] if seeker.role else grammar.opening(seeker, Chooser(voice, "opens"))
        state = SupportState(
            seeker, voice, (seeker.start,), wall=seeker.wall, talk=(("user", said),), free=not self.user.scripted
        )
        if len(self._openings) >= KEPT:
            self._openings.clear()
        found = self._openings[task.id, voice] = Opening(state, said, self._system)
        return found

    def transition(self, state: SupportState, action: Action, rng: TurnRng) -> Turn[SupportState]:
        """Return what the seeker makes of a message; with a scripted seeker nothing is drawn."""
        heard = action.text if isinstance(action, Say) else ""
        reading = self._read(state, heard)
        position = rules.moved(state.position, rules.move(Levels(*reading.levels)))
        found = listen.reply(state, reading)
        talk = (*state.talk, ("assistant", heard))
        trail = (*state.trail, position)[-TRAIL:]
        turns = state.heard + 1
        act, about, end = self._decided(state, found, trail, turns)
        if state.seeker.role:
            words = sage.DIRECTIONS[act]
        else:
            words = grammar.words(
                state.seeker, act, about, Chooser(state.voice, turns, act, about, position, state.wall)
            )
        draft = Draft(words, act, choices=() if end else (listen.LEAVE,))
        said = self.user.speak(Scene(state.seeker.card, talk), draft, rng)
        if said.act == listen.LEAVE and not end:
            act, end = "leaves", Outcome(False, 0.0, EndReason.USER_LEFT, "the seeker chose to leave")
        changes = dict(found.changes)
        if not reading.skills.isdisjoint(rewards.VIOLATIONS):
            changes["harmed"] = True
        after = state.then(trail, act, about, changes, (*talk, ("user", said.text)))
        return self._recorded(state, after, reading, said.text, end)

    def _decided(
        self, state: SupportState, found: listen.Reply, trail: Sequence[rules.Position], turns: int
    ) -> tuple[str, str, Outcome | None]:
        """Return the seeker's act, what it is about, and the outcome where EMPA's rules end the talk."""
        start = state.seeker.start
        how = rules.won(start, trail[-1], turns, self.min_turns)
        if how:
            return "thanks", found.about, Outcome(True, 1.0, EndReason.SOLVED, how)
        why = rules.lost(start, trail, turns, self.min_turns)
        if why:
            return "leaves", found.about, Outcome(False, 0.0, EndReason.FAILED, why)
        return found.act, found.about, None

    def _recorded(
        self, before: SupportState, after: SupportState, reading: Reading, said: str, end: Outcome | None
    ) -> Turn[SupportState]:
        """Return the turn with all that it records."""
        gained = rules.energy(before.seeker.start, before.position, after.position)
        broken = rewards.violations(reading)
        was, now = rewards.subgoal(before), rewards.subgoal(after)
        turn = Turn(
            after, said, {"progress": rewards.progress(before, after)}, end,
            tag=rewards.tag(after.act, reading, before, after), subgoal=was, switch=was != now,
            violations=broken, safe=not broken,
            step_score=min(1.0, max(0.0, 1.0 - after.distance / before.seeker.far)),
            rubrics=rewards.rubrics(after.act, before.heard == 0, reading, before, after),
            metrics=rewards.metrics(before, after, gained) | heard_skills(reading.skills),
        )  # fmt: skip
        if "critique" in self.signals:
            turn.critique = rewards.critique(gained.gain, reading)
        return turn

    # ---- what a message is worth -------------------------------------------------------------------------------------

    def _read(self, state: SupportState, heard: str) -> Reading:
        """Return what a message does: by the analyser, its levels by a judge or by the action itself where so asked."""
        if self.levels:
            return reading_of(heard, state.feelings)
        if self.judge is None:
            return read(state, heard)
        scene = Scene(state.seeker.card, (*state.talk, ("assistant", heard)))
        rated = self.judge.levels(scene, ITEMS)
        levels = rules.checked(Levels(*(rated[item.name] for item in ITEMS)))
        if state.seeker.role:
            return reading_from(levels, state.feelings)
        found = read(state, heard)
        return Reading(found.skills, (*levels,), found.facts, found.feelings, found.evidence)

    # ---- hooks -------------------------------------------------------------------------------------------------------

    def canonical(self, state: SupportState) -> bytes:
        """Return all that decides the futures of a state."""
        return state.canonical()

    def anchor(self, state: SupportState) -> bytes:
        """Return what the supporter can tell apart."""
        return state.anchor()

    def potential(self, state: SupportState) -> float:
        """Return −(distance to where nothing is missing)."""
        return -state.distance

    def expert(self, state: SupportState) -> str:
        """Return the expert's message."""
        return BEST if self.levels else expert.advice(state)

    def menu(self, state: SupportState) -> Sequence[str]:
        """Return messages that look alike, the expert's among them; see `menu`."""
        return LEVELS if self.levels else menu.entries(state)

    def describe(self, state: SupportState) -> str:
        """Return what the supporter knows by now."""
        return text.describe(state)

    def secrets(self, state: SupportState) -> dict[str, Any]:
        """Return what is held back, what is missing, and how the seeker resists."""
        return text.secrets(state.seeker, state)

    def card(self, state: SupportState) -> str:
        """Return the role of the seeker, for whoever speaks in their place."""
        return state.seeker.card

    def panels(self) -> list[tuple[TaskPanel, float | None]]:
        """Return the shipped panel, with the success of random choice on its test split."""
        return [(tasks.panel(), tasks.random_success().get(tasks.PANEL))]

    def exploits(self) -> Mapping[str, Script]:
        """Return the bad supporters by name."""
        return bad_supporters()

    def quality(self) -> list[Quality]:
        """Return what was measured of the shipped seekers, whatever this world plays; it takes a minute."""
        return quality.measure(type(self)())

    def pack(self, state: SupportState) -> Any:
        """Return plain values that hold the state, but for what its task says."""
        return state.pack()

    def unpack(self, value: Any) -> SupportState:
        """Return the state of such values."""
        task, *rest = value
        return SupportState.unpack(self._seeker(self.panel.task(task)), rest)

    def _seeker(self, task: Task) -> Seeker:
        found = self._seekers.get(task.id)
        if found is None:
            found = self._seekers[task.id] = seeker_of(task)
        return found


@lru_cache(maxsize=512)
def heard_skills(skills: frozenset[str]) -> dict[str, float]:
    """Return the metrics that say which skills were heard; nobody changes them."""
    return {f"skill_{name}": 1.0 for name in sorted(skills)}


# ---- levels as actions -----------------------------------------------------------------------------------------------

_LEVELS: Final = re.compile(r"C([+-]?[0-2]) A([+-]?[0-2]) P([+-]?[0-2])")
BEST: Final = "C+2 A+2 P+2"
LEVELS: Final = (BEST, "C+1 A+1 P+1", "C+1 A0 P0", "C0 A+1 P0", "C0 A0 P+1", "C0 A0 P0", "C-1 A-1 P-1", "C-2 A-2 P-2")
"""The menu of a world in which levels are given directly."""


def reading_of(action: str, feelings: tuple[str, ...] = ()) -> Reading:
    """Return the reading of an action that gives levels, such as "C+1 A0 P-2".

    Args:
        action: what the supporter wrote.
        feelings: of the seeker, in the order in which they are due.

    Raises:
        InvalidAction: it is of another form.
    """
    match = _LEVELS.fullmatch(" ".join(action.split()))
    if match is None:
        raise InvalidAction("levels are written as 'C+1 A0 P-2', one of -2 … +2 for each of the three axes")
    c, a, p = (int(value) for value in match.groups())
    return reading_from(Levels(max(c, 0), min(c, 0), max(a, 0), min(a, 0), max(p, 0), min(p, 0)), feelings)


def reading_from(levels: Levels, feelings: tuple[str, ...]) -> Reading:
    """Return the reading of which levels are all that is known.

    Progress on an axis stands for the skill that serves it: open question, reflection of what is felt, affirmation.
    """
    helped = {"open_question": levels.c_prog, "reflection": levels.a_prog, "affirmation": levels.p_prog}
    skills = frozenset(name for name, level in helped.items() if level)
    return Reading(skills, (*levels,), (), feelings[: levels.a_prog > 0])
