COVERED = {
    "grpo_mr.mt": 1,
    "grpo_or.mt": 1,
    "mt_grpo.future_sum": 4,
    "mt_grpo.own_turn": 2,
    "mt_grpo.two_segment": 1,
}
