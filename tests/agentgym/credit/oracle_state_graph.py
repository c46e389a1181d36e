COVERED = {
    "state_graph": 9,
}
