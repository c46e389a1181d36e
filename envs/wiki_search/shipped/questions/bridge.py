"""Families of chains: the question names a page, and what that page says leads to the next."""

from __future__ import annotations

from typing import Final

from agentgym.envs.wiki_search.shipped.questions.families import Family

FAMILIES: Final = (
    Family(
        "city_capital_population",
        "a: city; b = a.country; c = b.capital; d = c.population",
        (
            "How many people live in the capital of the country in which {a} lies?",
            "What is the population of the capital city of the country that {a} is part of?",
            "{a} is a city; how many inhabitants does the capital of its country have?",
            "Take the country of {a}. How populous is its capital?",
        ),
    ),
    Family(
        "city_calling_code",
        "a: city; b = a.country; c = b.calling_code",
        (
            "With which country calling code do telephone numbers in {a} begin?",
            "Which international prefix must be dialled to call somebody in {a}?",
            "You are abroad and want to phone {a}: what is the calling code of the country?",
            "What is the telephone code of the country to which {a} belongs?",
        ),
    ),
    Family(
        "city_domain",
        "a: city; b = a.country; c = b.internet_domain",
        (
            "Which internet country domain belongs to the country where {a} lies?",
            "A shop in {a} wants a web address of its own country. Which top-level domain does it take?",
            "What is the country-code top-level domain of the country of {a}?",
        ),
        20,
    ),
    Family(
        "airport_capital",
        "a: airport; b = a.country; c = b.capital",
        (
            "What is the capital of the country in which {a} lies?",
            "A traveller lands at {a}. What is the capital of the country she has reached?",
            "{a} lies in a country whose capital is which city?",
            "Name the capital of the country where {a} is.",
        ),
    ),
    Family(
        "airport_larger_city",
        "a: airport; b = a.city; c = b.nearest_larger_city; d = c.population",
        (
            "{a} serves a city. How many people live in the nearest listed city that is larger?",
            "What is the population of the nearest larger city of those listed, seen from the city that {a} serves?",
            "Take the city of {a} and the nearest listed one with more inhabitants. What is the population of the "
            "latter?",
        ),
    ),
    Family(
        "city_zone_year",
        "a: city; b = a.time_zone; c = b.local_time_until",
        (
            "Until which year was local mean time kept in the time zone of {a}?",
            "Clocks in {a} follow a time zone. In which year did that zone give up local mean time?",
            "In what year did local mean time end in the zone to which {a} belongs?",
        ),
        20,
    ),
    Family(
        "city_currency_since",
        "a: city; b = a.country; c = b.currency; d = c.first_year",
        (
            "Since which year has the currency been in use that people pay with in {a}?",
            "In which year was the money that is used in {a} today first legal tender?",
            "How old is the currency of the country of {a}? Give the year in which it came into use.",
            "The money in the shops of {a} is a currency introduced in which year?",
        ),
    ),
    Family(
        "airport_currency_number",
        "a: airport; b = a.country; c = b.currency; d = c.iso_number",
        (
            "What is the three-digit ISO 4217 number of the currency used around {a}?",
            "What is the numeric ISO code of the currency of the country in which {a} lies?",
            "At {a} you change money into the currency of the country. Under which ISO number is it listed?",
        ),
    ),
    Family(
        "language_capital",
        "a: language; b = a.largest_share_in; c = b.capital",
        (
            "What is the capital of the country in which the language {a} has its largest share of speakers?",
            "The language {a} is used by the largest share of the people of one country. Which city is its capital?",
            "Name the capital of the country where the greatest share of the population uses the language {a}.",
            "In one country a larger share of the people use the language {a} than in any other. What is its capital?",
        ),
    ),
    Family(
        "language_people",
        "a: language; b = a.largest_share_in; c = b.capital; d = c.population",
        (
            "How many people live in the capital of the country where the language {a} has its largest share of "
            "speakers?",
            "One country has the largest share of people who use the language {a}. What is the population of its "
            "capital?",
            "What is the population of the capital of the country in which the language {a} is most widespread by "
            "share?",
        ),
    ),
    Family(
        "element_country_capital",
        "a: element; b = a.discovered_in; c = b.capital",
        (
            "What is the capital of the country in which {a} was discovered?",
            "The element {a} was discovered in a country whose capital is which city?",
            "Name the capital of the country where the discovery of {a} was made.",
        ),
        20,
    ),
    Family(
        "melts_alike",
        "a: element; b = a.melts_next_to; c = b.boiling_point_k",
        (
            "At how many kelvins does the element boil whose melting point is the closest to that of {a}?",
            "What is the boiling point, in kelvins, of the element whose melting point comes nearest to that of {a}?",
            "Take the element that melts at a temperature most like the melting point of {a}. At how many kelvins does "
            "it boil?",
        ),
        18,
    ),
    Family(
        "star_meaning",
        "a: star; b = a.constellation; c = b.meaning",
        (
            "What does the name of the constellation of the star {a} mean?",
            "What is the English meaning of the name of the constellation in which {a} lies?",
            "The star {a} is part of a constellation whose name means what?",
            "Translate the name of the constellation to which {a} belongs.",
        ),
    ),
    Family(
        "star_neighbour_home",
        "a: star; b = a.nearest_star; c = b.constellation; d = c.genitive",
        (
            "Take the named star nearest to {a} in the sky. What is the genitive of the name of its constellation?",
            "What is the Latin genitive of the constellation that holds the named star nearest to {a}?",
            "Next to {a} in the sky is another named star. Give the genitive of that star's constellation.",
        ),
    ),
    Family(
        "messier_star",
        "a: messier; b = a.nearest_star; c = b.magnitude",
        (
            "What is the magnitude of the named star that is nearest in the sky to {a}?",
            "How bright, in magnitudes, is the named star closest to {a}?",
            "Somebody is guided to {a} by the named star nearest to it. What is the magnitude of that star?",
        ),
        20,
    ),
    Family(
        "zone_calling_code",
        "a: zone; b = a.used_in; c = b.calling_code",
        (
            "What is the calling code of the country where the time zone {a} is used?",
            "The zone {a} tells the time in one country. What is its telephone prefix?",
            "Which country calling code belongs to the country of the time zone {a}?",
        ),
        18,
    ),
    Family(
        "former_currency_capital",
        "a: currency; b = a.formerly_used_in; c = b.capital; d = c.population",
        (
            "{a} is no longer used in a certain country. How many people live in its capital?",
            "What is the population of the capital of the country where people once paid with {a}?",
            "In one country {a} used to be the currency. How populous is the capital of that country?",
        ),
    ),
    Family(
        "person_country_capital",
        "a: person; b = a.country; c = b.capital; d = c.nearest_airport",
        (
            "Which of the listed airports is nearest to the capital of the country whose national {a} was?",
            "{a} was a national of a country whose capital lies nearest to which listed airport?",
            "Name the listed airport that is nearest to the capital of the country whose nationality {a} had.",
        ),
        20,
    ),
    Family(
        "person_home_capital",
        "a: person; b = a.born_in; c = b.internet_domain",
        (
            "What is the internet country domain of the country in which {a} was born?",
            "Take the country in which {a} was born. What is its top-level domain today?",
            "To which country-code domain do web addresses of the country belong where {a} was born?",
        ),
        16,
    ),
    Family(
        "region_largest_city",
        "a: region; b = a.largest_city; c = b.nearest_airport; d = c.icao",
        (
            "By which ICAO code do pilots know the listed airport nearest to the largest city of {a}?",
            "What is the ICAO code of the airport that lies nearest, of those listed, to the most populous city of "
            "{a}?",
            "You fly to the biggest city of {a}. What is the four-letter ICAO code of the nearest listed airport?",
        ),
    ),
    Family(
        "country_capital_airport",
        "a: country; b = a.capital; c = b.nearest_airport; d = c.elevation_ft",
        (
            "How many feet above sea level is the listed airport nearest to the capital of {a}?",
            "At which elevation, in feet, lies the airport that is nearest, of those listed, to the capital city of "
            "{a}?",
            "An official flies home to the capital of {a} and lands at the listed airport nearest to it. How high, in "
            "feet, is that airport?",
        ),
    ),
    Family(
        "city_abroad",
        "a: city; b = a.nearest_city_abroad; c = b.country; d = c.currency",
        (
            "Which currency is used in the country of the listed foreign city nearest to {a}?",
            "From {a}, someone travels to the nearest listed city abroad. Which money is used in that country?",
            "What is the currency of the country in which, of the listed cities beyond the border, the one nearest to "
            "{a} lies?",
        ),
    ),
)
