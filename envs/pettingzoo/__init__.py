"""The two speakers of the dialogue worlds as two PettingZoo agents, one module a world.

To import this folder also makes the worlds known to PettingZoo, under the ids that they have in Gymnasium:
`pettingzoo.make("aec", "agentgym/CustomerService-v0")`, or "parallel".
"""

from typing import Final as _Final

try:
    from pettingzoo import register as _register
except ModuleNotFoundError as error:
    raise ImportError(
        "agentgym.envs.pettingzoo needs the package pettingzoo: install agentgym-suite[pettingzoo]"
    ) from error

WORLDS: _Final = {
    "customer_service_v0": "agentgym/CustomerService-v0",
    "emotional_support_v0": "agentgym/EmotionalSupport-v0",
    "sales_v0": "agentgym/Sales-v0",
}
"""Module of this folder → the id of its world."""

for _name, _id in WORLDS.items():
    _register("aec", _id, f"{__name__}.{_name}:env")
    _register("parallel", _id, f"{__name__}.{_name}:parallel_env")
