COVERED = {
    "reinforce_pp.trajectory": 1,
    "reinforce_pp.turn": 1,
    "reinforce_pp_baseline.trajectory": 1,
}
