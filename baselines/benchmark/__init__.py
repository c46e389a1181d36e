"""The estimator benchmark: fidelity and learning tracks, evaluation metrics and the report."""
