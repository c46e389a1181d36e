"""The made parts of the documentation: what every estimator does to one example group, and what it costs."""
