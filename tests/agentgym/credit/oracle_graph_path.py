COVERED = {
    "graphgpo": 12,
}
