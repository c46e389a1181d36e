"""Moments of an episode: AgentEnv's snapshot, restore, fork and copy."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar, cast

from agentgym import _info, _setup
from agentgym.digest import decode, state_hash
from agentgym.errors import SnapshotError, StepAfterEnd
from agentgym.rng import checked_seed
from agentgym.snapshot import Packed, Snapshot
from agentgym.space import UnicodeText
from agentgym.turn import TurnInfo

if TYPE_CHECKING:
    from agentgym.env import AgentEnv

_COMPANIONS = {"subgoal": "switch", "critique": "channel"}
"""Keys of info that come with a signal of a world's own."""

Env = TypeVar("Env", bound="AgentEnv[Any]")


def snapshot(env: AgentEnv[Any]) -> Snapshot:
    """Return this moment; see AgentEnv.snapshot."""
    if env._task is None:
        raise StepAfterEnd(f"{type(env).__name__}: nothing to snapshot; call reset() first")
    return Snapshot(
        env.env_id, env.version, env.panel.hash, env.base_hash, env._task.id, env._seed, env._branch, env._turn,
        env.copy_state(env._state), env._observation, env._current_info(), env._over, env.pack,
        (env.signals, env.privileged),
    )  # fmt: skip


def restore(env: AgentEnv[Any], moment: Snapshot | bytes, branch: int | None) -> tuple[str, TurnInfo]:
    """Return to a moment; see AgentEnv.restore. Everything is checked before anything changes."""
    if isinstance(moment, bytes):
        moment = Snapshot.from_bytes(moment)
    if not isinstance(moment, Snapshot):
        raise TypeError(f"restore takes a Snapshot or its bytes, not {type(moment).__name__}")
    theirs = (moment.world, moment.version, moment.panel, moment.base)
    mine = (env.env_id, env.version, env.panel.hash, env.base_hash)
    if theirs != mine:
        names = zip(("world", "version", "panel", "base"), theirs, mine, strict=True)
        name, found, wanted = next(row for row in names if row[1] != row[2])
        raise SnapshotError(f"the snapshot is of {name} {found!r}, this world has {wanted!r}")
    try:
        task = env.panel.task(moment.task)
    except KeyError as error:
        raise SnapshotError(f"the snapshot is of a task that this world lacks: {error.args[0]}") from error
    new_branch = moment.branch if branch is None else checked_seed(branch, "branch")
    state = env.copy_state(_unpacked(env, moment) if isinstance(moment.state, Packed) else moment.state)
    record = _with_signals(env, moment, state)
    env._task = task
    env._seed, env._branch, env._turn, env._over = moment.seed, new_branch, moment.turn, moment.over
    env._state, env._observation, env._history = state, moment.observation, record["history_hash"]
    env._hashes = (record["state_hash"], record["anchor_hash"])
    env._frame, env._last = _info.frame(env, moment.task, moment.seed), (_info.again, (record,))
    return moment.observation, _info.again(env, record)


def _unpacked(env: AgentEnv[Any], moment: Snapshot) -> Any:
    """Return the state that the bytes hold, having checked that it is the one that was recorded."""
    try:
        state = env.unpack(decode(moment.state.data, _setup.state_types(type(env))))
        found = state_hash(env.canonical(state))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise SnapshotError(f"the snapshot's state cannot be read: {error}") from error
    if found != moment.record["state_hash"]:
        raise SnapshotError(f"the snapshot's state is not the one recorded: {type(env).__name__}.unpack gives another")
    return state


def _with_signals(env: AgentEnv[Any], moment: Snapshot, state: Any) -> TurnInfo:
    """Return the moment's record with the signals that this world was asked for, and no others that it offers.

    The world's own signals speak of the turn that led here, so those that were not recorded cannot be made up for.
    """
    if moment.asked == (env.signals, env.privileged):
        return moment.record  # private to snapshots, and never changed
    asked = {*env.signals, "privileged"} if env.privileged else env.signals
    hooks = (*_setup.HOOKS, "privileged")
    extra = {name for own in env.extra_signals if own not in asked for name in (own, _COMPANIONS.get(own, own))}
    if not any((name in moment.record) is not (name in asked) for name in hooks) and extra.isdisjoint(moment.record):
        return moment.record
    dropped = extra.union(hooks)
    info: dict[str, Any] = {name: value for name, value in moment.record.items() if name not in dropped}
    info.update(_info.signals_of(env, state, moment.seed, moment.turn, not moment.over))
    return cast(TurnInfo, info)


def fork(env: Env, n: int, reseed: bool) -> list[Env]:
    """Return independent copies; see AgentEnv.fork."""
    if env._task is None:
        raise StepAfterEnd(f"{type(env).__name__}: nothing to fork; call reset() first")
    if n < 0:
        raise ValueError(f"fork(n) needs n of at least 0, not {n}")
    copies = []
    for index in range(n):
        fresh = copy(env)
        if reseed:
            address = b"%d,%d,%d" % (env._branch, env._turn, index)
            fresh._branch = int.from_bytes(blake2b(address, digest_size=8).digest(), "big") >> 1
        copies.append(fresh)
    return copies


def copy(env: Env) -> Env:
    """Return an independent world at the same moment; see AgentEnv.copy."""
    fresh = object.__new__(type(env))
    for name, value in vars(env).items():  # one by one: a dict update would cost every later attribute its fast path
        object.__setattr__(fresh, name, value)
    fresh._np_random = None
    fresh._np_random_seed = None
    for name in ("observation_space", "action_space"):
        space = getattr(env, name)
        if isinstance(space, UnicodeText):
            setattr(fresh, name, space.unseeded())
    if env._own_copy and env._task is not None:
        fresh._state = env.copy_state(env._state)
    return fresh
