"""The picture: what it says, where, in which colour, and that nothing else gets into its bytes."""

from xml.etree import ElementTree

import numpy as np
import pytest

from agentgym import TurnBatch, credit
from agentgym.baselines.pages.strip import HEIGHT, LEFT, TOP, WIDTH, strip

SVG = "{http://www.w3.org/2000/svg}"
ROWS = [
    {"trajectory": "won", "turn": 0, "state": "hall", "action": "go <on>", "success": True},
    {"trajectory": "won", "turn": 1, "state": "door", "action": "open", "success": True},
    {"trajectory": "lost", "turn": 0, "state": "hall", "action": "sit & wait", "success": False},
]
BATCH = TurnBatch.from_rows([{"group": "g", "turn_reward": 0.0, "outcome_reward": 0.0, **row} for row in ROWS])


def drawn(values):
    return strip(BATCH, credit.estimate(lambda batch: np.array(values), BATCH), "a <title>")


def parsed(values):
    root = ElementTree.fromstring(drawn(values))
    return root, list(root.iter(f"{SVG}rect"))[1:], [text.text for text in root.iter(f"{SVG}text")]


def test_a_row_a_rollout_and_a_column_a_turn():
    root, cells, _ = parsed([1.0, 0.0, -1.0])
    assert [(int(cell.get("x")), int(cell.get("y"))) for cell in cells] == [
        (LEFT, TOP), (LEFT + WIDTH, TOP), (LEFT, TOP + HEIGHT)
    ]  # fmt: skip
    assert root.find(f"{SVG}title").text == "a <title>"
    assert int(root.get("width")) == LEFT + 2 * WIDTH


def test_what_stands_in_the_picture():
    _, _, texts = parsed([1.0, 0.25, -2.004])
    assert texts == [
        "turn 0", "turn 1", "won succeeds", "lost fails",
        "hall", "go <on>", "1.00", "door", "open", "0.25", "hall", "sit & wait", "−2.00",
        "blue: above 0, red: below; full colour at ±2.00",
    ]  # fmt: skip


def test_colours_by_hand():
    # Full red is (178, 24, 43), full blue (33, 102, 172); half of it has 10 of 20 shades, 255 - (255 - 33)/2 = 144,
    # 255 - 153·10//20 = 179 and 255 - 83·10//20 = 214.
    _, cells, _ = parsed([0.5, 0.0, -1.0])
    assert [cell.get("fill") for cell in cells] == ["#90b3d6", "#ffffff", "#b2182b"]


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [0.001, -0.001, 0.0]])
def test_a_group_of_zeros_is_white(values):
    _, cells, texts = parsed(values)
    assert {cell.get("fill") for cell in cells} == {"#ffffff"}
    assert "−0.00" not in texts


def test_the_last_bits_of_a_sum_change_nothing():
    # 0.285 lies on the edge between 0.28 and 0.29, and a sum may end on either side of it
    values = np.array([0.285, 0.1 + 0.2, -0.125])
    assert drawn(values) == drawn(np.nextafter(values, 1)) == drawn(np.nextafter(values, -1))
