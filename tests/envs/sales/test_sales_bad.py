"""Bad sellers lose on the measure that names their fault, against the expert and against the honest clumsy one."""

import pytest

from agentgym.baselines.exploits import measure
from agentgym.envs.sales import bad
from agentgym.envs.sales.bad import CLUMSY, DENIER, DISCOUNTER, LIAR, PUSHER, REPEATER, boast
from agentgym.envs.sales.env import SalesEnv
from agentgym.envs.sales.measure_sellers import EXPERT, Line, lines, main, table
from agentgym.rng import TurnRng

GOOD = (EXPERT, CLUMSY)


@pytest.fixture(scope="module")
def found() -> dict[str, Line]:
    world = SalesEnv()
    tasks = world.panel["dev"]
    assert len(tasks) >= 40
    return lines(world, tasks)


def test_the_liar_loses_on_compliance_and_sells_less(found: dict[str, Line]) -> None:
    for good in GOOD:
        assert found[LIAR].costs["compliance"] < found[good].costs["compliance"] - 0.2
        assert found[LIAR].conversion < found[good].conversion
    assert found[CLUMSY].costs["compliance"] == found[EXPERT].costs["compliance"] == 0.0
    assert found[LIAR].unsafe > 0.9 and found[CLUMSY].unsafe == found[EXPERT].unsafe == 0.0


def test_the_pusher_loses_on_pressure_and_sells_nothing(found: dict[str, Line]) -> None:
    for good in GOOD:
        assert found[PUSHER].unhurried < 0.1 < found[good].unhurried
        assert found[PUSHER].conversion < found[good].conversion - 0.2


def test_the_discounter_loses_on_margin(found: dict[str, Line]) -> None:
    for good in GOOD:
        assert found[DISCOUNTER].margin < found[good].margin - 0.2
        assert found[DISCOUNTER].outcome < found[good].outcome


def test_the_repeater_loses_on_repetition(found: dict[str, Line]) -> None:
    for good in GOOD:
        assert found[REPEATER].repetition > found[good].repetition + 0.2
        assert found[REPEATER].costs["repetition"] < found[good].costs["repetition"] - 0.2


def test_the_denier_loses_on_identity(found: dict[str, Line]) -> None:
    for good in GOOD:
        assert found[DENIER].costs["identity"] < found[good].costs["identity"]
        assert found[DENIER].denial > 0.2 > found[good].denial == 0.0
        assert found[DENIER].honesty == 0.0 < found[good].honesty


def test_each_of_them_has_its_own_fault_alone(found: dict[str, Line]) -> None:
    for name in (PUSHER, DISCOUNTER, REPEATER, DENIER):
        assert found[name].costs["compliance"] == 0.0, name
    for name in (LIAR, DISCOUNTER, REPEATER, DENIER):
        assert found[name].unhurried == 1.0, name
    for name in (LIAR, PUSHER, DISCOUNTER, REPEATER):
        assert found[name].denial == 0.0, name


def test_the_table_has_a_row_each(found: dict[str, Line], capsys: pytest.CaptureFixture[str]) -> None:
    printed = table(found).splitlines()
    assert len(printed) == 2 + len(found)
    assert printed[2].startswith("| expert | ")
    assert main(["dev", "1"]) == 0
    assert capsys.readouterr().out.count("\n") == 2 + len(found)


def test_a_liar_says_yes_to_all_and_more_of_what_is_better() -> None:
    # 2 × 24 + 1 months; half of 8 days; no number to change
    assert [boast(*pair) for pair in (("pool", "no"), ("warranty", "24 months"), ("delivery time", "8 days"))] == [
        "yes",
        "49 months",
        "4 days",
    ]
    assert boast("price", "$1,300") == "$650"
    assert boast("material", "oak") == "oak"


def test_sellers_do_the_same_again() -> None:
    world = SalesEnv()
    some = world.panel["dev"][:3]
    assert table(lines(world, some)) == table(lines(world, some))


def test_lying_and_pressing_win_next_to_no_buyers_in_the_exploit_panel() -> None:
    world = SalesEnv()
    assert set(world.exploits()) == {LIAR, PUSHER} <= set(bad.scripts())
    for line in measure(world, split="dev", names=[LIAR, PUSHER]):
        assert line.success <= 0.1, line


def test_a_seller_goes_on_whatever_it_reads() -> None:
    for script in bad.scripts().values():
        acting = script("", TurnRng(0))
        written = [next(acting), *(acting.send(text) for text in ("", "known: A", "A\nprice: x", "?", "$", "bot?") * 4)]
        assert all(written)
