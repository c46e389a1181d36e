import re

import pytest

from agentgym import credit


def weights(case, _):
    # The keys read "R=1,p=0.25".
    alpha, target_range = case["params"]["alpha"], case["params"]["target_range"]
    for key, wanted in case["expected"].items():
        success, p = re.fullmatch(r"R=([01]),p=(.*)", key).groups()
        found = credit.proxmo_weight(success == "1", float(p), alpha, target_range)
        assert float(found) == pytest.approx(wanted, abs=1e-12)


COVERED = {
    "proxmo": 3,
}
CHECKS = {"proxmo.psc": weights}
