"""EmotionQuestionsEnv: EQ-Bench and EmoBench, a question an episode."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from agentgym import data as store
from agentgym.action import Action, Say
from agentgym.env import AgentEnv
from agentgym.envs.emotional_support.questions import emobench, eq_bench
from agentgym.envs.emotional_support.questions.emobench import Choices
from agentgym.envs.emotional_support.questions.eq_bench import Intensities
from agentgym.envs.emotional_support.questions.sets import EMO, EQ, kind_of, load_emo, load_eq, question
from agentgym.errors import WorldError
from agentgym.rng import TurnRng
from agentgym.task import Task, TaskPanel
from agentgym.turn import EndReason, Opening, Outcome, Turn, TurnInfo

OWN: Final = Path(__file__).parent / "data"
_RIGHT: Final = 1.0 - 1e-9


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and how far it is answered: "" while it is open."""

    question: Intensities | Choices
    answer: str = ""


class EmotionQuestionsEnv(AgentEnv[Asked]):
    """One question about what somebody feels, or what is best to do about it; one answer.

    Description:
        Evaluation tasks of one turn with the scoring of the benchmark that they come from: EQ-Bench v2 (how strongly
        does somebody feel each of four emotions) and EmoBench (which emotion and why; what is best to say or do).
    Actions:
        A text. EQ-Bench: a line «Emotion: number» for each of the four. EmoBench: a JSON object with letters.
    Observations:
        The question. After the answer, whether it was taken.
    State and hash:
        The question and the answer as it was read.
    Turn rewards:
        None.
    Outcome:
        EQ-Bench: its score of the answer as a share of the full one, 1 for the reference, about 0 for chance, −1.99 at
        worst. EmoBench: 1 or 0. Success: the full score.
    Episode end:
        The answer: solved or failed. What cannot be read is an invalid action; after five attempts, which EQ-Bench
        gives too, turn_limit.
    Info:
        metrics of the last turn: score (0 to 10), normalised (the score of version 1), first_pass and revised;
        correct, emotion, cause. With privileged=True: the reference.

    Arguments:
        data, data_dir: the set, by its name in the store (`agentgym data add eq-bench`, emobench), or the folder of its
            files. Default: the project's own questions in the forms of both, to try things with.
        split: "test" of EQ-Bench; "EU-en", "EU-zh", "EA-en" or "EA-zh" of EmoBench; of the own ones these, and "eq".
        revise: whether answers of EQ-Bench are to be criticised and revised, as its prompts say; it leaves that out by
            default since version 2.1.
    Determinism:
        Nothing is drawn.
    Known exploits tried:
        Nothing said, all emotions alike, the same letter everywhere, several answers in one, a score above 10. One of
        them EQ-Bench's own rule pays: the score 3 for every emotion gets 38.9 of 100 on its 171 questions.
    Source:
        Paech 2023, EQ-Bench (arXiv 2312.06281); Sabour et al. 2024, EmoBench (doi 10.18653/v1/2024.acl-long.326).
    Versions:
        1: first.
    """

    version: ClassVar[str] = "1"
    max_turns = 5
    max_observation: ClassVar[int] = 16384
    state_types: ClassVar[Sequence[type]] = (Intensities, Choices)

    def __init__(self, *, data: str = "", data_dir: str = "", revise: bool = False, **shell: Any) -> None:
        self.problems: tuple[store.Problem, ...] = ()
        self.revise = revise
        if data or data_dir:
            if "tasks" in shell:
                raise ValueError("tasks= and data= or data_dir= each say which tasks there are: leave one out")
            source = store.find(data, data_dir, (EQ, EMO), "questions about emotions", kind_of)
            shell["tasks"], self.problems = source.panel, source.problems
        elif "tasks" not in shell:
            shell["tasks"] = own_panel()
        if isinstance(shell["tasks"], TaskPanel) and "train" not in shell["tasks"]:
            shell.setdefault("split", next(iter(shell["tasks"])))
        super().__init__(**shell)

    def initial(self, task: Task, rng: TurnRng) -> Opening[Asked]:
        """Return the question."""
        try:
            asked = question(task.data, self.revise)
        except (KeyError, TypeError, ValueError) as error:
            raise WorldError(f"task {task.id!r} holds no question ({error!r}): see `questions.sets`") from error
        return Opening(Asked(asked), asked.text)

    def transition(self, state: Asked, action: Action, rng: TurnRng) -> Turn[Asked]:
        """Return what an answer scores. Raises InvalidAction: it cannot be read."""
        assert isinstance(action, Say), "a world without tools gets no calls"
        answer: Any = state.question.read(action.text)
        score, metrics = state.question.grade(answer)
        right = score >= _RIGHT
        end = Outcome(right, score, EndReason.SOLVED if right else EndReason.FAILED)
        return Turn(replace(state, answer=repr(answer)), "Your answer was taken.", outcome=end, metrics=metrics)

    def expert(self, state: Asked) -> str:
        """Return the reference."""
        return state.question.gold()

    def menu(self, state: Asked) -> Sequence[str]:
        """Return every answer of EmoBench's; of EQ-Bench's some that deal out the reference's intensities otherwise."""
        return state.question.choices()

    def describe(self, state: Asked) -> str:
        """Return the question."""
        return state.question.text

    def secrets(self, state: Asked) -> dict[str, Any]:
        """Return the reference."""
        return state.question.secrets()

    def panels(self) -> list[tuple[TaskPanel, float | None]]:
        """Return the shipped panel with the success of random choice on its first split."""
        panel = own_panel()
        return [(panel, chance(panel[next(iter(panel))]))]


def own_panel() -> TaskPanel:
    """Return the project's own questions, which lie in files of the two sets' forms."""
    eq, emo = load_eq(OWN, _silent), load_emo(OWN, _silent)
    return TaskPanel("emotion-questions", {"eq": eq.splits["test"], **emo.splits})


def chance(tasks: Iterable[Task]) -> float:
    """Return the success of uniform random choice from the menus of some tasks: one choice of each is right."""
    sizes = [1.0 / len(question(task.data, False).choices()) for task in tasks]
    return math.fsum(sizes) / len(sizes)


def report(env: EmotionQuestionsEnv, infos: Iterable[TurnInfo | Mapping[str, Any]]) -> dict[str, float]:
    """Return what the benchmark itself reports of a run.

    Args:
        env: the world that was played.
        infos: the last info of each episode, of one set; of EmoBench of one part and language.

    Raises:
        ValueError: none, or episodes of both sets, parts or languages.
    """
    played = [(env.panel.task(info["task"]).data, info) for info in infos]
    kinds = {(data["set"], data.get("part"), data.get("language")) for data, _ in played}
    if len(kinds) != 1:
        raise ValueError(f"a report is about episodes of one set, part and language, not of {len(kinds)}: group them")
    if played[0][0]["set"] == EQ:
        return eq_bench.report(info["metrics"] if "score" in info["metrics"] else None for _, info in played)
    return emobench.report((data["category"], info["success"]) for data, info in played)


def _silent(done: int, total: int) -> None:
    """Tell nobody how far it is."""
