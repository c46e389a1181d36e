"""BabyAI keeps every rule of the checker, and none of them has nothing to look at."""

import pytest

from agentgym.check import check
from agentgym.envs.babyai.tasks import PANELS, panel


def test_every_rule_is_checked_and_passes():
    report = check("agentgym/BabyAI-v0", tasks=4)
    assert report.broken == [] and report.not_checked == [], str(report)


@pytest.mark.slow
@pytest.mark.parametrize("name", PANELS)
def test_so_it_is_on_every_panel(name):
    report = check("agentgym/BabyAI-v0", kwargs={"tasks": panel(name)}, tasks=10)
    assert report.broken == [] and report.not_checked == [], str(report)
