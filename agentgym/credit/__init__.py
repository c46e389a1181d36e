"""The estimators: pure functions from a TurnBatch to named terms, one value a turn."""
