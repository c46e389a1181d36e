"""Small files in the layouts of the two sets, written for the tests."""

import json

PROMPT = """
Read this.
A: Hello.
[End dialogue]

At the end of this dialogue, A would feel...
Glad
Sad
Cross
Bored

Give each of these possible emotions a score from 0-10. Then critique your answer by thinking it through step by step. Finally, give your revised scores.

First pass scores:
Glad: <score>

Critique: <your critique here>

Revised scores:
Glad: <revised score>

[End of answer]

Remember: zero is a valid score.
"""  # noqa: E501 - the set has it in one line
NAMES = ("Glad", "Sad", "Cross", "Bored")


def reference(*values, names=NAMES):
    made = {f"emotion{place}": name for place, name in enumerate(names, 1)}
    return made | {f"emotion{place}_score": value for place, value in enumerate(values, 1)}


def eq_item(**changes):
    item = {
        "prompt": PROMPT,
        "reference_answer": reference(0, 4, 1, 5),
        "reference_answer_fullscale": reference(0, "6", 2, "7"),  # the set writes some as texts
    }
    return {name: value for name, value in (item | changes).items() if value is not None}


def eu_line(**changes):
    item = {
        "qid": "1", "language": "en", "coarse_category": "cues", "finegrained_category": "voice",
        "scenario": "Ann drops a cup and laughs.", "subject": "Ann", "emotion_choices": ["Rage", "Mirth", "Fear"],
        "emotion_label": "Mirth", "cause_choices": ["The cup was cold", "The cup fell oddly"],
        "cause_label": "The cup fell oddly",
    }  # fmt: skip
    return {name: value for name, value in (item | changes).items() if value is not None}


def ea_line(**changes):
    item = {
        "qid": "1", "language": "en", "category": "Self", "question type": "Action", "scenario": "Bob is late.",
        "subject": "Bob", "choices": ["Hide", "Say sorry", "Shout"], "label": "Say sorry",
    }  # fmt: skip
    return {name: value for name, value in (item | changes).items() if value is not None}


def write_eq(folder, items):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "eq_bench_v2_questions_171.json").write_text(json.dumps(items), "utf-8")
    return folder


def write_emo(folder, **parts):
    folder.mkdir(parents=True, exist_ok=True)
    for part, lines in parts.items():
        rows = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        (folder / f"{part}.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    return folder
