"""Settings shared by all tests."""

import os

from hypothesis import settings

# Times vary on shared machines, so no deadline. Examples follow from the test alone: a failure is the same everywhere.
settings.register_profile("default", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("all", max_examples=5000, deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
