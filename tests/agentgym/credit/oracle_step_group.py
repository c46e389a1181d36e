COVERED = {
    "gigpo": 3,
    "gigpo.degenerate": 2,
    "gigpo.similarity": 1,
}
