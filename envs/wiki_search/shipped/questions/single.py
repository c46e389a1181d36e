"""Families of one hop: a page, and what it says."""

from __future__ import annotations

from typing import Final

from agentgym.envs.wiki_search.shipped.questions.families import Family

FAMILIES: Final = (
    Family(
        "calling_code",
        "a: country; b = a.calling_code",
        (
            "Which international calling code do you dial to reach {a}?",
            "What is the international telephone prefix of {a}?",
            "Somebody wants to ring a friend in {a} from abroad. Which country code comes first?",
            "With which country calling code do phone numbers in {a} begin?",
        ),
        16,
    ),
    Family(
        "internet_domain",
        "a: country; b = a.internet_domain",
        (
            "What is the internet country-code domain of {a}?",
            "With which top-level domain do web addresses of {a} end?",
            "Which country-code top-level domain belongs to {a}?",
        ),
        16,
    ),
    Family(
        "country_area",
        "a: country; b = a.area_km2",
        (
            "How many square kilometres does {a} cover?",
            "What is the area of {a} in square kilometres?",
            "How large is {a}, measured in square kilometres?",
        ),
        14,
    ),
    Family(
        "elevation",
        "a: airport; b = a.elevation_ft",
        (
            "At what elevation, in feet, does {a} lie?",
            "How many feet above sea level is {a}?",
            "What is the elevation of {a} in feet?",
            "How high in feet is the airfield of {a}?",
        ),
        16,
    ),
    Family(
        "airport_code",
        "a: airport; b = a.iata",
        (
            "What is the three-letter IATA code of {a}?",
            "Which IATA code is printed on luggage tags for {a}?",
            "By which IATA code do airlines refer to {a}?",
        ),
        14,
    ),
    Family(
        "discovery_year",
        "a: element; b = a.discovery_year",
        (
            "In which year was {a} discovered?",
            "When was the chemical element {a} discovered?",
            "What is the year of the discovery of {a}?",
        ),
        16,
    ),
    Family(
        "melting_point",
        "a: element; b = a.melting_point_k",
        (
            "At how many kelvins does {a} melt?",
            "What is the melting point of {a} in kelvins?",
            "Up to which temperature in kelvins does {a} stay solid?",
        ),
        14,
    ),
    Family(
        "year_of_death",
        "a: person; b = a.died",
        (
            "In which year did {a} die?",
            "What was the year of the death of {a}?",
            "When did the life of {a} end? Give the year.",
        ),
        16,
    ),
    Family(
        "star_home",
        "a: star; b = a.constellation",
        (
            "In which constellation does the star {a} shine?",
            "To which constellation does {a} belong?",
            "Which constellation is home to the star {a}?",
            "Where in the sky is the star {a}? Name its constellation.",
        ),
        20,
    ),
    Family(
        "genitive",
        "a: constellation; b = a.genitive",
        (
            "What is the Latin genitive of the constellation name {a}?",
            "Which genitive form do astronomers use for stars of {a}?",
            "How does the name of the constellation {a} read in the genitive?",
        ),
        14,
    ),
    Family(
        "city_people",
        "a: city; b = a.population",
        (
            "How many people live in {a}?",
            "What is the population of {a}?",
            "How many inhabitants does {a} have?",
        ),
        16,
    ),
    Family(
        "language_code",
        "a: language; b = a.iso_639_3",
        (
            "Which three-letter code does ISO 639-3 give to the language {a}?",
            "What is the ISO 639-3 code of the language {a}?",
            "By which three letters does ISO 639-3 know the language {a}?",
        ),
        14,
    ),
    Family(
        "mountain_height",
        "a: mountain; b = a.height_ft",
        (
            "How many feet high is {a}?",
            "What is the height of {a} in feet?",
            "How tall is {a}, in feet?",
        ),
        16,
    ),
    Family(
        "local_time",
        "a: zone; b = a.local_time_until",
        (
            "Until which year was local mean time kept in the time zone {a}?",
            "In which year did clocks of the zone {a} give up local mean time?",
            "The zone {a} kept local mean time until which year?",
        ),
        14,
    ),
)
