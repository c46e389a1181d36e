"""The systems of the literature that are covered: where each stands, which reference cases it passes, what it says.

A row is a paper with a method of its own for credit; the papers of the common baselines (grpo, dr_grpo, rloo,
reinforce_pp, gae) and the project's own controls stand apart. Two papers that share an estimator here are two rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CASES: Mapping[str, int] = {
    "apex_plan_reward_semantic_f1": 2,
    "arew_reweight_likelihood_margin": 1,
    "arew_reweight_step_abs_sum": 1,
    "atr_cycle_is_dissipative": 1,
    "atr_group_advantage": 1,
    "bipace": 4,
    "csmr": 1,
    "degenerate.trajectory": 3,
    "dr_grpo.trajectory": 1,
    "g2po": 15,
    "gagpo": 15,
    "gigpo": 3,
    "gigpo.degenerate": 2,
    "gigpo.similarity": 1,
    "gigpo.similarity.pairs": 1,
    "graphgpo": 12,
    "grpo.cross_steps": 2,
    "grpo.trajectory": 4,
    "grpo_mr.mt": 1,
    "grpo_on_summed_reward": 1,
    "grpo_or.mt": 1,
    "gtpo_hybrid": 3,
    "hae": 3,
    "hae.keep_penalty": 1,
    "hca.return": 1,
    "hca.state": 1,
    "hcapo": 3,
    "hcapo.policy_ratio": 1,
    "hian_fused_advantage": 3,
    "ibpo": 1,
    "ibpo.edit_mask": 1,
    "irc.reward_update": 1,
    "irc.soft_match": 1,
    "lagrangian_advantage_mix": 1,
    "mica_mixed_advantage": 5,
    "mt_grpo.future_sum": 4,
    "mt_grpo.own_turn": 2,
    "mt_grpo.rewards": 1,
    "mt_grpo.two_segment": 1,
    "proxmo": 3,
    "proxmo.psc": 1,
    "reinforce_pp.trajectory": 1,
    "reinforce_pp.turn": 1,
    "reinforce_pp_baseline.trajectory": 1,
    "ricl_advantage_logratio": 1,
    "rloo.cross_steps": 1,
    "rloo.trajectory": 1,
    "rtt_grpo_intra_group": 1,
    "rtt_grpo_intra_sample": 1,
    "rtt_grpo_intra_sample.released_reshape": 1,
    "scope_dual_path_weights_paper": 1,
    "scope_dual_path_weights_released": 1,
    "slate_step_advantage": 2,
    "state_graph": 9,
    "stepwise_gain_joint": 1,
    "stepwise_gain_per_step": 1,
    "traces_violation_credit": 1,
    "tstar.surgical_loss": 1,
    "tstar.tree": 1,
}
"""Reference cases that pass, by formula; tests hold this list to what they run."""


@dataclass(frozen=True)
class System:
    """One row.

    Attributes:
        name: how the paper calls it.
        paper: arXiv id; "" for a control of ours.
        estimator: that computes its credit here.
        cases: formulas among `CASES`.
        reads: what it reads beyond rewards, in words.
        says: the direction of its paper, one sentence.
        against: the estimator that the paper means to better, by whose side the figures decide.
        by: the claim that decides; "": what `on` names alone.
        on: the tracks of the benchmark whose figures decide (too): papers that say "train" are judged by learning;
            "safety": by the rules that are broken meanwhile.
        also: claims that say more about it.
        later: which kind of world will emit what it reads, where none does yet.
        note: what a reader of its figures has to know.
    """

    name: str
    paper: str
    estimator: str
    cases: tuple[str, ...]
    reads: str
    says: str
    against: str = "grpo"
    by: str = ""
    on: tuple[str, ...] = ("learning",)
    also: tuple[str, ...] = ()
    later: str = ""
    note: str = ""

    @property
    def passed(self) -> int:
        """How many reference cases pass."""
        return sum(CASES[formula] for formula in self.cases)


POTENTIAL = "a potential: here less the turns the expert still needs, which no model has to estimate"

SYSTEMS: tuple[System, ...] = (
    System(
        "MT-GRPO", "2505.11821", "mt_grpo",
        (
            "mt_grpo.future_sum", "mt_grpo.own_turn", "mt_grpo.two_segment", "mt_grpo.rewards", "grpo_or.mt",
            "grpo_mr.mt",
        ),
        "turn rewards", "Turn rewards, normalised turn by turn, train better than outcome or merged rewards alone.",
        also=("bandit", "searching"),
    ),
    System(
        "GTPO hybrid with iterative reward calibration", "2604.02869", "gtpo_hybrid",
        ("gtpo_hybrid", "irc.reward_update", "irc.soft_match"), "turn rewards; calibration reads tags",
        "Discounted returns beside the outcome train better than turn rewards normalised turn by turn.",
        against="mt_grpo", also=("bandit",),
    ),
    System(
        "MICA", "2603.06194", "mica", ("mica_mixed_advantage",), POTENTIAL,
        "Gains of a potential, normalised by turn and over the group, train better than one reward a rollout.",
        also=("consoling",),
    ),
    System(
        "DuCA (HIAN)", "2603.01481", "hian", ("hian_fused_advantage", "grpo_on_summed_reward"), "turn rewards",
        "Normalising each horizon alone keeps the reward of the session from drowning that of the turn.",
        by="horizons", on=(), also=("selling",),
    ),
    System(
        "Stepwise-Flow-GRPO", "2603.28718", "stepwise_gain", ("stepwise_gain_joint", "stepwise_gain_per_step"),
        POTENTIAL, "The gain of each step trains better than one reward for all steps.",
    ),
    System(
        "SQL-ASTRA (ATR)", "2603.16161", "atr", ("atr_group_advantage", "atr_cycle_is_dissipative", "csmr"),
        "a step score in [0, 1]", "The transition reward cannot be farmed: every cycle of scores loses.",
        by="cycles", on=(),
        later="one of SQL questions",
    ),
    System(
        "AReW", "2603.12109", "arew", ("arew_reweight_likelihood_margin", "arew_reweight_step_abs_sum"),
        "a critique of each turn: here whether it shortened the expert's way",
        "Moving credit between turns by a critique trains better than the base alone.",
    ),
    System(
        "IGPO", "2510.14967", "igpo", (), POTENTIAL,
        "Paying each turn its information gain trains better than the outcome alone.",
    ),
    System(
        "TIPS", "2603.22293", "potential_shaping", (), POTENTIAL,
        "Shaping by a potential of the turn trains better than the outcome alone.",
        note="Shaping is over grpo, where the potentials of a rollout telescope to the last less the first.",
    ),
    System(
        "VinePPO", "2410.01679", "vine", (), "values from fresh continuations of every turn",
        "Values from continuations are nearer to the truth than other baselines, and train better.",
        on=("fidelity", "learning"),
        later="any that forks, at the cost of continuations from every turn",
    ),
    System(
        "GiGPO", "2505.10978", "gigpo", ("gigpo", "gigpo.degenerate", "gigpo.similarity", "gigpo.similarity.pairs"),
        "equal states across rollouts", "Comparing turns at equal states betters one advantage a rollout.",
        by="names",
    ),
    System(
        "HGPO", "2602.22817", "hgpo", (), "equal states and their history",
        "Step groups weighed by equal history better step groups by state alone.", against="gigpo",
    ),
    System(
        "ProxMO", "2602.19225", "proxmo", ("proxmo", "proxmo.psc"), "the observation's text",
        "Soft groups of similar observations better groups of equal states.", against="gigpo",
    ),
    System(
        "SLATE", "2602.23440", "slate", ("slate_step_advantage",), "candidates sampled from shared prefixes",
        "Sampling from shared prefixes cuts the variance of the advantage by up to the number of turns T.",
        by="prefixes", on=(), also=("searching",),
        note="The figures on the panels are of ordinary groups, in which it compares turns of equal state.",
    ),
    System(
        "T-STAR", "2604.07165", "tstar", ("tstar.tree", "tstar.surgical_loss"), "next states",
        "Values on the merged tree of a group's rollouts better one advantage a rollout.",
    ),
    System(
        "GAGPO", "2605.13217", "gagpo", ("gagpo",), "equal states across rollouts",
        "Values of states shared by the group better step groups.", against="gigpo", by="names",
    ),
    System(
        "G2PO", "2606.22995", "g2po", ("g2po",), "equal states across rollouts, the success flag",
        "Comparing where turns lead on the state graph betters step groups.", against="gigpo", by="names",
    ),
    System(
        "GraphGPO", "2605.26684", "graphgpo", ("graphgpo",), "equal states across rollouts, the success flag",
        "Distances to success on the state graph better step groups.", against="gigpo", by="names",
    ),
    System(
        "BiPACE", "2606.25556", "bipace", ("bipace",), "equal states across rollouts, actions",
        "Comparing actions within a state betters step groups.", against="gigpo", by="names",
    ),
    System(
        "HCA", "1912.02503", "hca", ("hca.return", "hca.state"), "hindsight probabilities, fitted on the batch",
        "Credit by hindsight betters credit by the return alone.", on=("fidelity", "learning"),
    ),
    System(
        "HCAPO", "2603.08754", "hcapo", ("hcapo", "hcapo.policy_ratio"), "hindsight probabilities, fitted on the batch",
        "A hindsight term beside the outcome betters the outcome alone.",
    ),
    System(
        "RICL and RICOL", "2602.17497", "ricl", ("ricl_advantage_logratio",), "the policy's menu with feedback",
        "Log-ratios under feedback recover credit with fewer rollouts than returns.",
        on=("fidelity", "learning"),
    ),
    System(
        "IBPO", "2605.16302", "ibpo", ("ibpo", "ibpo.edit_mask"), "whether a sibling's hint mends a failed rollout",
        "Crediting failures that a hint would mend trains better than the outcome alone.",
        note="Where all failures of a group are mended as often, its standardised returns do not change.",
    ),
    System(
        "HiPER (HAE)", "2602.16165", "hae", ("hae", "hae.keep_penalty"), "subgoals and three values of each turn",
        "Advantages that stop at subgoals vary less than flat GAE.", by="hierarchy", on=(), against="gae",
    ),
    System(
        "APEX-Searcher", "2603.13853", "apex_plan", ("apex_plan_reward_semantic_f1",), "plans beside a reference plan",
        "Rewarding plans by their likeness to a reference trains better planners.", by="planning", on=(),
        later="one of search, with gold plans",
    ),
    System(
        "TraCeS", "2504.12557", "traces", ("traces_violation_credit", "lagrangian_advantage_mix"),
        "safety labels of rollouts", "Costs learned from labels of whole rollouts keep a policy safe.", on=("safety",),
        also=("labels",),
        note="Its costs are learned from the rollouts' labels alone, by a linear model of description and action.",
        later="one of customer service, with a policy to break",
    ),
    System(
        "RTT", "2604.02795", "rtt",
        ("rtt_grpo_intra_sample", "rtt_grpo_intra_group", "rtt_grpo_intra_sample.released_reshape"),
        "rubric scores and the tokens that each is about",
        "Rubric scores sent to their tokens train better than their mean.", by="rubrics", on=(),
        later="one with rubrics a session, of emotional support",
    ),
    System(
        "SCOPE", "2604.10688", "scope", ("scope_dual_path_weights_paper", "scope_dual_path_weights_released"),
        "token log-probabilities of policy and teacher",
        "Weighing teacher and own successes by perplexity trains better.",
        later="any, with a language model and its teacher",
    ),
)  # fmt: skip
"""By the order of the estimators' families."""

CONTROLS: tuple[System, ...] = (
    System("GRPO", "2402.03300", "grpo", ("grpo.trajectory", "grpo.cross_steps", "degenerate.trajectory"), "", ""),
    System("Dr. GRPO", "2503.20783", "dr_grpo", ("dr_grpo.trajectory",), "", ""),
    System("RLOO", "2402.14740", "rloo", ("rloo.trajectory", "rloo.cross_steps"), "", ""),
    System("REINFORCE++", "2501.03262", "reinforce_pp", ("reinforce_pp.trajectory", "reinforce_pp.turn"), "", ""),
    System(
        "REINFORCE++ baseline", "2501.03262", "reinforce_pp_baseline", ("reinforce_pp_baseline.trajectory",), "", ""
    ),
    System("GAE", "1506.02438", "gae", (), "", ""),
    System("return to go", "", "turn_return", (), "", ""),
    System("MT-GRPO without its bias", "", "mt_grpo_unbiased", (), "", ""),
    System("consistent values on the state graph", "", "state_graph", ("state_graph",), "", ""),
)
"""Baselines of the field, and controls of this project."""
