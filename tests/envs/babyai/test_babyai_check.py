"""BabyAI keeps every rule of the checker, and none of them has nothing to look at."""

from agentgym.check import check
from agentgym.envs.babyai.env import BabyAIEnv


def test_every_rule_is_checked_and_passes():
    report = check("agentgym/BabyAI-v0", tasks=6)
    assert report.broken == [] and report.not_checked == [], str(report)


def test_so_it_is_on_tasks_of_larger_levels():
    report = check(BabyAIEnv, kwargs={"level": "UnlockPickup"}, tasks=3)
    assert report.broken == [] and report.not_checked == [], str(report)
