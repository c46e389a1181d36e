"""Registration of worlds with Gymnasium, by string entry points that import nothing until a world is made."""

from __future__ import annotations

from typing import Any

import gymnasium


def register(id: str, entry_point: str, **kwargs: Any) -> None:
    """Make a world available to `gymnasium.make`.

    Args:
        id: "namespace/Name-v0"; the version is a promise that results are comparable.
        entry_point: "package.module:Class" of an AgentEnv subclass.
        **kwargs: default constructor arguments.
    """
    if ":" not in entry_point:
        raise ValueError(f"entry_point must look like 'package.module:Class', not {entry_point!r}")
    gymnasium.register(id=id, entry_point=entry_point, kwargs=kwargs)
