"""Families in which several conditions together tell what is meant."""

from __future__ import annotations

from typing import Final

from agentgym.envs.wiki_search.shipped.questions.families import Family

FAMILIES: Final = (
    Family(
        "common_neighbour_capital",
        "a: country; b: country; c: country / borders=a borders=b; d = c.capital; e = d.population",
        (
            "One country borders both {a} and {b}. How many people live in its capital?",
            "What is the population of the capital of the one country that has a border with {a} and another with {b}?",
            "Which country shares a border with {a} and also with {b}? Give the population of its capital.",
            "{a} and {b} have exactly one neighbour in common. How many inhabitants does that country's capital have?",
        ),
    ),
    Family(
        "place_in_table",
        "a: element / period group; b = a.melts_next_to; c = b.cas_number",
        (
            "Find the element in period {a.period} and group {a.group}. What is the CAS number of the element whose "
            "melting point is nearest to its own?",
            "Look at group {a.group}, period {a.period} of the periodic table. Which CAS number belongs to the element "
            "that melts at the temperature most like that of the element there?",
        ),
        20,
    ),
    Family(
        "airport_by_height",
        "a: airport / country elevation_ft; b = a.city; c = b.population",
        (
            "An airport in {a.country} is listed at {a.elevation_ft} feet above sea level. How many people live in its "
            "city?",
            "What is the population of the city whose airport in {a.country} has an elevation of {a.elevation_ft} "
            "feet?",
            "At {a.elevation_ft} feet above the sea there is an airport in {a.country}. What is the population of the "
            "city it serves?",
        ),
    ),
    Family(
        "city_by_people",
        "a: city / country population; b = a.nearest_airport; c = b.elevation_ft",
        (
            "A city in {a.country} has {a.population} inhabitants. At which elevation, in feet, is the listed airport "
            "nearest to it?",
            "How many feet above sea level is the listed airport nearest to the city of {a.population} people in "
            "{a.country}?",
            "In {a.country} there is a city with a population of {a.population}. What is the elevation in feet of the "
            "listed airport nearest to it?",
        ),
    ),
    Family(
        "object_in_constellation",
        "a: messier / type constellation; b = a.nearest_star; c = b.magnitude",
        (
            "What is the magnitude of the named star nearest to the {a.type} in {a.constellation} that Messier "
            "catalogued?",
            "Messier listed one {a.type} in the constellation {a.constellation}. How bright, in magnitudes, is the "
            "named star next to it?",
            "Near Messier's {a.type} in {a.constellation} stands the named star that is closest to it. How bright is "
            "that star, in magnitudes?",
        ),
        20,
    ),
    Family(
        "star_by_magnitude",
        "a: star / constellation magnitude; b = a.nearest_star; c = b.hipparcos",
        (
            "A named star of magnitude {a.magnitude} shines in {a.constellation}. What is the Hipparcos number of the "
            "named star nearest to it?",
            "What is the Hipparcos number of the named star that stands closest to the one of magnitude {a.magnitude} "
            "in {a.constellation}?",
            "In {a.constellation} there is a named star with a magnitude of {a.magnitude}. Under which number does the "
            "Hipparcos catalogue list the named star next to it?",
        ),
    ),
    Family(
        "flamsteed_neighbour",
        "a: star / flamsteed constellation; b = a.nearest_star; c = b.magnitude",
        (
            "Flamsteed gave the number {a.flamsteed} to a star of {a.constellation}. What is the magnitude of the "
            "named star nearest to it?",
            "How bright, in magnitudes, is the named star closest to the one that Flamsteed numbered {a.flamsteed} in "
            "{a.constellation}?",
            "Start from number {a.flamsteed} of Flamsteed's stars in {a.constellation} and go to the nearest star with "
            "a name. What is its magnitude?",
        ),
    ),
    Family(
        "life_and_work",
        "a: person / occupation born died; b = a.country; c = b.capital",
        (
            "The {a.occupation} who was born in {a.born} and died in {a.died} had the nationality of one country. What "
            "is the capital of that country?",
            "A {a.occupation} lived from {a.born} to {a.died}. Which city is the capital of the country whose national "
            "this person was?",
        ),
    ),
    Family(
        "both_constellations",
        "a: constellation; b: constellation; c: constellation / borders=a borders=b; d = c.brightest_star; e = "
        "d.hipparcos",
        (
            "One constellation borders both {a} and {b}. What is the Hipparcos number of its brightest named star?",
            "Under which Hipparcos number is the brightest named star listed in the constellation that touches {a} as "
            "well as {b}?",
            "{a} and {b} have one neighbouring constellation in common. Under which number does the Hipparcos "
            "catalogue list its brightest named star?",
        ),
    ),
)
