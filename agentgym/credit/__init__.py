"""The estimators: pure functions from a TurnBatch to named terms, one value a turn.

`estimate("gigpo", batch, step_weight=0.5)` gives a `Credit`; `names()` lists the estimators, `info(name)` says what
one needs and which options and presets it has; `@estimator` adds one, `load("my_file.py:my_function")` takes one from
a file.
"""

from agentgym.credit.calibration import calibrate
from agentgym.credit.critique import arew
from agentgym.credit.graph_path import graphgpo
from agentgym.credit.graph_return import bipace, g2po, gagpo
from agentgym.credit.hca import hca, hca_state_q, hindsight_table
from agentgym.credit.hierarchy import hae, keep_penalty
from agentgym.credit.hindsight import hcapo
from agentgym.credit.history_group import hgpo
from agentgym.credit.plan import apex_plan, plan_reward
from agentgym.credit.potential import igpo, mica, stepwise_gain, zone_distance
from agentgym.credit.reflection import ricl, ricol_target
from agentgym.credit.registry import Estimator, as_estimator, column, estimate, estimator, info, load, names
from agentgym.credit.reinforce import reinforce_pp, reinforce_pp_baseline
from agentgym.credit.result import Channel, Credit, Terms, TokenCredit
from agentgym.credit.revision import edit_mask, ibpo
from agentgym.credit.rubric import rtt
from agentgym.credit.safety import expected_cost, lagrangian_mix, multiplier_loss, traces, update_multiplier
from agentgym.credit.shaping import potential_shaping
from agentgym.credit.soft_group import proxmo, proxmo_weight
from agentgym.credit.state_graph import state_graph
from agentgym.credit.step_group import gigpo
from agentgym.credit.teacher import scope
from agentgym.credit.trajectory import dr_grpo, grpo, rloo
from agentgym.credit.transition import atr
from agentgym.credit.tree import Divergence, slate, surgical_loss, tstar, vine
from agentgym.credit.turn import mt_grpo, mt_grpo_unbiased
from agentgym.credit.turn_hybrid import gtpo_hybrid, hian, turn_return
from agentgym.credit.value import gae
from agentgym.score import csmr, mt_grpo_rewards, slate_reward, soft_match

__all__ = [
    "Channel",
    "Credit",
    "Divergence",
    "Estimator",
    "Terms",
    "TokenCredit",
    "apex_plan",
    "arew",
    "as_estimator",
    "atr",
    "bipace",
    "calibrate",
    "column",
    "csmr",
    "dr_grpo",
    "edit_mask",
    "estimate",
    "estimator",
    "expected_cost",
    "g2po",
    "gae",
    "gagpo",
    "gigpo",
    "graphgpo",
    "grpo",
    "gtpo_hybrid",
    "hae",
    "hca",
    "hca_state_q",
    "hcapo",
    "hgpo",
    "hian",
    "hindsight_table",
    "ibpo",
    "igpo",
    "info",
    "keep_penalty",
    "lagrangian_mix",
    "load",
    "mica",
    "mt_grpo",
    "mt_grpo_rewards",
    "mt_grpo_unbiased",
    "multiplier_loss",
    "names",
    "plan_reward",
    "potential_shaping",
    "proxmo",
    "proxmo_weight",
    "reinforce_pp",
    "reinforce_pp_baseline",
    "ricl",
    "ricol_target",
    "rloo",
    "rtt",
    "scope",
    "slate",
    "slate_reward",
    "soft_match",
    "state_graph",
    "stepwise_gain",
    "surgical_loss",
    "traces",
    "tstar",
    "turn_return",
    "update_multiplier",
    "vine",
    "zone_distance",
]
