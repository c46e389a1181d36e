"""Languages and scripts: CLDR by Babel, ISO 639 and ISO 15924 by pycountry."""

from __future__ import annotations

from typing import Any, Final

from agentgym.envs.wiki_search.shipped.gather.draft import Draft
from agentgym.envs.wiki_search.shipped.gather.packages import module

CLDR: Final = "Babel"
ISO: Final = "pycountry"
SHARE: Final = 1.0
"""Percent of a country's people who must use a language for it to count as used there, if it is not official."""
ALIKE: Final = 3
OFFICIAL: Final = ("official", "de_facto_official")


def gather(draft: Draft) -> None:
    """Add the languages that have a code of ISO 639 and are used in a country, and the scripts they are written in."""
    core, english = module(CLDR, "babel.core"), module(CLDR, "babel").Locale("en")
    used: dict[str, list[tuple[float, str, str]]] = {}
    for country, spoken in core.get_global("territory_languages").items():
        for code, told in spoken.items():
            status, share = told["official_status"] or "", float(told["population_percent"])
            if f"country:{country}" in draft.raw and (share >= SHARE or status):
                used.setdefault(code.partition("_")[0], []).append((-share, country, status))
    likely, scripts = core.get_global("likely_subtags"), dict[str, list[str]]()
    for code in sorted(used):
        told = module(ISO).languages.get(**{f"alpha_{len(code)}": code}) if len(code) in (2, 3) else None
        if told is None or code not in english.languages:
            continue
        script = likely.get(code, "").split("_")[1:2]
        _language(draft, code, told, english.languages[code], script[0] if script else "", sorted(used[code]))
        scripts.setdefault(script[0] if script else "", []).append(code)
    _beside(draft, used)
    for script in sorted(scripts):
        _script(draft, script, scripts[script], english)
    for found in scripts.values():
        for at, code in enumerate(found):
            for other in (*found[at + 1 :], *found[:at])[:ALIKE]:
                draft.link(f"language:{code}", "same_script", f"language:{other}", CLDR)
    numbered = sorted((str(fact[1]), key) for key in draft.of("script") for fact in draft.raw[key].facts[1:2])
    for at, (_, low) in enumerate(numbered):
        for _, high in numbered[at + 1 : at + 3]:
            draft.link(low, "numbered_before", high, ISO)
            draft.link(high, "numbered_after", low, ISO)


def _language(draft: Draft, code: str, told: Any, name: str, script: str, used: list[tuple[float, str, str]]) -> None:
    key = f"language:{code}"
    draft.add(key, name, ("language",), [_own(code), told.name.partition(";")[0]])
    draft.say(key, "iso_639_1", getattr(told, "alpha_2", None), ISO)
    draft.say(key, "iso_639_3", told.alpha_3, ISO)
    draft.say(key, "own_name", _own(code), CLDR)
    draft.link(key, "script", f"script:{script}", CLDR, otherwise=_script_name(script) or None)
    for _, country, status in used:
        relation = "official_in" if status in OFFICIAL else "regional_in" if status else "used_in"
        draft.link(key, relation, f"country:{country}", CLDR)
        if status in OFFICIAL:
            draft.link(f"country:{country}", "official_language", key, CLDR)
    draft.link(key, "largest_share_in", f"country:{used[0][1]}", CLDR)
    draft.say(key, "largest_share_percent", -used[0][0], CLDR)
    draft.say(key, "countries", len(used), CLDR)


def _own(code: str) -> str:
    """Return what a language calls itself, "" if CLDR does not say."""
    babel = module(CLDR, "babel")
    try:
        return str(babel.Locale.parse(code).languages.get(code, ""))
    except (babel.UnknownLocaleError, ValueError):
        return ""


def _order(code: str) -> str:
    """Return in which direction a language is written, such as "right-to-left", "" if CLDR does not say."""
    babel = module(CLDR, "babel")
    try:
        return str(babel.Locale.parse(code).character_order)
    except (babel.UnknownLocaleError, ValueError):
        return ""


def _script_name(code: str) -> str:
    return str(module(CLDR, "babel").Locale("en").scripts.get(code, ""))


def _beside(draft: Draft, used: dict[str, list[tuple[float, str, str]]]) -> None:
    """Add which languages are used most where a language has its largest share."""
    spoken: dict[str, list[tuple[float, str]]] = {}
    for code, places in used.items():
        for share, country, _ in places:
            spoken.setdefault(country, []).append((share, code))
    for key in draft.of("language"):
        code = key.partition(":")[2]
        _, country, _ = min(used[code])
        for _, other in sorted(spoken[country])[:6]:
            if other != code and f"language:{other}" in draft.raw:
                draft.link(key, "used_beside", f"language:{other}", CLDR)


def _script(draft: Draft, code: str, languages: list[str], english: Any) -> None:
    told, name = module(ISO).scripts.get(alpha_4=code), english.scripts.get(code)
    if told is None or name is None:
        return
    key = f"script:{code}"
    draft.add(key, name, ("script",), [f"{name} script", told.name])
    draft.say(key, "iso_15924", code, ISO)
    draft.say(key, "iso_number", told.numeric, ISO)
    draft.say(key, "languages", len(languages), CLDR)
    orders = [order for one in languages if (order := _order(one))]
    draft.say(key, "direction", orders[0] if orders else None, CLDR)
    shares = {one: fact for one in languages for fact in draft.raw[f"language:{one}"].facts if fact[0] == "countries"}
    for one in sorted(languages, key=lambda one: (-int(shares[one][1] or 0), one)):
        draft.link(key, "writes", f"language:{one}", CLDR)
        for relation, _, country, _ in draft.raw[f"language:{one}"].facts:
            if relation in ("official_in", "regional_in"):
                draft.link(key, "writes_official_language_of", country, CLDR)
