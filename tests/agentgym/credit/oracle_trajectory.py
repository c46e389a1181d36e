COVERED = {
    "degenerate.trajectory": 3,
    "dr_grpo.trajectory": 1,
    "grpo.cross_steps": 2,
    "grpo.trajectory": 4,
    "grpo_on_summed_reward": 1,
    "rloo.cross_steps": 1,
    "rloo.trajectory": 1,
}
