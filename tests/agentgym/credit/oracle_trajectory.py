COVERED = {
    "degenerate.trajectory": 3,
    "grpo.cross_steps": 2,
    "grpo.trajectory": 4,
    "grpo_on_summed_reward": 1,
}
