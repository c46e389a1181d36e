"""Families of chains that begin with a page which the question does not name: a code or number leads to it."""

from __future__ import annotations

from typing import Final

from agentgym.envs.wiki_search.shipped.questions.families import Family

FAMILIES: Final = (
    Family(
        "iata_capital",
        "a: airport / iata; b = a.country; c = b.capital",
        (
            "A suitcase is tagged {a.iata}. What is the capital of the country in which that airport lies?",
            "What is the capital of the country to which the airport with the IATA code {a.iata} belongs?",
            "Passengers land at the airport that is coded {a.iata} by IATA. Which city is the capital of the country "
            "around them?",
            "The IATA code {a.iata} stands for an airport. Name the capital of its country.",
        ),
    ),
    Family(
        "icao_city_people",
        "a: airport / icao; b = a.city; c = b.population",
        (
            "How many people live in the city served by the airport with the ICAO code {a.icao}?",
            "Pilots know an airport as {a.icao}. What is the population of its city?",
            "What is the population of the city whose airport has the ICAO code {a.icao}?",
            "{a.icao} is the ICAO code of an airport. How many inhabitants does the city it serves have?",
        ),
    ),
    Family(
        "calling_code_abroad",
        "a: country / calling_code; b = a.capital; c = b.nearest_city_abroad; d = c.population",
        (
            "A telephone number begins with {a.calling_code}. What is the population of the listed foreign city that "
            "is nearest to the capital of the country called?",
            "How many people live in the listed city abroad that is nearest to the capital of the country with the "
            "calling code {a.calling_code}?",
            "Dial {a.calling_code} to reach a country. What is the population of the city of another country that is "
            "nearest, of those listed, to its capital?",
        ),
    ),
    Family(
        "domain_currency",
        "a: country / internet_domain; b = a.currency; c = b.first_year",
        (
            "Web addresses of one country end in {a.internet_domain}. Since which year has its currency been in use?",
            "In which year did the currency of the country with the internet domain {a.internet_domain} come into use?",
            "Since which year has the money of the country behind the top-level domain {a.internet_domain} been legal "
            "tender?",
        ),
        22,
    ),
    Family(
        "iso_number_airport",
        "a: country / iso_number; b = a.capital; c = b.nearest_airport; d = c.iata",
        (
            "Statisticians number a country {a.iso_number} by ISO 3166-1. What is the IATA code of the listed airport "
            "nearest to its capital?",
            "What is the IATA code of the airport that lies nearest, of those listed, to the capital of the country "
            "with the ISO 3166-1 number {a.iso_number}?",
            "ISO 3166-1 gives a country the number {a.iso_number}. Fly to its capital: what is the IATA code of the "
            "nearest listed airport?",
        ),
    ),
    Family(
        "cas_below",
        "a: element / cas_number; b = a.element_below; c = b.melting_point_k",
        (
            "At how many kelvins does the element melt that stands directly below the one with the CAS number "
            "{a.cas_number}?",
            "Find the element with the CAS number {a.cas_number} in the periodic table. What is the melting point in "
            "kelvins of the element right below it?",
            "A flask bears the CAS number {a.cas_number}. What is the melting point, in kelvins, of the next heavier "
            "element in the same group?",
        ),
        20,
    ),
    Family(
        "atomic_number_capital",
        "a: element / atomic_number; b = a.discovered_in; c = b.capital; d = c.population",
        (
            "How many people live in the capital of the country in which the element with the atomic number "
            "{a.atomic_number} was discovered?",
            "The nucleus of an element has {a.atomic_number} protons. What is the population of the capital of the "
            "country where it was discovered?",
            "Element number {a.atomic_number} was discovered in a country with a capital of how many inhabitants?",
        ),
        20,
    ),
    Family(
        "symbol_weight",
        "a: element / symbol; b = a.as_dense_as; c = b.atomic_weight",
        (
            "What is the atomic weight of the element whose density is closest to that of the element with the symbol "
            "{a.symbol}?",
            "Chemists write an element as {a.symbol}. Another one is nearest to it in density; what is its atomic "
            "weight?",
        ),
        18,
    ),
    Family(
        "currency_code_capital",
        "a: currency / iso_4217; b = a.used_in; c = b.capital",
        (
            "An invoice is made out in {a.iso_4217}. What is the capital of the country that uses this currency?",
            "What is the capital of the country where the currency with the ISO 4217 code {a.iso_4217} is used?",
            "The code {a.iso_4217} of ISO 4217 stands for the money of one country. Which city is its capital?",
            "Name the capital of the country whose people pay in {a.iso_4217}.",
        ),
    ),
    Family(
        "language_code_capital",
        "a: language / iso_639_3; b = a.largest_share_in; c = b.calling_code",
        (
            "A text is marked with the ISO 639-3 code {a.iso_639_3}. What is the calling code of the country where its "
            "language has the largest share of speakers?",
            "What is the calling code of the country in which the language with the ISO 639-3 code {a.iso_639_3} is "
            "used by the largest share of the people?",
            "ISO 639-3 writes a language as {a.iso_639_3}. What is the telephone prefix of the country where it is "
            "used by the largest share of the people?",
        ),
    ),
    Family(
        "own_name_capital",
        "a: language / own_name; b = a.largest_share_in; c = b.capital",
        (
            "Speakers call their language {a.own_name}. What is the capital of the country where its share of the "
            "people is largest?",
            "Name the capital of the country in which the language that calls itself {a.own_name} has its largest "
            "share of speakers.",
            "A language has the name {a.own_name} in itself. Which city is the capital of the country where the "
            "largest share of people use it?",
        ),
        20,
    ),
    Family(
        "hipparcos_meaning",
        "a: star / hipparcos; b = a.constellation; c = b.meaning",
        (
            "What does the name of the constellation mean in which the star HIP {a.hipparcos} lies?",
            "The catalogue of Hipparcos lists a star under the number {a.hipparcos}. What is the meaning of its "
            "constellation's name?",
            "Translate the name of the constellation that holds the star with the Hipparcos number {a.hipparcos}.",
        ),
    ),
    Family(
        "messier_number_star",
        "a: messier / messier_number; b = a.nearest_star; c = b.hipparcos",
        (
            "What is the Hipparcos number of the named star nearest to Messier's object number {a.messier_number}?",
            "Messier's catalogue has an object as number {a.messier_number}. What is the Hipparcos number of the named "
            "star closest to it in the sky?",
            "What number does the Hipparcos catalogue give to the named star that stands nearest to the object "
            "M{a.messier_number} of Messier's list?",
        ),
        20,
    ),
    Family(
        "region_code_city",
        "a: region / iso_code; b = a.second_city; c = b.population",
        (
            "How many people live in the second largest listed city of the region with the ISO 3166-2 code "
            "{a.iso_code}?",
            "What is the population of the second biggest city listed for the region that ISO 3166-2 codes as "
            "{a.iso_code}?",
            "ISO 3166-2 knows a region as {a.iso_code}. Of its listed cities, how many inhabitants does the second "
            "most populous have?",
        ),
    ),
    Family(
        "abbreviation_star",
        "a: constellation / abbreviation; b = a.brightest_star; c = b.nearest_star; d = c.hipparcos",
        (
            "Astronomers shorten the name of a constellation to {a.abbreviation}. What is the Hipparcos number of the "
            "named star nearest to its brightest named star?",
            "Take the brightest named star of the constellation abbreviated {a.abbreviation}. Under which Hipparcos "
            "number is the named star listed that is nearest to it?",
        ),
    ),
    Family(
        "icao_abroad",
        "a: airport / icao; b = a.nearest_airport_abroad; c = b.city; d = c.population",
        (
            "How many people live in the city served by the listed foreign airport that is nearest to {a.icao}?",
            "A pilot takes off at {a.icao} and lands at the nearest listed airport of another country. What is the "
            "population of the city which that airport serves?",
            "From the airport with the ICAO code {a.icao}, go to the nearest listed one abroad. What is the population "
            "of its city?",
        ),
    ),
)
