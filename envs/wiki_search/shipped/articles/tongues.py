"""Articles on languages, scripts and currencies."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, lacks, more, said, several, single

LANGUAGE: Final = Wording(
    subjects=("the language",),
    pronoun="it",
    leads=(
        "~is a language",
        "~is a language that is written in the {script} script",
        "~is a language used in {largest_share_in}",
        "~is a language with the code {iso_639_3}",
        "~is a language of {largest_share_in}",
        "~is the name of a language spoken in {largest_share_in}",
    ),
    blocks=(
        (
            said(
                "its speakers call it {own_name}",
                "its own name is {own_name}",
                "~is called {own_name} by those who speak it",
                "in the language itself the name is {own_name}",
            ),
            said(
                "its ISO 639 codes are {iso_639_1} and {iso_639_3}",
                "ISO 639 gives it the codes {iso_639_1} and {iso_639_3}",
                "~has the codes {iso_639_1} and {iso_639_3}",
            ),
            said(
                "the three-letter code is {iso_639_3}",
                "ISO 639-3 lists it as {iso_639_3}",
                "~bears the code {iso_639_3}",
                when=lambda entity: entity.one("iso_639_1") is None,
            ),
            said(
                "~is written in the {script} script",
                "its usual script is {script}",
                "texts in it use the {script} script",
                "the script is {script}",
            ),
        ),
        (
            said(
                "~is an official language of {official_in|list}",
                "official status is recorded for {official_in|list}",
                "it has official status in {official_in|list}",
            ),
            said(
                "regional status is recorded for {regional_in|list}",
                "~is official in a part of {regional_in|list}",
                "in a region of {regional_in|list} it is official",
            ),
            said(
                "~is used in {used_in|list}",
                "people use it in {used_in|list}",
                "speakers without official recognition live in {used_in|list}",
            ),
            said(
                "its share of the population is largest in {largest_share_in}, with {largest_share_percent} percent",
                "in {largest_share_in} {largest_share_percent} percent of the people use it, its largest share "
                "anywhere",
                "~reaches its largest share, {largest_share_percent} percent, in {largest_share_in}",
            ),
            said(
                "CLDR counts it in {countries} countries and territories",
                "~is recorded for {countries} countries and territories",
                "altogether {countries} countries and territories are listed for it",
                when=more("countries"),
            ),
            said(
                "where it is used most, {used_beside|list} are used beside it",
                "in the place of its largest share people also use {used_beside|list}",
                "where its share is largest, it meets {used_beside|list}",
                when=several("used_beside"),
            ),
            said(
                "where it is used most, {used_beside} is used beside it",
                "in the place of its largest share people also use {used_beside}",
                when=single("used_beside"),
            ),
            said(
                "the same script serves {same_script|list}",
                "~shares its script with {same_script|list}, among others",
                "other languages in that script include {same_script|list}",
            ),
        ),
    ),
)

SCRIPT: Final = Wording(
    subjects=("the script",),
    pronoun="it",
    leads=(
        "~is a script",
        "~is a writing system with the code {iso_15924}",
        "~is the name of a script",
        "~is a script written {direction}",
    ),
    blocks=(
        (
            said("its ISO 15924 code is {iso_15924}", "ISO 15924 calls it {iso_15924}", "~has the code {iso_15924}"),
            said("its number is {iso_number}", "the standard gives it the number {iso_number}"),
            said("text runs {direction}", "~is written {direction}", "lines are read {direction}"),
            said(
                "{languages} languages of these pages use it",
                "~is used for {languages} of the languages described here",
            ),
            said("~writes {writes|list}", "languages written in it are {writes|list}", "it is used for {writes|list}"),
            said(
                "languages in it have official status in {writes_official_language_of|list}",
                "~is the script of an official language in {writes_official_language_of|list}",
            ),
            said(
                "by number it comes after {numbered_after|list}",
                "in the list of scripts it follows {numbered_after|list}",
            ),
            said(
                "by number it comes before {numbered_before|list}",
                "in the list of scripts it precedes {numbered_before|list}",
            ),
        ),
    ),
)

CURRENCY: Final = Wording(
    subjects=("the currency", "this currency"),
    pronoun="it",
    leads=(
        "~is a currency with the code {iso_4217}",
        "~is legal tender in {used_in|list}",
        "~is the currency of {used_in|list}",
        "~was a currency of {formerly_used_in|list}",
        "~({iso_4217}) is the name of a currency",
        "~has the currency code {iso_4217}",
    ),
    blocks=(
        (
            said(
                "its ISO 4217 code is {iso_4217}",
                "ISO 4217 calls it {iso_4217}",
                "~is written {iso_4217} in ISO 4217",
            ),
            said(
                "its number in ISO 4217 is {iso_number}",
                "~has the number {iso_number}",
                "the numeric code is {iso_number}",
            ),
            said("its symbol is {symbol}", "amounts are marked {symbol}", "~is written with the sign {symbol}"),
            said(
                "amounts have {decimal_places|word} decimal places",
                "~is counted with {decimal_places|word} decimal places",
                "prices have {decimal_places|word} decimal places",
            ),
            said("its unit is called {unit}", "the name of the unit is {unit}", "~is counted in units called {unit}"),
        ),
        (
            said(
                "~is legal tender in {used_in|list}",
                "payments are made with it in {used_in|list}",
                "it is money in {used_in|list}",
            ),
            said(
                "in the past it was used in {formerly_used_in|list}",
                "~was once legal tender in {formerly_used_in|list}",
                "{formerly_used_in|list} used it formerly",
            ),
            said(
                "the first record of its use is of {first_year|year}",
                "~came into use in {first_year|year}",
                "its use began in {first_year|year}",
            ),
            said(
                "its use ended in {last_year|year}",
                "~was withdrawn in {last_year|year}",
                "the last year of its use was {last_year|year}",
            ),
            said(
                "~was replaced by {followed_by|list}",
                "its successor was {followed_by|list}",
                "{followed_by|list} took its place",
            ),
            said(
                "~took the place of {follows|list}",
                "before it, {follows|list} was in use",
                "~succeeded {follows|list}",
            ),
        ),
        (
            said(
                "other currencies whose unit has the same name are {same_unit|list}",
                "~shares the name of its unit with {same_unit|list}",
                "the same unit is found in the names of {same_unit|list}",
                when=several("same_unit"),
            ),
            said(
                "another currency whose unit has the same name is {same_unit}",
                "~shares the name of its unit with {same_unit}",
                when=single("same_unit"),
            ),
            said(
                "in the order of introduction it stands between {introduced_after} and {introduced_before}",
                "~was introduced next after {introduced_after} and next before {introduced_before}",
                "a list by the year of introduction has it between {introduced_after} and {introduced_before}",
            ),
            said(
                "~was introduced next after {introduced_after}",
                "in the order of introduction it follows {introduced_after}",
                when=lacks("introduced_before"),
            ),
            said(
                "~was introduced next before {introduced_before}",
                "in the order of introduction it precedes {introduced_before}",
                when=lacks("introduced_after"),
            ),
            said(
                "currencies of neighbouring countries are {used_next_door|list}",
                "across the borders one pays with {used_next_door|list}",
                "~borders in use on {used_next_door|list}",
            ),
        ),
    ),
)
