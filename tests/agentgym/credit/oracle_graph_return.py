COVERED = {
    "bipace": 4,
    "g2po": 15,
    "gagpo": 15,
}
