"""Settings shared by all tests."""

import gc
import os

import pytest
from hypothesis import settings

# Times vary on shared machines, so no deadline. Examples follow from the test alone: a failure is the same everywhere.
settings.register_profile("default", max_examples=20, deadline=None, derandomize=True)
settings.register_profile("all", max_examples=5000, deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    """Keep what worlds make when they are first played, such as indexes, beside pytest's own cache."""
    if "AGENTGYM_CACHE" not in os.environ and (kept := getattr(config, "cache", None)) is not None:
        os.environ["AGENTGYM_CACHE"] = str(kept.mkdir("agentgym"))


def pytest_collection_finish() -> None:
    """Leave what all the imports made out of later garbage collections, which would look at it again and again."""
    gc.collect()
    gc.freeze()
