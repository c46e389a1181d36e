"""One thread for torch: small tensors gain nothing from more, and results follow from the inputs alone."""

from __future__ import annotations

import warnings
from contextlib import suppress

with suppress(ImportError), warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of other people's modules, at their import
    import torch
    import transformers  # noqa: F401

    torch.set_num_threads(1)
