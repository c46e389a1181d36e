COVERED = {
    "gtpo_hybrid": 3,
    "hian_fused_advantage": 3,
}
