"""Articles on chemical elements."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, equals, said, several, single

ELEMENT: Final = Wording(
    subjects=("the element",),
    pronoun="it",
    leads=(
        "~is the chemical element with atomic number {atomic_number}",
        "~is a chemical element with the symbol {symbol}",
        "~is element number {atomic_number}",
        "~(symbol {symbol}) is a chemical element",
        "~is {series|an} with the symbol {symbol}",
        "~is the element with the symbol {symbol} and the number {atomic_number}",
    ),
    blocks=(
        (
            said(
                "its symbol is {symbol} and its atomic number {atomic_number}",
                "~is written {symbol} and has {atomic_number} protons",
                "{symbol} is its symbol, {atomic_number} its atomic number",
            ),
            said(
                "the atomic weight is {atomic_weight}",
                "its atomic weight is {atomic_weight}",
                "~has an atomic weight of {atomic_weight}",
            ),
            said("~is {series|an}", "~belongs to the series called {series}", "by its series it is {series|an}"),
            said(
                "~stands in period {period} and group {group} of the periodic table",
                "its place in the periodic table is group {group}, period {period}",
                "the periodic table has it in group {group} of period {period}",
            ),
            said(
                "~belongs to the {block}-block", "its block is the {block}-block", "~is an element of the {block}-block"
            ),
        ),
        (
            said(
                "~melts at {melting_point_k} K",
                "its melting point is {melting_point_k} K",
                "the melting point is given as {melting_point_k} K",
            ),
            said(
                "~boils at {boiling_point_k} K",
                "its boiling point is {boiling_point_k} K",
                "the boiling point is given as {boiling_point_k} K",
            ),
            said(
                "the density is {density} grams per cubic centimetre",
                "~has a density of {density} g/cm³",
                "a cubic centimetre of it weighs {density} grams",
            ),
            said(
                "on Pauling's scale its electronegativity is {electronegativity}",
                "~has an electronegativity of {electronegativity}",
                "its electronegativity is {electronegativity}",
            ),
            said(
                "~is radioactive",
                "all its isotopes decay",
                "~is a radioactive element",
                when=equals("radioactive", "yes"),
            ),
            said(
                "its CAS number is {cas_number}",
                "in the Chemical Abstracts registry it is {cas_number}",
                "~is registered as {cas_number}",
            ),
        ),
        (
            said(
                "~was discovered in {discovery_year|year}",
                "the year of discovery is {discovery_year|year}",
                "its discovery dates from {discovery_year|year}",
            ),
            said(
                "the discovery is credited to {discovered_by|list}",
                "~was discovered by {discovered_by|list}",
                "its discoverers are given as {discovered_by|list}",
                when=several("discovered_by"),
            ),
            said(
                "the discovery is credited to {discovered_by}",
                "~was discovered by {discovered_by}",
                "its discoverer was {discovered_by}",
                when=single("discovered_by"),
            ),
            said(
                "the place of discovery was {discovered_in|list}",
                "~was found in {discovered_in|list}",
                "its discovery took place in {discovered_in|list}",
            ),
            said(
                "~is named after {named_after}",
                "its name honours {named_after}",
                "{named_after} gave it its name",
            ),
        ),
        (
            said(
                "in the order of atomic numbers it stands between {previous} and {next}",
                "~follows {previous} and precedes {next}",
                "its neighbours by atomic number are {previous} and {next}",
            ),
            said("in its group it stands below {element_above}", "{element_above} is right above it in the group"),
            said("below it in the group comes {element_below}", "~has {element_below} below it in its group"),
            said(
                "its melting point is closest to that of {melts_next_to}",
                "of all elements {melts_next_to} has the melting point nearest to its own",
            ),
            said(
                "its boiling point is closest to that of {boils_next_to}",
                "{boils_next_to} boils at nearly the same temperature",
            ),
            said(
                "in density it comes closest to {as_dense_as}",
                "the element most like it in density is {as_dense_as}",
            ),
            said(
                "other members of its series are {same_series|list}",
                "~shares its series with {same_series|list}",
                when=several("same_series"),
            ),
        ),
    ),
)
