COVERED = {
    "hcapo": 3,
    "hcapo.policy_ratio": 1,
}
