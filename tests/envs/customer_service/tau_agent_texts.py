"""What the agent texts of tau-bench's recorded airline runs are, labelled by us: by index, in the order of the file.

A label is the facts that the text asks for, and letters for what else it is: P asks for a yes, R refuses, C claims that
something was done, M offers more help or says goodbye, W asks what is wanted, S asks to wait, L did not find something.
What stands in brackets may be heard or not: "Would you like to pay by your card 9725?" asks for a yes as much as for a
way to pay. The texts themselves are not ours and stay in the reference data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

_NEW: Final = "trip_type cabin passengers birth_date payment insurance (name passenger)"

LABELS: Final = f"""
0 customer_id
1 {_NEW}
2 wish
3 wish
4 P
5 P
6 C M
7 customer_id booking
8 booking
9 customer_id booking reason
10 booking
11 M
12 customer_id booking
13 P
14 C M
15 M
16 customer_id booking
17 customer_id
18 date destination L
19 S
20 wish (S)
21 cabin P
22 payment P
23 P (wish cabin R)
24 payment W (P R)
25 payment (P R)
26 C M
27 customer_id booking
28 R M
29 P
30 C M
31 R M
32 R P (M)
33 customer_id
34 date cabin passengers birth_date insurance (name passenger)
35 S
36 wish
37 wish
38 C M
39 M
40 customer_id booking
41 booking
42 R P (wish)
43 P
44 C M
45 customer_id booking
46 S
47 booking
48 P (S)
49 S
50 customer_id booking
51 booking customer_id
52 P
53 wish
54 P
55 P
56 P (wish R)
57 wish
58 C M
59 customer_id booking
60 booking
61 booking passenger (new_name passengers R)
62 booking passenger (new_name)
63 booking passenger (new_name)
64 M (booking)
65 M
66 customer_id
67 {_NEW}
68 wish
69 wish
70 C M
71 customer_id booking
72 booking customer_id
73 booking P (R)
74 origin date
75 origin
76 origin P
77 customer_id booking reason
78 booking customer_id P
79 customer_id booking
80 booking (S)
81 C M
82 M
83 M
84 customer_id booking
85 booking (date wish destination)
86 W (wish)
87 S
88 wish (S)
89 P
90 C M
91 customer_id booking
92 booking
93 W (wish)
94 R P
95 trip_type origin destination wish payment insurance (P)
96 wish (S)
97 payment (P R)
98 C M
99 P (S)
100 C M
101 customer_id
102 {_NEW} (S)
103 wish (S)
104 wish (S)
105 C M
106 S
107 C M
108 P (R)
109 P (C R M)
110 C M
111 customer_id booking
112 booking
113 M (booking)
114 M
115 customer_id booking reason
116 booking
117 M (booking)
118 customer_id booking
119 P (S)
120 P (S)
121 C M
122 customer_id booking
123 customer_id
124 S
125 wish
126 P
127 payment (P)
128 C M
129 customer_id booking
130 R M
131 P
132 C M
133 P (S)
134 C M
135 M
"""

SAMPLES: Final[Mapping[str, str]] = {
    "customer_id": "zz_customer_11",
    "booking": "ZZ22KK",
    "name": "Zoe Zackary",
    "birth_date": "1933-03-03",
    "email": "zoe@zz44.example",
    "origin": "Zagreb",
    "destination": "Zaragoza",
    "date": "55 Zune",
    "new_date": "66 Zune",
    "trip_type": "zigzag trip",
    "passengers": "77 passengers",
    "reason": "zoological reasons",
    "insurance": "zero insurance",
    "cabin": "zebra class",
    "payment": "card 8888",
    "bags": "99 bags",
    "direction": "zenith direction",
    "wish": "flight ZZ101",
    "passenger": "Zed Zulu",
    "new_name": "Zev Zulu",
}
"""Fact → a value that occurs in no text; facts that a domain has besides are made up alike."""


class Label(NamedTuple):
    """What a text is: facts and letters that have to be heard, and those that may be."""

    facts: frozenset[str]
    letters: frozenset[str]
    may: frozenset[str]


def labels() -> dict[int, Label]:
    """Return index → label."""
    found = {}
    for line in LABELS.strip().splitlines():
        index, _, rest = line.partition(" ")
        must, may = [], []
        inside = False
        for word in rest.split():
            inside = inside or word.startswith("(")
            (may if inside else must).append(word.strip("()"))
            inside = inside and not word.endswith(")")
        facts = frozenset(word for word in must if len(word) > 1)
        found[int(index)] = Label(facts, frozenset(must) - facts, frozenset(may))
    return found


def agent_texts(folder: Path) -> list[str]:
    """Return the agent texts of the recorded runs, in the order of the file."""
    runs = json.loads((folder / "gpt-4o-airline-first20.json").read_text("utf-8"))
    return [turn["content"] for run in runs for turn in run["traj"] if turn["role"] == "assistant" and turn["content"]]
