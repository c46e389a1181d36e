"""The teacher of `scope`: a second model that scores what the first one sampled.

`teacher` in the configuration is the folder or hub name of a causal language model with the same tokenizer, a
checkpoint of this trainer with the same vocabulary, or "": the model itself as it was before the first update.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym.baselines.grpo import checkpoint
from agentgym.baselines.grpo.config import Config, TrainError
from agentgym.baselines.grpo.engine import TransformersEngine
from agentgym.baselines.grpo.model import pretrained, small
from agentgym.baselines.grpo.rollout import Played
from agentgym.baselines.grpo.tokens import HubTokens, Tokens, WordTokens
from agentgym.baselines.learned.teacher import with_teacher
from agentgym.batch import TurnBatch

if TYPE_CHECKING:
    from agentgym.baselines.grpo.prepare import Parts


class Teacher:
    """The maker of `teacher_logprobs`.

    Args:
        model: the teacher.
        parts: of the run. config: of the run.
    """

    def __init__(self, model: Any, parts: Parts, config: Config) -> None:
        self._engine = TransformersEngine(model, config, parts.tokens.end, parts.tokens.pad)

    def __call__(self, played: Played) -> TurnBatch:
        """Return the batch with the column."""
        return with_teacher(played.batch, played.transcripts, self._engine)


class FirstSelf(Teacher):
    """The same with the model itself as the teacher, as it was before the first update."""

    def first(self, model: Any) -> None:
        """Take the frozen copy; until then the model teaches itself."""
        self._engine.model = model


def begin(parts: Parts, config: Config) -> Teacher:
    """Return the teacher of a run.

    Raises:
        TrainError: no such model or checkpoint, or one that reads other tokens.
    """
    if not config.teacher:
        return FirstSelf(parts.model, parts, config)
    path = Path(config.teacher)
    model = _checkpoint(path, parts.tokens, config) if path.is_file() else _pretrained(parts.tokens, config)
    return Teacher(model.eval().requires_grad_(False), parts, config)


def _checkpoint(path: Path, tokens: Tokens, config: Config) -> Any:
    state = checkpoint.load(path, None, config.device)
    held = Config(**{**state["config"], "device": config.device, "context": config.context})
    if held.model or not isinstance(tokens, WordTokens) or tuple(state["words"]) != tokens.words:
        raise TrainError(
            f"the teacher {config.teacher} reads other tokens than the model: give a checkpoint with the same "
            "vocabulary, such as one of a run that began with the same warm_from"
        )
    model = small(held, tokens.size)
    model.load_state_dict(state["model"])
    return model


def _pretrained(tokens: Tokens, config: Config) -> Any:
    from dataclasses import replace

    model, theirs = pretrained(replace(config, model=config.teacher))
    if not isinstance(tokens, HubTokens) or not tokens.same(theirs):
        raise TrainError(
            f"the teacher {config.teacher!r} has another tokenizer than the model: give one with the same vocabulary"
        )
    return model
