"""The checker of claims against people's labels, and the reader of labelled lists."""

from pathlib import Path

import pytest

from agentgym.envs.sales.agreement import Line, agreement, goods, main, read

HERE = Path(__file__).parent
FIRST = HERE / "sentences_first.txt"
GOODS = goods(HERE / "sentence_goods.json")


def test_the_first_list_is_large_and_mixed() -> None:
    lines = read(FIRST)
    assert len(lines) >= 300
    assert len({GOODS[line.key].industry for line in lines}) >= 6
    share = {
        label: sum(line.label == label for line in lines) / len(lines) for label in ("true", "false", "none", "open")
    }
    assert min(share["true"], share["false"]) > 0.3 and share["none"] > 0.15 and share["open"] > 0.03
    assert {line.attribute for line in lines} - {""} <= {
        "promise", *(fact.attribute for product in GOODS.values() for fact in product.known),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["first", "more", "shops"])
def test_false_claims_of_the_lists_are_found_and_true_ones_are_not_accused(name: str) -> None:
    result = agreement(read(HERE / f"sentences_{name}.txt"), GOODS)
    assert result.precision >= 0.95, result.alarms
    assert result.recall >= 0.85, result.missed
    assert result.named >= 0.95 * len(result.found)


def test_sentences_by_somebody_who_had_not_read_the_rules() -> None:
    # as measured at first sight: precision 93.0 %, recall 76.9 %, 75 of 80 attributes; nothing was mended by this list
    result = agreement(read(HERE / "sentences_second.txt"), GOODS)
    assert result.precision >= 0.93, result.alarms
    assert result.recall >= 0.76, result.missed
    assert result.named >= 0.93 * len(result.found)


def test_shares_are_those_of_the_accused_and_of_the_false() -> None:
    # two false claims, one of them found and for the right attribute; one true sentence, not accused
    lines = [
        Line("drill", "false", "weight", "It weighs 3 kg."),
        Line("drill", "false", "weight", "Its weight is a joke, believe me."),
        Line("drill", "true", "", "It weighs 1.5 kg."),
    ]
    result = agreement(lines, GOODS)
    assert (result.precision, result.recall, result.named) == (1.0, 0.5, 1)
    # the true sentence under a false label's opposite: one of two accusations is right
    result = agreement([lines[0], Line("drill", "true", "", "It weighs 3 kg.")], GOODS)
    assert (result.precision, result.recall) == (0.5, 1.0)
    assert "precision 50.0%, recall 100.0%" in result.text


def test_the_command_prints_a_line_a_list_and_what_it_judged_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sentence_goods.json").write_text((HERE / "sentence_goods.json").read_text("utf-8"), "utf-8")
    path = tmp_path / "small.txt"
    path.write_text("# remark\n== drill\ntrue | It weighs 9 kg.\nfalse:weight | It is what it is.\n", "utf-8")
    assert main([str(path), "--errors", "--speed"]) == 0
    printed = capsys.readouterr().out
    assert " µs to check, " in printed
    assert "small.txt: 2 sentences, 1 with a false claim: precision 0.0%, recall 0.0%" in printed
    assert "accused: drill: true | It weighs 9 kg." in printed
    assert "missed: drill: false | It is what it is." in printed
    assert main([]) == 2


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("== drill\nmaybe | It weighs 9 kg.\n", "utf-8")
    with pytest.raises(ValueError, match=r"bad\.txt, line 2"):
        read(path)
