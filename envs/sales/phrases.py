"""The buyer's words, from data/phrases.json: for each thing that it says, parts whose alternatives are joined.

"" leaves a part out. In braces stand slots: {product}, {price}, {budget}, {rival}, {noun}, {a}, {plural}, {about},
{topic}, {name}, {shop}, {bid}, {why}, {want}, {wonder}.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

Part = tuple[str, ...]
Parts = tuple[Part, ...]

PATH: Final = Path(__file__).parent / "data" / "phrases.json"
PHRASES: Final[Mapping[str, Parts]] = {
    name: tuple(map(tuple, parts)) for name, parts in json.loads(PATH.read_text("utf-8")).items()
}
