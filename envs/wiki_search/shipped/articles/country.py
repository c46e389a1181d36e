"""Articles on continents, countries and regions."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, equals, more, said, several, single

CONTINENT: Final = Wording(
    subjects=("the continent",),
    pronoun="it",
    leads=("~is a continent with {countries} countries and territories", "~is a continent"),
    blocks=(
        (
            said(
                "~is divided here into {countries} countries and territories",
                "{countries} countries and territories are counted to {S}",
            ),
            said(
                "together they have {population} inhabitants",
                "the populations of its countries and territories add up to {population}",
            ),
            said(
                "the largest of them by area is {largest_country}, followed by {second_largest_country} and "
                "{third_largest_country}",
                "by area, {largest_country}, {second_largest_country} and {third_largest_country} lead",
            ),
            said(
                "the most people live in {most_people}, then in {second_most_people} and {third_most_people}",
                "{most_people}, {second_most_people} and {third_most_people} have the largest populations",
            ),
            said("~has its smallest territory in {least_area}", "the smallest in area is {least_area}"),
            said("the fewest people live in {least_population}", "{least_population} has the smallest population"),
            said(
                "its most populous cities are {large_city|list}",
                "of its cities {large_city|list} have the most inhabitants",
            ),
        ),
    ),
)

COUNTRY: Final = Wording(
    subjects=("the country", "the territory"),
    pronoun="it",
    leads=(
        "~is a country or territory in {continent}",
        "~belongs to {continent}",
        "~is part of {continent}",
        "~covers {area_km2} square kilometres",
        "~is a country or territory of {population} people",
        "~lies in {continent} and has {population} inhabitants",
    ),
    blocks=(
        (
            said(
                "its capital is {capital}",
                "{S's} capital is {capital}",
                "~is governed from {capital}, its capital",
                "the seat of its government is {capital}",
                "~has {capital} as its capital",
                "{capital} is the capital",
            ),
            (
                said(
                    "~has an area of {area_km2} square kilometres",
                    "the area is {area_km2} square kilometres",
                    "~extends over {area_km2} square kilometres",
                    "its surface measures {area_km2} square kilometres",
                ),
                said(
                    "GeoNames gives a population of {population}",
                    "{population} people live there by the source's figures",
                    "~has {population} inhabitants",
                    "its population is recorded as {population}",
                ),
                said(
                    "that makes {people_per_km2} people per square kilometre",
                    "~has {people_per_km2} people to the square kilometre",
                    "the density of population is {people_per_km2} per square kilometre",
                ),
            ),
            said(
                "~belongs to the continent {continent}",
                "geographers count {S} to {continent}",
                "its continent is {continent}",
                "~lies in {continent}",
                "the continent is {continent}",
            ),
            said(
                "within the continent {S} is {area_rank|nth} by area",
                "~is the {area_rank|sup}largest of its continent by area",
                "by size it takes place {area_rank} on its continent",
            ),
            said(
                "by population {S} comes {population_rank|nth} on the continent",
                "~has the {population_rank|sup}largest population of its continent",
                "in number of people it is {population_rank|nth} on its continent",
            ),
        ),
        (
            said(
                "~shares borders with {borders|list}",
                "its neighbours are {borders|list}",
                "~borders on {borders|list}",
                "land borders lead to {borders|list}",
                when=several("borders"),
            ),
            said(
                "~has a land border with {borders} alone",
                "its only neighbour by land is {borders}",
                "~borders on {borders} and on no other country",
                when=single("borders"),
            ),
            said(
                "~has no land border",
                "no other country borders on {S}",
                "~shares no border with another country",
                when=equals("neighbours", 0),
            ),
            said(
                "the official languages are {official_language|list}",
                "officially {official_language|list} are used",
                "~recognises {official_language|list} as official languages",
                when=several("official_language"),
            ),
            said(
                "the official language is {official_language}",
                "~has {official_language} as its official language",
                "{official_language} is the language of official business",
                "officially, {official_language} is used",
                when=single("official_language"),
            ),
            said(
                "payments are made in {currency}",
                "the currency is {currency}",
                "~uses {currency}",
                "{currency} is legal tender",
                "its money is {currency}",
                when=single("currency"),
            ),
            said(
                "legal tender are {currency|list}",
                "~accepts {currency|list} as legal tender",
                when=several("currency"),
            ),
            said(
                "the most populous listed cities are {large_city|list}",
                "of its listed cities {large_city|list} have the most inhabitants",
                "~has its largest listed cities in {large_city|list}",
                when=several("large_city"),
            ),
            said(
                "all clocks follow {time_zone}",
                "~has a single entry in the table of time zones, {time_zone}",
                "local time is that of {time_zone}",
                "~keeps the time of {time_zone}",
            ),
            said(
                "~is spread over {time_zones} entries of the table of time zones",
                "the table of time zones has {time_zones} entries for {S}",
            ),
            said(
                "of foreign capitals {nearest_foreign_capital} is nearest to its own, {nearest_foreign_capital_km} km "
                "away, "
                "before {second_nearest_foreign_capital}",
                "{nearest_foreign_capital} is the foreign capital nearest to its own, at {nearest_foreign_capital_km} "
                "km, and "
                "{second_nearest_foreign_capital} is the next",
                "the two capitals closest to its own are {nearest_foreign_capital}, at {nearest_foreign_capital_km} "
                "km, and "
                "{second_nearest_foreign_capital}",
                "from its capital the shortest way to another one leads to {nearest_foreign_capital}, "
                "{nearest_foreign_capital_km} "
                "km off, the second shortest to {second_nearest_foreign_capital}",
            ),
        ),
        (
            said(
                "ISO 3166 has the codes {iso2} and {iso3} and the number {iso_number} for {S}",
                "its codes are {iso2}, {iso3} and {iso_number}",
                "in ISO 3166 {S} is {iso2}, {iso3} or {iso_number}",
                "the two-letter code is {iso2}, the three-letter code {iso3}, the number {iso_number}",
            ),
            said(
                "addresses on the internet end in {internet_domain}",
                "~has the internet domain {internet_domain}",
                "its top-level domain is {internet_domain}",
            ),
            said(
                "telephone numbers begin with {calling_code}",
                "the calling code is {calling_code}",
                "~is dialled with {calling_code}",
            ),
            said(
                "{cities} of its cities and {airports} of its airports are described here",
                "among these pages are {cities} of its cities and {airports} of its airports",
                when=more("cities"),
            ),
        ),
    ),
)

REGION: Final = Wording(
    subjects=("the region", "the {type}"),
    pronoun="it",
    leads=(
        "~is {type|an} of {country}",
        "~is {type|an} in {country}",
        "~is one of the subdivisions of {country}, of the kind called {type}",
        "~, {type|an}, is a part of {country}",
        "~is a region of {country}",
        "~belongs to {country} as {type|an}",
    ),
    blocks=(
        (
            said(
                "its ISO 3166-2 code is {iso_code}",
                "ISO 3166-2 lists {S} as {iso_code}",
                "~has the code {iso_code} in ISO 3166-2",
                "the standard for subdivisions gives it the code {iso_code}",
            ),
            (
                said(
                    "the most populous of its cities is {largest_city}, with {largest_city_population} inhabitants",
                    "its largest city is {largest_city}, where {largest_city_population} people live",
                    "~has its largest city in {largest_city}, home to {largest_city_population} people",
                    "{largest_city}, with a population of {largest_city_population}, is its largest city",
                ),
                said(
                    "{second_city} comes second",
                    "the second largest listed city is {second_city}",
                    "next in size among the listed cities is {second_city}",
                    "~has {second_city} as its second listed city",
                ),
                said(
                    "{third_city} is the third largest",
                    "third among its listed cities is {third_city}",
                    "~has a third listed city, {third_city}",
                ),
                said(
                    "{fourth_city} is the fourth",
                    "fourth by population is {fourth_city}",
                    "a fourth city, {fourth_city}, is smaller",
                ),
            ),
            said(
                "{cities|word} of its cities are described in these pages",
                "these pages describe {cities|word} cities of {S}",
                "~is represented here with {cities|word} cities",
            ),
        ),
        (
            said(
                "clocks follow {time_zone}",
                "~keeps the time of {time_zone}",
                "most of its listed cities are in the time zone {time_zone}",
                "the time of its cities is mainly that of {time_zone}",
            ),
            said(
                "its listed cities lie to the {direction_from_capital} of the national capital",
                "seen from the national capital, {S} lies to the {direction_from_capital}",
                "~is found {direction_from_capital} of the capital of the country",
            ),
            said(
                "~is served by {airport}, among others",
                "an airport of {S} is {airport}",
                "one of its airports is {airport}",
                when=more("airports"),
            ),
            said(
                "~has one listed airport, {airport}",
                "{airport} is its only listed airport",
                "the one listed airport is {airport}",
                when=equals("airports", 1),
            ),
            said(
                "{airports|word} airports of {S} are listed",
                "~has {airports|word} airports in these pages",
                "altogether {airports|word} of its airports have articles",
                when=more("airports"),
            ),
        ),
    ),
)
