"""Every tensor of a run is where the configuration says, tried without a GPU.

The device "meta" has shapes and no numbers, so what leaves a tensor there is made up below; whatever mixes it with a
tensor left on the CPU would fail on a GPU and fails here. A first try found no misplaced index of an embedding, which
"meta" lets pass, hence the look at the arguments of every operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from torch.fx.experimental import _config as fx_config  # noqa: E402 - after the check that torch is there
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

from agentgym.baselines.grpo import data, engine, model, train, warmstart  # noqa: E402
from agentgym.baselines.grpo.prepare import prepare  # noqa: E402

CROSSING = ("aten::_to_copy", "aten::copy_")  # these are what moves a tensor from one device to another


class OneDevice(TorchDispatchMode):
    """Refuses an operation on tensors of two devices; a tensor without dimensions may be anywhere, as with CUDA."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor) and leaf.dim()]
        found = sorted({tensor.device.type for tensor in tensors})
        if len(found) > 1 and func.name().split(".")[0] not in CROSSING:
            raise RuntimeError(f"{func.name()} mixes devices {found}")
        return func(*args, **(kwargs or {}))


def made_up(shape: Any, value: float) -> Any:
    return value if not shape else [made_up(shape[1:], value) for _ in range(shape[0])]


@pytest.fixture
def meta(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let numbers be read from "meta": ids are 5, log-probabilities −1, everything else 1."""
    tensor = torch.Tensor
    real = {name: getattr(tensor, name) for name in ("tolist", "cpu", "__float__", "__bool__")}

    def patch(name: str, instead: Any) -> None:
        monkeypatch.setattr(tensor, name, lambda self: instead(self) if self.is_meta else real[name](self))

    patch("tolist", lambda self: made_up(self.shape, -1.0 if self.dtype.is_floating_point else 5))
    patch("cpu", lambda self: torch.full(self.shape, -1.0, dtype=self.dtype))
    patch("__float__", lambda self: 1.0)
    patch("__bool__", lambda self: True)
    monkeypatch.setattr(engine, "precision", lambda config: nullcontext())  # autocast knows no "meta"
    with OneDevice(), fx_config.patch(meta_nonzero_assume_all_nonzero=True):
        yield


def trainer(folder: Path, **changes: Any) -> train.Trainer:
    config = grpo_world.config(**{"rollouts": 4, "group_size": 2, **changes})
    object.__setattr__(config, "device", "meta")  # which a configuration rightly refuses
    begun = train.Trainer(prepare(config), config, folder)
    begun.begin()
    credit = begun.controlled  # replies that are all the same have no credit, and there would be nothing to learn
    begun.controlled = lambda found: replace(credit(found), total=np.ones(len(found)), tokens=None)
    return begun


@pytest.mark.parametrize("changes", [{}, {"estimator": "hcapo", "kl": 0.1, "dual_clip": 3.0, "minibatches": 2}])
def test_an_update_and_an_evaluation_stay_on_the_device(meta: None, tmp_path: Path, changes: dict[str, Any]) -> None:
    begun = trainer(tmp_path, **changes)
    record = begun.update()
    assert begun.steps == changes.get("minibatches", 1)
    assert {"entropy", "drift", "loss", "grad_norm"} <= set(record)
    begun.evaluate()
    assert all(weights.is_meta for weights in begun.parts.model.parameters())
    states = [value for state in begun.optimizer.state.values() for value in state.values()]
    assert states
    assert all(value.is_meta for value in states if value.dim())


def test_a_warm_start_stays_on_the_device(meta: None, tmp_path: Path) -> None:
    begun = trainer(tmp_path, warm_episodes=8, warm_epochs=1)
    curve = warmstart.imitate(begun.parts, begun.config)
    assert len(curve["held_out"]) == 1


@pytest.mark.parametrize("field", ["ids", "old", "advantage", "weights"])
def test_a_tensor_left_on_the_cpu_is_found(
    meta: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    """Of a micro-batch; the mask is not among them, since transformers moves that to the device itself."""
    real = data.micro

    def misplaced(*given: Any) -> data.Micro:
        part = real(*given)
        held = getattr(part, field)
        return replace(part, **{field: torch.ones(held.shape, dtype=held.dtype)})

    monkeypatch.setattr(data, "micro", misplaced)
    with pytest.raises(RuntimeError, match="device"):
        trainer(tmp_path).update()


def test_cudnns_attention_is_off_on_a_gpu_and_left_alone_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[bool] = []
    monkeypatch.setattr(torch.backends.cuda, "enable_cudnn_sdp", said.append)
    moved: list[str] = []

    class Model:
        def to(self, device: str) -> Model:
            moved.append(device)
            return self

    model.placed(Model(), grpo_world.config())
    assert said == []
    model.placed(Model(), grpo_world.config(device="cuda"))
    assert said == [False]
    assert moved == ["cpu", "cuda"]


@pytest.mark.parametrize(("width", "inner"), [(160, 448), (1280, 3584), (30, 88)])
def test_the_small_models_widths_suit_matrix_units(width: int, inner: int) -> None:
    """14/5 of the width, rounded up to a multiple of 8: 448 and 3584 exactly, 84 → 88."""
    made = model.small(grpo_world.config(width=width, layers=1, heads=5), 40)
    assert made.config.intermediate_size == inner
