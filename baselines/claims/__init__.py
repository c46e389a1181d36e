"""Claims of the literature, each measured in a small setting of its own; `systems.md` tells what came out.

One module a claim. Its `measure` returns rows: JSON objects with a "label", a "value", the ends "low" and "high" of its
95 % interval over seeds (equal to the value where nothing was drawn), and what else the page shows beside them.
"""
