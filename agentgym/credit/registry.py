"""The register of estimators: declare one, look one up, run one, load one from a file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.batch.columns import COLUMNS
from agentgym.credit.algebra import TooLarge
from agentgym.credit.diagnostics import checks
from agentgym.credit.options import check_option, kind_of
from agentgym.credit.result import Credit, known_token_counts, make_credit
from agentgym.errors import MissingColumn, unknown

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

Needs = Sequence[str] | Callable[..., Sequence[str]]
Function = Callable[..., Any]


@dataclass(frozen=True)
class Estimator:
    """A registered estimator; called with a batch and options it returns a `Credit`.

    Attributes:
        name: the name it is looked up by.
        function: `f(batch, **options) -> terms`, as written.
        paper: arXiv id, or "".
        presets: option values that go together, by name.
        options: every option with its default.
    """

    name: str
    function: Function = field(repr=False)
    paper: str = ""
    _needs: Needs = field(default=(), repr=False)
    _signals: Needs = field(default=(), repr=False)
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    _kinds: Mapping[str, str] = field(default_factory=dict, repr=False)
    open: bool = field(default=False, repr=False)

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns it reads with its default options."""
        return self.needs_with()

    def needs_with(self, *, preset: str | None = None, **options: Any) -> tuple[str, ...]:
        """The columns it reads with these options."""
        return self._read(self._needs, preset, options)

    @property
    def signals(self) -> tuple[str, ...]:
        """What worlds must be asked for while collecting, with its default options."""
        return self.signals_with()

    def signals_with(self, *, preset: str | None = None, **options: Any) -> tuple[str, ...]:
        """What worlds must be asked for while collecting, with these options."""
        return self._read(self._signals, preset, options)

    def _read(self, names: Needs, preset: str | None, options: Mapping[str, Any]) -> tuple[str, ...]:
        settings = self.settings(preset, options)
        return tuple(names(**settings) if callable(names) else names)

    def settings(self, preset: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
        """Its options: the defaults, over them the preset, over that what the caller gave.

        Raises:
            ValueError: an unknown preset, or a value of another type than the option takes; TypeError: an unknown
                option. Unknown names get the nearest one.
        """
        if preset is not None and (not isinstance(preset, str) or preset not in self.presets):
            raise ValueError(unknown("preset", preset, self.presets, f"of {self.name}"))
        for option, value in options.items():
            if option not in self.options and not self.open:
                raise TypeError(unknown("option", option, [*self.options, "preset"], f"of {self.name}"))
            check_option(self.name, option, value, self._kinds.get(option, ""), self.options.get(option))
        return {**self.options, **(self.presets[preset] if preset is not None else {}), **options}

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel by column, by file where `load` read it from one, by name where registered, else by the function."""
        if isinstance(self.function, _Column):
            return column, (self.function.name, self.function.minus)
        module, name = (str(getattr(self.function, key, "")) for key in ("__module__", "__qualname__"))
        if module.startswith(_FROM_FILE) and hasattr(sys.modules.get(module), name):
            return _loaded, (module, f"{sys.modules[module].__file__}:{name}")
        return (info, (self.name,)) if _REGISTER.get(self.name) is self else (as_estimator, (self.function,))

    def __call__(self, batch: TurnBatch, *, preset: str | None = None, **options: Any) -> Credit:
        """Estimate the advantages of a batch; see `estimate`."""
        settings = self.settings(preset, options)
        for column in self._needs(**settings) if callable(self._needs) else self._needs:
            batch.need(column, who=f"estimator {self.name!r}")
        try:
            made = self.function(batch, **settings)
        except MissingColumn as error:  # a column that only the body knows of
            raise MissingColumn(f"estimator {self.name!r} cannot run: {error}") from error
        except TooLarge as error:
            raise TooLarge(f"estimator {self.name!r} cannot run: {error}") from error
        except Exception as error:
            error.add_note(f"while estimating with {self.name!r}{_line(error)}")
            raise
        return make_credit(
            self.name, settings, made, len(batch), partial(checks, batch, settings), known_token_counts(batch)
        )


_REGISTER: dict[str, Estimator] = {}
_FROM_FILE = "agentgym_estimator_"  # how the names of modules that `load` makes of files begin
_SIGNALS = {
    "potential": "potential",
    "next_potential": "potential",
    "critique": "critique",
    "switch": "subgoal",
}
"""The signal that worlds have to be asked for to record a column of one number a turn."""


class _Absent(Exception):
    """There is nothing to load; a file or module that is there fails with other errors."""


def estimator(
    name: str,
    *,
    paper: str = "",
    needs: Needs = (),
    signals: Needs = (),
    presets: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Callable[[Function], Estimator]:
    """Register `f(batch, **options) -> terms` under a name.

    Args:
        name: what `estimate` and the command line call it.
        paper: arXiv id.
        needs: the columns that it reads, or a function from its options (as keywords) to them.
        signals: what `collect` has to ask worlds for, or a function from its options to that.
        presets: named sets of option values; an option that the caller gives wins over the preset.

    The function takes the batch and keyword-only options with defaults, and returns one array, a mapping of term name
    to array (already weighted, in row order), or `Terms`. The decorated name is an `Estimator`: calling it gives a
    `Credit`.

    Raises:
        ValueError: the name is taken by another function, or a preset names an option that does not exist.
    """

    def register(function: Function) -> Estimator:
        made = _wrap(function, name, paper=paper, needs=needs, signals=signals, presets=presets)
        held = _REGISTER.get(name)
        if held is not None and _origin(held.function) != _origin(function):
            holder = f"{getattr(held.function, '__module__', '')}.{_origin(held.function)[1]}"
            raise ValueError(f"estimator {name!r} is already registered by {holder}: choose another name")
        for preset in presets:
            made.settings(preset, presets[preset])  # as the caller's options, so that an unknown one is an error here
        _REGISTER[name] = made
        return made

    return register


def estimate(
    estimator: str | Estimator | Function, batch: TurnBatch, *, preset: str | None = None, **options: Any
) -> Credit:
    """The advantages that an estimator gives the turns of a batch.

    Args:
        estimator: a registered name, an `Estimator`, or a plain function `f(batch, **options)` that returns one array
            or a mapping of term name to array.
        batch: the record.
        preset: a named set of options (released conventions).
        options: single options; they win over the preset.

    Returns:
        A `Credit`: `total` holds one float64 a row, in the batch's row order.

    Raises:
        ValueError: an unknown estimator or preset, a bad option value, a result that is not finite, rewards so large
            that their sums are beyond float64.
        TypeError: an unknown option.
        MissingColumn: the batch lacks a column; the message names it, the estimator and the remedy.
    """
    return as_estimator(estimator)(batch, preset=preset, **options)


def as_estimator(estimator: str | Estimator | Function) -> Estimator:
    """The `Estimator` behind a name or a plain function."""
    if isinstance(estimator, Estimator):
        return estimator
    if isinstance(estimator, str):
        return info(estimator)
    if not callable(estimator):
        raise TypeError(
            f"an estimator is a name, an Estimator or a function of a batch, not {type(estimator).__name__}"
        )
    return _wrap(estimator, getattr(estimator, "__name__", type(estimator).__name__))


def names() -> tuple[str, ...]:
    """The names of all registered estimators, sorted."""
    return tuple(sorted(_REGISTER))


def info(name: str) -> Estimator:
    """A registered estimator with its `paper`, `needs`, `signals`, `options` (with defaults) and `presets`.

    Raises:
        ValueError: no estimator of that name; the nearest one is offered.
    """
    if name not in _REGISTER:
        raise ValueError(unknown("estimator", name, names()))
    return _REGISTER[name]


def column(name: str, minus: str | None = None) -> Estimator:
    """A plain column of the batch as an estimator, so that a raw signal can be judged like one.

    Args:
        name: the column whose value is the advantage.
        minus: a column to take off, as in `column("next_potential", minus="potential")`, the potential's gain.

    Raises:
        ValueError: no record has such a column, or none that holds one number a turn; the nearest name is offered.
    """
    names = (name,) if minus is None else (name, minus)
    for each in names:
        numeric = [known for known, about in COLUMNS.items() if about.kind in ("int", "float", "bool")]
        if each not in numeric:
            raise ValueError(unknown("column", each, numeric, "with one number a turn"))

    title = name if minus is None else f"{name} - {minus}"
    signals = tuple(dict.fromkeys(_SIGNALS[each] for each in names if each in _SIGNALS))
    return _wrap(_Column(name, minus), title, needs=names, signals=signals)


@dataclass(frozen=True)
class _Column:
    """What `column` runs: a column, or the difference of two."""

    name: str
    minus: str | None

    def __call__(self, batch: TurnBatch) -> dict[str, Any]:
        values = np.asarray(batch[self.name], dtype=np.float64)
        return {self.name: values if self.minus is None else values - np.asarray(batch[self.minus], dtype=np.float64)}


def load(where: str) -> Estimator:
    """An estimator from outside: "my_file.py:my_function", "my_package.my_module:my_function", or "column:NAME".

    The function may be registered with `@estimator` or plain, `f(batch, **options)` that returns an array or a mapping.
    "column:NAME" is the column itself and "column:NAME-OTHER" the difference of two, see `column`.

    Raises:
        ValueError: no ":" in it, no such file or module, one that cannot be imported (the reason is named), or no such
            function in it (the nearest name is offered).
        TypeError: the name is not a function.
    """
    source, colon, name = where.rpartition(":")
    if not colon or not source or not name:
        raise ValueError(f'an estimator from outside is written "my_file.py:my_function", got {where!r}')
    if source == "column":
        return column(*name.split("-", 1))
    try:
        module = _load_file(Path(source)) if source.endswith(".py") else _load_module(source)
    except _Absent as error:
        raise ValueError(str(error)) from error.__cause__
    except Exception as error:  # of a file that someone else wrote
        own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(Path(source).resolve())]
        line = f" (line {own[-1].lineno})" if own else ""
        what = f"cannot load an estimator from {source!r}: it raised {type(error).__name__}: {error}{line}"
        raise ValueError(what) from error
    if not hasattr(module, name):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise ValueError(unknown("estimator", name, known, f"in {source}"))
    return as_estimator(getattr(module, name))


def _loaded(module: str, where: str) -> Estimator:
    """Return an estimator of a file for pickle: as the file is loaded here already, else loaded now."""
    found = getattr(sys.modules.get(module), where.rpartition(":")[2], None)
    return load(where) if found is None else as_estimator(found)


def _line(error: Exception) -> str:
    """Return ", line N of FILE" for the estimator's own line that an error came from; "" where it came from inside."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is the call of the estimator
    if not frames or Path(frames[0].filename).is_relative_to(Path(__file__).parent):
        return ""
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    return f", line {own[-1].lineno} of {own[-1].filename}"


def _wrap(
    function: Function,
    name: str,
    *,
    paper: str = "",
    needs: Needs = (),
    signals: Needs = (),
    presets: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Estimator:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    options = {p.name: p.default for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    bare = [option for option, default in options.items() if default is inspect.Parameter.empty]
    if bare:
        raise TypeError(f"estimator {name!r}: the options {bare} need defaults")
    made = Estimator(
        name,
        function,
        paper,
        needs if callable(needs) else tuple(needs),
        signals if callable(signals) else tuple(signals),
        MappingProxyType({preset: MappingProxyType(dict(values)) for preset, values in presets.items()}),
        MappingProxyType(options),
        MappingProxyType({p.name: kind_of(p) for p in parameters}),
        any(p.kind is p.VAR_KEYWORD for p in parameters),
    )
    object.__setattr__(made, "__doc__", function.__doc__)
    return made


def _origin(function: Function) -> tuple[str, str]:
    """Return file and name of a function: the same whatever module name its file was loaded under."""
    code = getattr(function, "__code__", None)
    source = getattr(function, "__module__", "") if code is None else Path(code.co_filename).resolve()
    return str(source), str(getattr(function, "__qualname__", function))


def _load_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name + ".").startswith(error.name + "."):
            raise  # the module is there; something that it imports is not
        raise _Absent(f"no module {name!r} to load an estimator from; for a file write its path with .py") from error


def _load_file(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise _Absent(f"no file {str(path)!r} to load an estimator from")
    name = f"{_FROM_FILE}{path.stem}_{hashlib.blake2b(str(path).encode(), digest_size=6).hexdigest()}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # a path that ends in .py always has a loader
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
