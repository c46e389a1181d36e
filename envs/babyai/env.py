"""BabyAIEnv: grid instructions, in text, on our own kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from agentgym.action import Action, Say, ToolCall
from agentgym.env import AgentEnv
from agentgym.envs.babyai import actions, expert, kernel, pack, tasks, text
from agentgym.envs.babyai.rewards import progress
from agentgym.envs.babyai.state import GridState
from agentgym.errors import unknown
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.snapshot import Snapshot
from agentgym.task import Task, TaskPanel
from agentgym.turn import EndReason, InvalidAction, Opening, Outcome, Turn, TurnInfo

OUTCOMES = ("scaled", "binary")
DEFAULT_LEVEL = "goto"

SYSTEM = """\
You guide an agent through a world of square cells with walls, doors, keys, balls and boxes.
Your goal: {mission}.

Every turn you read what the agent sees ahead of it, one thing a line, with distances in steps from where it stands; \
left, right and forward are as the agent looks. Then you write one action and nothing else:
turn left, turn right: turn on the spot
go forward: walk one step ahead; only empty cells and open doors can be entered
pick up: take the object one step ahead; the agent carries one at a time
drop: put down what is carried one step ahead, where the cell is empty
toggle: open or close the door one step ahead (a locked one needs the key of its colour in hand), or open the box
done: do nothing for a turn
To go to a thing means to stand beside it and face it. You have {limit} turns."""


class BabyAIEnv(AgentEnv[GridState]):
    """Grid instructions, in text.

    Description:
        An agent in a grid of rooms is told to go to, pick up, open or put things, singly or in sequence. minigrid
        makes the levels (all 96 BabyAI ids); the rules run in a kernel of our own that agrees with minigrid step for
        step. The mixed local level is the one of BALROG's and RICOL's tasks.
    Actions:
        One name a turn: turn left, turn right, go forward, pick up, drop, toggle, done. Case and white space are
        forgiven, anything else is an invalid action (see `actions.read`).
    Observations:
        What the agent sees in its 7 × 7 view, in the words of BabyAI-Text (`style`, `grammar`); empty when it sees
        nothing. The first observation of an episode begins with the instruction; the system text holds rules,
        instruction and limit. Where the agent starts with something in its hands, the first observation says so
        (BabyAI-Text's first one does not yet know).
    State and hash:
        Cells, agent, hands, marks of the instruction and the positions its verifiers noted, with the level's content;
        the turn counter is not part of it. Anchor: the same.
    Turn rewards:
        progress: the change of a cheap distance potential in [0, 1] that needs no planner (`rewards.progress`); the
        sum over an episode is the potential at its end less that at its start.
    Outcome:
        At success 1 − 0.9 · turns / limit, `limit` being the level's own (`outcome="binary"`: 1); else 0.
    Episode end:
        solved; failed, where an instruction is strict and the wrong door was opened or the order broken; turn_limit
        at the level's own limit or at `max_turns`, whichever comes first. Solving it on the last turn counts.
    Info:
        By signal: menu, describe; potential (less the turns the expert still needs, at most the level's limit) and
        expert; critique (+1, 0, −1: did the turn shorten the expert's plan); subgoal (what the expert would have
        worked at in this turn) with switch (whether it is another one than in the turn before). With privileged=True:
        the whole grid as text, the boxes' contents too (`text.whole`).

    Arguments:
        level: a panel (`tasks.PANELS`: goto, pickup, putnext, pick_up_seq_go_to, open, or a family such as GoToLocal)
            or one of the 96 ids; default "goto".
        outcome: "scaled" or "binary".
        style: "balrog" or "babyai_text" (lines with "You see ").
        grammar: "original" ("a open door", as both programs print it) or "fixed".
        num_dists: distractors of a mixed panel, 0 … 8; default 8 (BALROG's configuration sets 0).
        and those of AgentEnv; `tasks` replaces the panel: Task(id, {"level": id or mixed task, "seed": n}).
    Determinism:
        A task fixes its first state and the rules draw nothing: the episode's seed only orders the menu.
    Known exploits tried:
        No action, repeating the observation, several actions in one text: invalid, no reward, nothing happens. Random
        choice from the menu: see the table in README.md. Walking to and fro: progress telescopes to 0.
    Source:
        minigrid ≥ 3.2.0; Chevalier-Boisvert et al. 2019, BabyAI (arXiv 1810.08272); Carta et al. 2023, BabyAI-Text
        (arXiv 2302.02662); Paglieri et al. 2024, BALROG (arXiv 2411.13543).
    Versions:
        1: first.
    """

    version: ClassVar[str] = "1"
    max_turns = 5000  # for tasks of one's own: more than any level's limit, which cuts the episode first
    rewards: ClassVar[RewardSpec] = RewardSpec({"progress": 1.0})
    extra_signals: ClassVar[Sequence[str]] = ("critique", "subgoal")

    def __init__(
        self,
        *,
        level: str | None = None,
        outcome: str = "scaled",
        style: str = "balrog",
        grammar: str = "original",
        num_dists: int | None = None,
        **shell: Any,
    ) -> None:
        if outcome not in OUTCOMES:
            raise ValueError(unknown("outcome", outcome, OUTCOMES))
        if style not in text.STYLES:
            raise ValueError(unknown("style", style, text.STYLES))
        if grammar not in text.GRAMMARS:
            raise ValueError(unknown("grammar", grammar, text.GRAMMARS))
        if shell.get("tasks") is None:
            level = DEFAULT_LEVEL if level is None else level
            shell["tasks"] = tasks.panel(level, num_dists)
            if shell.get("max_turns") is None:
                shell["max_turns"] = tasks.longest(level, num_dists)
        elif level is not None or num_dists is not None:
            raise ValueError("tasks= replaces the panel: leave out level= and num_dists=, or leave out tasks=")
        super().__init__(**shell)
        self._scaled = outcome == "scaled"
        self._style, self._grammar = style, grammar
        self._pursued = ""  # the subgoal of the turn before, where subgoals are recorded
        self._measured: tuple[GridState | None, float] = (None, 0.0)

    def initial(self, task: Task, rng: TurnRng) -> Opening[GridState]:
        """Return the task's first state; nothing is drawn."""
        state = tasks.first_state(task.data, f"task {task.id!r}")
        level = state.level
        system = SYSTEM.format(mission=level.mission, limit=self.limit(state))
        return Opening(state, self.describe(state), system)

    def transition(self, state: GridState, action: Action, rng: TurnRng) -> Turn[GridState]:
        """Return what one action does; nothing is drawn, but a success is worth less the later it comes."""
        if not isinstance(action, Say):
            raise InvalidAction(f"No tools here. Write exactly one of: {', '.join(kernel.ACTIONS)}.")
        after, verdict = kernel.step(state, actions.read(action.text))
        before = self._progress(state)
        outcome = None if verdict == kernel.CONTINUE else self._ended(state, verdict, rng)
        observation = text.describe(after, self._style, self._grammar)
        return Turn(after, observation, {"progress": self._progress(after) - before}, outcome)

    def limit(self, state: GridState) -> int:
        """Return the level's own step limit, or `max_turns` where that is smaller."""
        return min(state.level.max_steps, self.max_turns)

    def potential(self, state: GridState) -> float:
        """Return minus the turns that the expert needs from here; minus the level's limit where it knows no way."""
        return -float(min(expert.remaining(state), state.level.max_steps))

    def expert(self, state: GridState) -> str:
        """Return the expert's action."""
        return kernel.ACTIONS[expert.expert_action(state)]

    def canonical(self, state: GridState) -> bytes:
        """Return all that decides the futures of a state, in bytes."""
        return state.canonical()

    def menu(self, state: GridState) -> Sequence[str]:
        """Return the actions that can matter here, whatever the instruction says."""
        return [kernel.ACTIONS[number] for number in actions.sensible(state)]

    def describe(self, state: GridState) -> str:
        """Return the instruction and what the agent sees."""
        seen = text.describe(state, self._style, self._grammar)
        return f"Your goal: {state.level.mission}.\n{seen}" if seen else f"Your goal: {state.level.mission}."

    def secrets(self, state: GridState) -> dict[str, str]:
        """Return the whole grid, of which the agent sees but what lies ahead."""
        return {"grid": text.whole(state)}

    def panels(self) -> list[tuple[TaskPanel, float | None]]:
        """Return the mixed panels and the families, each with the success of random choice on its test split."""
        measured = tasks.random_success()
        found = [(name, measured[name]["success"] if name in measured else None) for name in tasks.PANELS]
        return [(tasks.panel(name), success) for name, success in found]

    def pack(self, state: GridState) -> Any:
        """Return plain values that hold the state and its level."""
        return pack.pack(state)

    def unpack(self, value: Any) -> GridState:
        """Return the state of such values."""
        return pack.unpack(value)

    # ---- critique and subgoals: the shell's turns are judged, invalid ones too --------------------------------------

    def apply(
        self, state: GridState, action: str | ToolCall, rng: TurnRng
    ) -> tuple[Turn[GridState], bool, Action | None]:
        """Return (turn, valid, parsed action or None), with critique, subgoal and switch where they were asked for."""
        turn, valid, parsed = super().apply(state, action, rng)
        if "critique" in self.signals:
            gained = expert.remaining(state) - expert.remaining(turn.state) if turn.state is not state else 0
            turn.critique = float((gained > 0) - (gained < 0))
        if "subgoal" in self.signals:
            turn.subgoal = expert.subgoal(state)
            turn.switch = turn.subgoal != self._pursued
        return turn, valid, parsed

    def reset(  # type: ignore[override]
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, TurnInfo]:
        """Start an episode; see AgentEnv.reset."""
        moment = super().reset(seed=seed, options=options)
        self._pursued = ""
        return moment

    def step(self, action: str | ToolCall) -> tuple[str, float, bool, bool, TurnInfo]:  # type: ignore[override]
        """Take one turn; see AgentEnv.step."""
        moment = super().step(action)
        self._pursued = moment[-1].get("subgoal", "")
        return moment

    def restore(self, snapshot: Snapshot | bytes, *, branch: int | None = None) -> tuple[str, TurnInfo]:
        """Return to a moment; see AgentEnv.restore."""
        moment = super().restore(snapshot, branch=branch)
        self._pursued = moment[-1].get("subgoal", "")
        return moment

    def _ended(self, state: GridState, verdict: str, rng: TurnRng) -> Outcome:
        if verdict == kernel.FAILURE:
            return Outcome(False, 0.0, EndReason.FAILED, "the instruction was broken")
        if not self._scaled:
            return Outcome(True, 1.0)  # whoever watches `rng.turn` sees that the turn does not matter
        return Outcome(True, kernel.reward(rng.turn + 1, state.level.max_steps))

    def _progress(self, state: GridState) -> float:
        """Return the potential, remembered for the state measured last: the next turn begins with it."""
        seen, value = self._measured
        if seen is not state:
            value = progress(state)
            self._measured = (state, value)
        return value
