"""Families that compare two things: which is more, which is less, whether both are the same."""

from __future__ import annotations

from typing import Final

from agentgym.envs.wiki_search.shipped.questions.families import Family

FAMILIES: Final = (
    Family(
        "larger_country",
        "a: city; b: city; c = a.country; d = b.country; p = c.area_km2; q = d.area_km2; more p q",
        (
            "Which city lies in the country with the larger area, {a} or {b}?",
            "Of {a} and {b}, which one is in the country that covers more square kilometres?",
            "Compare the countries of {a} and {b} by area. Which of the two cities is in the larger one?",
            "{a} or {b}: whose country is the larger by area?",
        ),
    ),
    Family(
        "fewer_people",
        "a: airport; b: airport; c = a.country; d = b.country; p = c.population; q = d.population; less p q",
        (
            "Which airport is in the country with fewer people, {a} or {b}?",
            "Of the countries of {a} and {b}, one has the smaller population. Which of the two airports is in that "
            "one?",
            "Do fewer people live in the country of {a} or in that of {b}? Name the airport.",
        ),
    ),
    Family(
        "larger_capital",
        "a: country; b: country; c = a.capital; d = b.capital; p = c.population; q = d.population; more p q",
        (
            "Which country has the more populous capital, {a} or {b}?",
            "Compare the capitals of {a} and {b}: the one with more inhabitants belongs to which country?",
            "{a} or {b}: which of them has the capital with the larger population?",
            "Do more people live in the capital of {a} or in the capital of {b}? Name the country.",
        ),
    ),
    Family(
        "older_currency",
        "a: country; b: country; c = a.currency; d = b.currency; p = c.first_year; q = d.first_year; less p q",
        (
            "Which country's currency has been in use for longer, that of {a} or that of {b}?",
            "Of {a} and {b}, which one uses the currency that was introduced earlier?",
            "{a} and {b} have different currencies. Which of the two countries has the older one?",
        ),
    ),
    Family(
        "larger_airport_city",
        "a: airport; b: airport; c = a.city; d = b.city; p = c.population; q = d.population; more p q",
        (
            "Which of the airports {a} and {b} serves the city with more inhabitants?",
            "{a} or {b}: which one belongs to the more populous city?",
            "Two airports are {a} and {b}. Which of them serves the larger city by population?",
        ),
    ),
    Family(
        "earlier_element",
        "a: element; b: element; p = a.discovery_year; q = b.discovery_year; less p q",
        (
            "Which element was discovered first, {a} or {b}?",
            "Was {a} or {b} discovered earlier?",
            "Of the elements {a} and {b}, which one has been known since an earlier year?",
        ),
        16,
    ),
    Family(
        "heavier_below",
        "a: element; b: element; c = a.element_below; d = b.element_below; p = c.melting_point_k; q = "
        "d.melting_point_k; more p q",
        (
            "Which has the element with the higher melting point below it in the periodic table, {a} or {b}?",
            "Go one place down from {a} and from {b} in their groups. Under which of the two stands the element that "
            "melts at the higher temperature?",
        ),
        16,
    ),
    Family(
        "brighter_neighbour",
        "a: star; b: star; c = a.nearest_star; d = b.nearest_star; p = c.magnitude; q = d.magnitude; less p q",
        (
            "Take the named stars nearest to {a} and to {b}. Which of {a} and {b} has the brighter neighbour?",
            "Which star has a brighter named star next to it in the sky, {a} or {b}?",
            "{a} or {b}: beside which one does the nearest named star have the smaller magnitude?",
        ),
    ),
    Family(
        "longer_life",
        "a: person; b: person; p = a.years_lived; q = b.years_lived; more p q",
        (
            "Who lived longer, {a} or {b}?",
            "Which of {a} and {b} reached the greater age?",
            "{a} and {b}: who of the two lived for more years?",
        ),
        14,
    ),
    Family(
        "person_country",
        "a: person; b: person; c = a.country; d = b.country; p = c.area_km2; q = d.area_km2; less p q",
        (
            "Who was a national of the country with the smaller area, {a} or {b}?",
            "Compare the areas of the countries whose nationals {a} and {b} were. Which of the two people belonged to "
            "the smaller country?",
            "Going by nationality, whose country covers fewer square kilometres, that of {a} or that of {b}?",
        ),
        20,
    ),
    Family(
        "language_country_people",
        "a: language; b: language; c = a.largest_share_in; d = b.largest_share_in; p = c.population; q = d.population; "
        "more p q",
        (
            "Each of the languages {a} and {b} has its largest share of speakers in one country. For which language is "
            "that the country with more people?",
            "In which case is the country where the language has its largest share of speakers the more populous one: "
            "{a} or {b}?",
            "Compare the countries in which the languages {a} and {b} are used by the largest share of the people. "
            "Which language belongs to the country with the larger population?",
        ),
        20,
    ),
    Family(
        "same_currency",
        "a: city; b: city; c = a.country; d = b.country; p = c.currency; q = d.currency; same p q",
        (
            "Do people pay with the same currency in {a} and in {b}?",
            "Can one spend the same money in {a} as in {b}, going by the currencies of their countries?",
            "Are {a} and {b} in places that share a currency?",
            "Is the currency of the country of {a} also that of the country of {b}?",
        ),
        30,
    ),
    Family(
        "same_language_continent",
        "a: language; b: language; c = a.largest_share_in; d = b.largest_share_in; p = c.continent; q = d.continent; "
        "same p q",
        (
            "The languages {a} and {b} each have one country with their largest share of speakers. Are both countries "
            "on the same continent?",
            "Do the countries in which the languages {a} and {b} are most widespread, by share of the people, lie on "
            "one continent?",
        ),
    ),
    Family(
        "same_continent",
        "a: city; b: city; c = a.country; d = b.country; p = c.continent; q = d.continent; same p q",
        (
            "Do the countries of {a} and {b} belong to the same continent?",
            "Are {a} and {b} cities of countries on one continent?",
            "Is the country of {a} on the same continent as the country of {b}?",
        ),
        30,
    ),
    Family(
        "same_constellation",
        "a: star; b: star; c = a.nearest_star; d = b.nearest_star; p = c.constellation; q = d.constellation; same p q",
        (
            "Do the named stars nearest to {a} and to {b} lie in the same constellation?",
            "Take the named star next to {a} and the one next to {b}. Are both in one constellation?",
        ),
    ),
)
