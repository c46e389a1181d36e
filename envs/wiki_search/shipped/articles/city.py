"""Articles on cities."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, differs, said, several, single

CITY: Final = Wording(
    subjects=("the city", "this city", "the place"),
    pronoun="it",
    leads=(
        "~is a city in {country}",
        "~is one of the cities of {country}",
        "~is a city that belongs to {country}",
        "~, in {country}, is a city of {population} people",
        "~is an urban centre of {country}",
        "~is a populated place in {country}",
        "~is a city of {country} with {population} inhabitants",
        "~lies in {country}, in the region of {region}",
        "~is a city in {region}, {country}",
        "~is a city of {region} in {country}",
        "~, a city in {country}, lies in {region}",
        "~counts among the cities of {country}",
        "~is found in {country}",
        "~is a settlement in {country} with {population} residents",
    ),
    blocks=(
        (
            said(
                "~is the capital of {capital_of}",
                "~serves as the capital of {capital_of}",
                "{capital_of} has {S} as its capital",
                "~is the seat of the capital of {capital_of}",
            ),
            said(
                "~belongs to {region}",
                "~is part of {region}",
                "~is situated in {region}",
                "the region that {S} belongs to is {region}",
                "on the map of regions, {S} falls within {region}",
                "~is administered as part of {region}",
                "{S's} region is {region}",
            ),
            said(
                "~has a population of {population}",
                "~is home to {population} people",
                "GeoNames gives {S} a population of {population}",
                "~counts {population} inhabitants",
                "{population} people live in {S}",
                "{S's} population is given as {population}",
                "~had {population} residents when the source was compiled",
                "the recorded number of inhabitants is {population}",
                "~is recorded with {population} inhabitants",
                "its inhabitants number {population}",
            ),
            (
                said(
                    "the next larger city of the country in these pages is {next_larger_in_country}",
                    "among the listed cities of the country {next_larger_in_country} is the next larger",
                    "~is followed upwards by {next_larger_in_country} in the list of the country's cities by "
                    "population",
                    "sorted by population, {next_larger_in_country} is right above it in the country's list",
                    "~has fewer people than {next_larger_in_country}, the next in the country's list",
                ),
                said(
                    "{next_smaller_in_country} is the next smaller",
                    "the next smaller one is {next_smaller_in_country}",
                    "right below it in that list stands {next_smaller_in_country}",
                    "{next_smaller_in_country} follows with fewer people",
                    "~is a little larger than {next_smaller_in_country}",
                    "~surpasses {next_smaller_in_country}, the next listed city of the country",
                ),
            ),
            said(
                "~is the {rank_in_country|sup}most populous city of its country",
                "~ranks {rank_in_country|nth} by population among the cities of the country",
                "by number of people, {S} comes {rank_in_country|nth} in its country",
                "ordered by population, {S} is number {rank_in_country} of the country's cities",
                "in the country's list of cities by population, {S} stands {rank_in_country|nth}",
                "~takes place number {rank_in_country} when the country's cities are sorted by inhabitants",
                "GeoNames lists {S} {rank_in_country|nth} by population within the country",
                "~holds the {rank_in_country|nth} place in the country by number of inhabitants",
            ),
        ),
        (
            said(
                "~lies at {latitude|north}, {longitude|east}",
                "{S's} coordinates are {latitude|north}, {longitude|east}",
                "~is located at latitude {latitude|north} and longitude {longitude|east}",
                "its position on the globe is {latitude|north}, {longitude|east}",
                "a map shows {S} at {latitude|north} and {longitude|east}",
                "~stands at {latitude|north} and {longitude|east}",
                "the centre has the coordinates {latitude|north}, {longitude|east}",
                "on the globe {S} is found at {latitude|north}, {longitude|east}",
            ),
            said(
                "~lies {km_to_capital} km {direction_from_capital} of the national capital",
                "the distance to the national capital is {km_to_capital} km",
                "the capital of the country is {km_to_capital} km away",
                "seen from the national capital, {S} lies {km_to_capital} km to the {direction_from_capital}",
                "~is {km_to_capital} km away from the seat of government, in a direction {direction_from_capital} of "
                "it",
                "going {direction_from_capital} from the national capital one reaches {S} after {km_to_capital} km",
                "as the crow flies, {km_to_capital} km separate {S} from the capital of its country",
                "~is {direction_from_capital} of the country's capital, at a distance of {km_to_capital} km",
            ),
            said(
                "~keeps the time of the zone {time_zone}",
                "clocks in {S} follow {time_zone}",
                "~is in the time zone {time_zone}",
                "local time is that of {time_zone}",
                "~observes the time zone {time_zone}",
                "its clocks are set to {time_zone}",
                "the time zone of {S} is {time_zone}",
                "~uses the time of {time_zone}",
                "in the database of time zones {S} belongs to {time_zone}",
            ),
            (
                said(
                    "the nearest city covered here is {nearest_city}, {nearest_city_km} km to the "
                    "{nearest_city_direction}",
                    "of the cities in these pages {nearest_city} is the closest, at {nearest_city_km} km",
                    "~has {nearest_city} as its closest neighbour among the listed cities, {nearest_city_km} km away",
                    "its closest listed neighbour is {nearest_city}, {nearest_city_km} km {nearest_city_direction} of "
                    "it",
                    "{nearest_city}, {nearest_city_km} km to the {nearest_city_direction}, is the nearest other city "
                    "described here",
                    "no listed city is closer to {S} than {nearest_city}, at {nearest_city_km} km",
                    "~is closest to {nearest_city}, which is {nearest_city_km} km to the {nearest_city_direction}",
                    "among listed cities the shortest way leads to {nearest_city}, {nearest_city_km} km off",
                    "~lies {nearest_city_km} km from {nearest_city}, the nearest city with an article",
                ),
                said(
                    "{second_nearest_city} is the second nearest",
                    "the next closest listed city is {second_nearest_city}",
                    "after its closest neighbour comes {second_nearest_city}",
                    "~has {second_nearest_city} as its second closest neighbour",
                    "second in distance is {second_nearest_city}",
                    "{second_nearest_city} follows as the second closest of the listed cities",
                    "only one listed city is closer than {second_nearest_city}",
                ),
            ),
            said(
                "the nearest more populous city is {nearest_larger_city}, {nearest_larger_city_km} km away",
                "one has to go {nearest_larger_city_km} km, to {nearest_larger_city}, to find a larger listed city",
                "~has its nearest larger neighbour in {nearest_larger_city}, {nearest_larger_city_km} km to the "
                "{nearest_larger_city_direction}",
                "the closest listed city with more people is {nearest_larger_city}, {nearest_larger_city_km} km off",
                "{nearest_larger_city}, {nearest_larger_city_km} km to the {nearest_larger_city_direction}, is the "
                "closest "
                "listed city with a larger population",
                "~is {nearest_larger_city_km} km from {nearest_larger_city}, the nearest city here that has more "
                "inhabitants",
                "a larger city is first met {nearest_larger_city_km} km away, at {nearest_larger_city}",
                when=differs("nearest_larger_city", "nearest_city"),
            ),
            said(
                "{nearest_larger_city} also has more inhabitants than {S}",
                "that neighbour, {nearest_larger_city}, is the nearest with more people, too",
                "~is smaller than {nearest_larger_city}, its nearest more populous neighbour",
                "no more populous listed city is nearer than {nearest_larger_city}",
                "with more people than {S}, {nearest_larger_city} is also the nearest larger city",
                "~is surpassed in population by {nearest_larger_city} nearby",
                when=lambda entity: not differs("nearest_larger_city", "nearest_city")(entity),
            ),
            said(
                "the closest listed city abroad is {nearest_city_abroad}, {nearest_city_abroad_km} km to the "
                "{nearest_city_abroad_direction}",
                "across a border, {nearest_city_abroad} is the nearest, at {nearest_city_abroad_km} km",
                "outside the country, {nearest_city_abroad} is the listed city that is closest, "
                "{nearest_city_abroad_km} km away",
                "~is {nearest_city_abroad_km} km from {nearest_city_abroad}, the nearest listed city of another "
                "country",
                "the nearest city of another country in these pages is {nearest_city_abroad}, at "
                "{nearest_city_abroad_km} km",
                "abroad, the shortest distance is the {nearest_city_abroad_km} km to {nearest_city_abroad}",
                "the first foreign city that one would reach is {nearest_city_abroad}, {nearest_city_abroad_km} km "
                "{nearest_city_abroad_direction} of {S}",
                "~has {nearest_city_abroad} as the nearest foreign city, {nearest_city_abroad_km} km away",
                when=differs("nearest_city_abroad", "nearest_city"),
            ),
            said(
                "{nearest_city_abroad} belongs to another country",
                "the neighbour {nearest_city_abroad} lies beyond the border",
                "~is thus closer to {nearest_city_abroad}, a foreign city, than to any listed city of its own country",
                "a border runs between {S} and {nearest_city_abroad}",
                when=lambda entity: not differs("nearest_city_abroad", "nearest_city")(entity),
            ),
        ),
        (
            said(
                "~is served by {airport}",
                "the airport listed for {S} is {airport}",
                "air travellers use {airport}",
                "{airport} is the airport of {S}",
                "~has an airport, {airport}",
                "flights for {S} use {airport}",
                when=single("airport"),
            ),
            said(
                "~is served by {airport|list}",
                "the airports listed for {S} are {airport|list}",
                "air travellers have the choice of {airport|list}",
                "{airport|list} are its airports",
                "~has several airports: {airport|list}",
                when=several("airport"),
            ),
            said(
                "the nearest airport described here is {nearest_airport}, {nearest_airport_km} km from the centre",
                "{nearest_airport} is the closest listed airport, at {nearest_airport_km} km",
                "~has {nearest_airport} as the nearest listed airport, {nearest_airport_km} km away",
                "the way to the nearest listed airport, {nearest_airport}, is {nearest_airport_km} km as the crow "
                "flies",
                "~is {nearest_airport_km} km from {nearest_airport}, the nearest airport in these pages",
                "among the listed airports {nearest_airport} is closest, {nearest_airport_km} km off",
                "{nearest_airport_km} km lie between {S} and {nearest_airport}, the nearest listed airport",
                "by air {S} is best reached through {nearest_airport}, the nearest of the listed airports",
            ),
        ),
    ),
)
