"""Small folders in the layouts of the public sets, written for these tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ADA = ["Ada Lovelace", ["Ada Lovelace was a mathematician. ", " She wrote of the Analytical Engine.", " "]]
ADA_TEXT = "Ada Lovelace was a mathematician. She wrote of the Analytical Engine."
ENGINE = ["Analytical Engine", ["It was designed by Charles Babbage."]]
BABBAGE = ["Charles Babbage", ["He was born in London."]]
LONDON = ["London", ["London lies on the Thames."]]


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write texts by their path below a folder, and return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def hotpot_item(name: str, **changed: Any) -> dict[str, Any]:
    item = {
        "_id": name,
        "question": "Where was the designer of the Analytical Engine born?",
        "answer": "London",
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [["Analytical Engine", 0], ["Charles Babbage", 0], ["Charles Babbage", 1]],
        "context": [ADA, ENGINE, BABBAGE],
    }
    return {**item, **changed}


def two_wiki_item(name: str, **changed: Any) -> dict[str, Any]:
    evidences = [["Analytical Engine", "designer", "Charles Babbage"], ["Charles Babbage", "place of birth", "London"]]
    return {**hotpot_item(name, type="compositional", evidences=evidences, answer_id="Q84"), **changed}


def musique_item(name: str, **changed: Any) -> dict[str, Any]:
    titles = [("Engine", "It was designed by Charles Babbage."), ("Engine", "A steam engine turns heat into work.")]
    titles += [("Charles Babbage", "He was born in London.")]
    paragraphs = [
        {"idx": number, "title": title, "paragraph_text": text, "is_supporting": number != 1}
        for number, (title, text) in enumerate(titles)
    ]
    steps = [
        {"id": 7, "question": "Engine >> designer", "answer": "Charles Babbage", "paragraph_support_idx": 0},
        {"id": 8, "question": "#1 >> place of birth", "answer": "London", "paragraph_support_idx": 2},
    ]
    item = {
        "id": name,
        "question": "Where was the designer of the Engine born?",
        "answer": "London",
        "answer_aliases": ["City of London", "London"],
        "answerable": True,
        "paragraphs": paragraphs,
        "question_decomposition": steps,
    }
    return {**item, **changed}


def golden(name: str, **changed: Any) -> dict[str, Any]:
    return {"id": name, "question": "where was Babbage born", "golden_answers": ["London", "Walworth"], **changed}


def page(title: str, *paragraphs: str) -> dict[str, Any]:
    return {"_id": "1", "wikipedia_id": "1", "wikipedia_title": title, "text": [f"{title}\n", *paragraphs]}


def kilt_item(name: str, *outputs: tuple[str | None, tuple[str, ...]]) -> dict[str, Any]:
    output = [
        ({"answer": answer} if answer else {})
        | ({"provenance": [{"wikipedia_id": "1", "title": title} for title in titles]} if titles else {})
        for answer, titles in outputs
    ]
    return {"id": name, "input": "where was Babbage born", "output": output}
