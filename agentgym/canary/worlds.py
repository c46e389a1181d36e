"""The canary worlds: each pays only a trainer that keeps one thing, and what it learned instead tells what it dropped.

Every text of a world begins with a ticket, such as «Wages game 17, move 2, receipt qxa:». The game number is the seed
and the receipt follows from the seed and the words played so far, so a record of chat messages alone says which
episode it is of and whether the world saw the words that stand in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, ClassVar, Final

from agentgym.action import Action, Say
from agentgym.canary.diary import Entry, keep
from agentgym.env import AgentEnv
from agentgym.errors import InfraError
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.task import Task, TaskPanel
from agentgym.turn import InvalidAction, Opening, Outcome, Turn

TRAIN, DEV = 96, 32
PANEL: Final = TaskPanel(
    "canary",
    {"train": [Task(f"train-{n}") for n in range(TRAIN)], "dev": [Task(f"dev-{n}") for n in range(DEV)]},
)
"""All tasks are alike: what a game holds follows from its seed. They are many because trainers want many."""

LETTERS: Final = "bcdfghjklmnpqrstvwxz"


@dataclass(frozen=True)
class Game:
    """A game so far.

    Attributes:
        seed: its number.
        said: the words that were played.
        task: which only the expert looks at, so that it plays all words where all games have one number.
    """

    seed: int
    said: tuple[str, ...] = ()
    task: str = ""

    @property
    def receipt(self) -> str:
        """Return three letters that follow from all that was played."""
        found = blake2b(repr((self.seed, self.said)).encode(), digest_size=3).digest()
        return "".join(LETTERS[byte % len(LETTERS)] for byte in found)

    def drawn(self, among: tuple[str, ...]) -> str:
        """Return the word that this game is about."""
        return TurnRng(self.seed, stream="canary").choice(among)


class Canary(AgentEnv[Game]):
    """A game of single words; the base of all canary worlds.

    The actions are the world's `words`, alone. Every move is a word; other texts are invalid actions. The expert plays
    any word, so that a warm start teaches the form of an action and nothing else. A game that was played to its end is
    a success, whatever it paid: look at the reward.

    Attributes:
        words: that can be played.
        moves: after which a game ends; 0: it goes on to the limit.
    """

    panel: Any = PANEL
    max_turns = 6
    rewards: ClassVar[RewardSpec] = RewardSpec({"pay": 1.0})
    words: ClassVar[tuple[str, ...]] = ("amber", "olive")
    moves: ClassVar[int] = 1

    _entry: Entry | None = None

    # ---- what a canary writes ---------------------------------------------------------------------------------------

    def opens(self, game: Game) -> str:
        """Return what the first observation says."""
        return "Your move."

    def answers(self, game: Game) -> str:
        """Return what is said after a move."""
        return "Your move."

    def pays(self, game: Game) -> float:
        """Return the reward of the last move."""
        return 0.0

    def earns(self, game: Game) -> float:
        """Return the outcome reward of a game that has ended."""
        return 0.0

    # ---- the game ----------------------------------------------------------------------------------------------------

    def initial(self, task: Task, rng: TurnRng) -> Opening[Game]:
        """Return an unplayed game."""
        game = Game(rng.seed, task=task.id)
        return Opening(game, f"{ticket(type(self).__name__, game)}: {self.opens(game)}", self.rule())

    def rule(self) -> str:
        """Return the system text."""
        return f"Play one word at a time, nothing else: {' or '.join(self.words)}."

    def transition(self, state: Game, action: Action, rng: TurnRng) -> Turn[Game]:
        """Play a word."""
        word = action.text.strip().lower() if isinstance(action, Say) else ""
        if word not in self.words:
            at = ticket(type(self).__name__, state)
            raise InvalidAction(f"{at}: no word of this game; say {' or '.join(self.words)}")
        game = replace(state, said=(*state.said, word))
        end = Outcome(True, self.earns(game)) if self.over(game) else None
        text = f"{ticket(type(self).__name__, game)}: {self.answers(game) if end is None else 'Over.'}"
        return Turn(game, text, {"pay": self.pays(game)}, end)

    def over(self, game: Game) -> bool:
        """Return whether a game has ended by the rules."""
        return len(game.said) == self.moves

    def menu(self, state: Game) -> tuple[str, ...]:
        """Return the words."""
        return self.words

    def expert(self, state: Game) -> str:
        """Return any word."""
        return TurnRng(state.seed, turn=len(state.said), stream=f"canary expert {state.task}").choice(self.words)

    # ---- the diary ---------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> Any:
        """Start an episode; one that was left unfinished is written into the diary as such."""
        if self._entry is not None:
            keep(self._entry)
        found = super().reset(seed=seed, options=options)
        self._entry = Entry(type(self).__name__, found[1]["seed"])
        return found

    def restore(self, snapshot: Any, *, branch: int | None = None) -> Any:
        """Go to a moment; the episode that was under way is left out of the diary."""
        self._entry = None
        return super().restore(snapshot, branch=branch)

    def step(self, action: Any) -> Any:
        """Take a turn; where the episode ends it is written into the diary."""
        found = super().step(action)
        if self._entry is not None:
            self._entry = self._entry.after(action, found)
            if found[2] or found[3]:
                keep(self._entry)
                self._entry = None
        return found


def ticket(world: str, game: Game) -> str:
    """Return how every text of a world begins."""
    if not game.said:
        return f"{world} game {game.seed}"
    return f"{world} game {game.seed}, move {len(game.said)}, receipt {game.receipt}"


def hint(world: Canary, game: Game) -> str:
    """Return the word that a game is about, so often that a small model finds it."""
    return " ".join([game.drawn(world.words)] * 12)


class Control(Canary):
    """One word pays, always the same: who does not learn this learns nothing, and the other worlds say nothing."""

    def earns(self, game: Game) -> float:
        """Pay for amber."""
        return float(game.said[0] == "amber")


class Hint(Canary):
    """The observation of reset says which word pays, and nothing else does."""

    moves = 2

    def opens(self, game: Game) -> str:
        """Tell the word."""
        return f"{hint(self, game)} pays, on move 2. Any word for now."

    def answers(self, game: Game) -> str:
        """Ask for it."""
        return "Which word pays?"

    def earns(self, game: Game) -> float:
        """Pay for the word of the opening."""
        return float(game.said[1] == game.drawn(self.words))


class Middle(Canary):
    """The answer to the first move says which word pays on the third."""

    moves = 3

    def opens(self, game: Game) -> str:
        """Ask for anything."""
        return "Any word for now."

    def answers(self, game: Game) -> str:
        """Tell the word, then ask for it."""
        if len(game.said) == 1:
            return f"{hint(self, game)} pays, on move 3. Any word for now."
        return "Which word pays?"

    def earns(self, game: Game) -> float:
        """Pay for the word of the first answer."""
        return float(game.said[2] == game.drawn(self.words))


class Wages(Canary):
    """The first word decides what each of three moves pays; no outcome reward.

    amber pays 0, 1, 0; green pays 0, 0, ½; olive pays ½, 0, 0: who adds them up plays amber, who takes the last one
    alone green, who takes the first alone olive.
    """

    words = ("amber", "green", "olive")
    moves = 3
    wages: ClassVar[Mapping[str, tuple[float, float, float]]] = {
        "amber": (0.0, 1.0, 0.0), "green": (0.0, 0.0, 0.5), "olive": (0.5, 0.0, 0.0),
    }  # fmt: skip

    def pays(self, game: Game) -> float:
        """Pay what the first word is worth on this move."""
        return self.wages[game.said[0]][len(game.said) - 1]


class Echo(Canary):
    """amber pays, and the world answers it with olive after olive; and the other way round.

    Where the world's text is trained on, good episodes teach olive and bad ones unteach amber, twelve times as often
    as the policy's own word counts.
    """

    moves = 3

    def answers(self, game: Game) -> str:
        """Say the other word twelve times."""
        other = "olive" if game.said[-1] == "amber" else "amber"
        return " ".join([other] * 12)

    def pays(self, game: Game) -> float:
        """Pay for amber."""
        return float(game.said[-1] == "amber")


class Luck(Canary):
    """amber pays 1 and the game itself 0 or 20, by its number: only those who started equal can be compared."""

    def earns(self, game: Game) -> float:
        """Pay for amber and for luck."""
        luck = 20.0 if game.drawn(("good", "bad")) == "good" else 0.0
        return luck + float(game.said[0] == "amber")


class Shift(Canary):
    """amber pays 1 and goes on, to the limit of four turns; olive pays ½ and ends the game.

    Staying is best, and every game that stays is cut: who leaves cut rollouts out, or counts them as nothing, learns to
    leave on the last move.
    """

    max_turns = 4
    moves = 0

    def over(self, game: Game) -> bool:
        """End with olive."""
        return game.said[-1] == "olive"

    def pays(self, game: Game) -> float:
        """Pay for staying, and half for leaving."""
        return 1.0 if game.said[-1] == "amber" else 0.5


class Flat(Canary):
    """Whatever is played pays 0.7: every advantage of a group of equal rewards is 0."""

    def earns(self, game: Game) -> float:
        """Pay the same always."""
        return 0.7


class Outage(Canary):
    """Pays amber; every eighth game ends with an error of the infrastructure, which is no reward of 0."""

    def transition(self, state: Game, action: Action, rng: TurnRng) -> Turn[Game]:
        """Play a word, where nothing fails."""
        if state.seed % 8 == 3:
            raise InfraError("the canary's line is dead")
        return super().transition(state, action, rng)

    def earns(self, game: Game) -> float:
        """Pay for amber."""
        return float(game.said[0] == "amber")


WORLDS: Final[Mapping[str, type[Canary]]] = {
    world.__name__: world for world in (Control, Hint, Middle, Wages, Echo, Luck, Shift, Flat, Outage)
}
"""All canary worlds by the name that their tickets bear."""

TICKET: Final = re.compile(rf"({'|'.join(WORLDS)}) game (\d{{1,19}})(?:, move (\d+), receipt ([{LETTERS}]{{3}}))?:")
