"""Registration of worlds with Gymnasium, by string entry points that import nothing until a world is made."""

from __future__ import annotations

from typing import Any

import gymnasium


def register(id: str, entry_point: str, **kwargs: Any) -> None:
    """Make a world available to `gymnasium.make` and, as a GroupVectorEnv, to `gymnasium.make_vec`.

    Args:
        id: "namespace/Name-v0"; the version is a promise that results are comparable.
        entry_point: "package.module:Class" of an AgentEnv subclass.
        **kwargs: default constructor arguments.

    Raises:
        ValueError, TypeError: an entry point of another form.
    """
    if not isinstance(entry_point, str):
        raise TypeError(f"entry_point must be a str such as 'package.module:Class', not {entry_point!r:.60}")
    module, _, name = entry_point.partition(":")
    if not module or not name or ":" in name:
        raise ValueError(f"entry_point must look like 'package.module:Class', not {entry_point!r}")
    vectors = f"agentgym.vector:{module}.{name}"  # resolved there: Gymnasium tells no vector entry point its id
    gymnasium.register(id=id, entry_point=entry_point, vector_entry_point=vectors, kwargs=kwargs)
