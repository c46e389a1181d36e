"""Articles on airports and time zones."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, differs, equals, more, said

AIRPORT: Final = Wording(
    subjects=("the airport", "the airfield"),
    pronoun="it",
    leads=(
        "~is an airport in {country}",
        "~serves {city} in {country}",
        "~is an airport of {city}",
        "~is the airport of {city} that bears the code {iata}",
        "~, known by the code {iata}, is an airport at {city}",
        "~is an airport that serves {city}",
        "~({iata}) is an airport in {country}",
        "~is one of the airports of {country}",
    ),
    blocks=(
        (
            said(
                "the city that {S} serves is {city}",
                "~serves {city}",
                "it is listed as an airport of {city}",
                "travellers to {city} may land there",
                "~belongs to {city}",
                "the place named for it in the source is {city}",
            ),
            said(
                "~lies in {country}",
                "the country is {country}",
                "~stands on the soil of {country}",
                "its country is {country}",
                "~counts as an airport of {country}",
                "it is part of the air traffic of {country}",
            ),
            said(
                "its IATA code is {iata} and its ICAO code {icao}",
                "the codes are {iata} (IATA) and {icao} (ICAO)",
                "~is known as {iata} to passengers and as {icao} to pilots",
                "IATA calls {S} {iata}, ICAO {icao}",
                "tickets show the code {iata}, flight plans the code {icao}",
                "~bears the codes {iata} and {icao}",
                "~has the three-letter code {iata} and the four-letter code {icao}",
            ),
        ),
        (
            said(
                "its elevation is {elevation_ft} feet ({elevation_m} metres)",
                "~lies {elevation_ft} feet or {elevation_m} metres above sea level",
                "the runways are {elevation_ft} feet above the sea, which is {elevation_m} metres",
                "~has an elevation of {elevation_ft} feet, or {elevation_m} metres",
                "its height above the sea is given as {elevation_ft} feet, about {elevation_m} metres",
                "at {S} the elevation is {elevation_ft} feet ({elevation_m} m)",
            ),
            said(
                "of the {airports_in_country|word} listed airports of the country it is the "
                "{elevation_rank|sup}highest",
                "~ranks {elevation_rank|nth} in elevation among the {airports_in_country|word} listed airports of the "
                "country",
                "in a list of the country's {airports_in_country|word} airports by elevation it comes "
                "{elevation_rank|nth}",
                "sorted by height above the sea, it is number {elevation_rank} of the country's "
                "{airports_in_country|word} "
                "listed airports",
                "among {airports_in_country|word} listed airports of the country it takes place {elevation_rank} by "
                "elevation",
                "~is the {elevation_rank|sup}highest of the {airports_in_country|word} airports listed for its country",
                when=more("airports_in_country"),
            ),
            said(
                "its coordinates are {latitude|north}, {longitude|east}",
                "~is located at {latitude|north} and {longitude|east}",
                "the position is {latitude|north}, {longitude|east}",
                "pilots find {S} at {latitude|north}, {longitude|east}",
                "~has the position {latitude|north}, {longitude|east}",
                "on the map it is at {latitude|north} and {longitude|east}",
            ),
            said(
                "~is {km_from_city} km {direction_from_city} of the city",
                "the city centre is {km_from_city} km away",
                "from the centre of the city it is {km_from_city} km to the {direction_from_city}",
                "~lies to the {direction_from_city} of the city, at a distance of {km_from_city} km",
                "{km_from_city} km separate {S} from the middle of the city",
                "the way from the city leads {km_from_city} km to the {direction_from_city}",
            ),
            said(
                "local time is that of {time_zone}",
                "timetables use the time of {time_zone}",
                "~is in the time zone {time_zone}",
                "departures are given in the time of {time_zone}",
                "~keeps the time of {time_zone}",
                "clocks there follow {time_zone}",
            ),
        ),
        (
            (
                said(
                    "the nearest listed airport is {nearest_airport}, {nearest_airport_km} km to the "
                    "{nearest_airport_direction}",
                    "its closest neighbour among the listed airports is {nearest_airport}, {nearest_airport_km} km "
                    "away",
                    "~is {nearest_airport_km} km from {nearest_airport}, the nearest airport in these pages",
                    "{nearest_airport}, {nearest_airport_km} km off, is the nearest airport described here",
                    "no listed airport is nearer than {nearest_airport}, at {nearest_airport_km} km",
                    "{nearest_airport_km} km to the {nearest_airport_direction} lies {nearest_airport}, the nearest "
                    "listed airport",
                ),
                said(
                    "second nearest is {second_nearest_airport}, at {second_nearest_airport_km} km",
                    "after that, {second_nearest_airport} is the closest, {second_nearest_airport_km} km off",
                    "{second_nearest_airport}, {second_nearest_airport_km} km away, comes second in distance",
                    "~has {second_nearest_airport} as its second closest neighbour, at {second_nearest_airport_km} km",
                    "the next one in distance is {second_nearest_airport}, {second_nearest_airport_km} km from {S}",
                ),
            ),
            said(
                "the nearest listed airport of another country is {nearest_airport_abroad}, "
                "{nearest_airport_abroad_km} km away",
                "abroad, {nearest_airport_abroad} is the closest, at {nearest_airport_abroad_km} km",
                "~is {nearest_airport_abroad_km} km from {nearest_airport_abroad}, the nearest one beyond the border",
                "outside the country {nearest_airport_abroad} is nearest, {nearest_airport_abroad_km} km to the "
                "{nearest_airport_abroad_direction}",
                "the shortest international hop, to {nearest_airport_abroad}, is {nearest_airport_abroad_km} km long",
                "across the border, {nearest_airport_abroad_km} km off, {nearest_airport_abroad} is the nearest",
                when=differs("nearest_airport_abroad", "nearest_airport"),
            ),
            said(
                "{nearest_airport_abroad}, that near, is in another country",
                "that neighbour, {nearest_airport_abroad}, lies beyond a border",
                "a border runs between {S} and {nearest_airport_abroad}",
                when=lambda entity: not differs("nearest_airport_abroad", "nearest_airport")(entity),
            ),
        ),
    ),
)

ZONE: Final = Wording(
    subjects=("the zone", "the time zone"),
    pronoun="it",
    leads=(
        "~is a time zone of the tz database",
        "~is the name of a time zone",
        "~names a time zone that is used in {used_in}",
        "~is a time zone of {used_in}",
        "~is an entry of the tz database for {used_in}",
        "~is a time zone named after {named_after}",
    ),
    blocks=(
        (
            said(
                "~is used in {used_in}",
                "clocks in {used_in} or a part of it follow {S}",
                "the country to which it belongs is {used_in}",
                "~tells the time in {used_in} or a part of it",
            ),
            said(
                "~also holds for {also_used_in|list}",
                "the same entry covers {also_used_in|list}",
                "~is shared with {also_used_in|list}",
            ),
            said(
                "the place that gave {S} its name is {named_after}",
                "its name is that of {named_after}",
                "~is called after {named_after}",
                "{named_after} stands for the whole zone",
            ),
        ),
        (
            said(
                "clocks show {offset_january} all year",
                "~stays at {offset_january} throughout the year",
                "the offset is {offset_january} in January and in July alike",
                "summer time is not observed, and the offset is {offset_january}",
                when=equals("clock_changes", "no"),
            ),
            said(
                "in January clocks show {offset_january}, in July {offset_july}",
                "~switches between {offset_january} in January and {offset_july} in July",
                "the offset is {offset_january} at the beginning of the year and {offset_july} in its middle",
                "clocks change: {offset_january} holds in January, {offset_july} in July",
                when=equals("clock_changes", "yes"),
            ),
            said(
                "in January its time is abbreviated {abbreviation}",
                "the abbreviation in January is {abbreviation}",
                "~is written {abbreviation} in January",
                "time stamps of January bear the letters {abbreviation}",
            ),
            said(
                "local mean time was kept until {local_time_until|year}",
                "~left local mean time in {local_time_until|year}",
                "before {local_time_until|year} local mean time was in use",
                "the first change on record, in {local_time_until|year}, ended local mean time",
                "standard time came in {local_time_until|year}",
            ),
            said(
                "its place of reference is at {latitude|north}, {longitude|east}",
                "~is represented by the point {latitude|north}, {longitude|east}",
                "the database gives the coordinates {latitude|north}, {longitude|east}",
            ),
        ),
        (
            (
                said(
                    "the most populous listed city with this time is {largest_city}",
                    "~has {largest_city} as its largest listed city",
                    "of the listed cities in {S} the largest is {largest_city}",
                    "among its cities {largest_city} has the most inhabitants",
                ),
                said(
                    "{second_city} is the second",
                    "second in population is {second_city}",
                    "~also includes {second_city}",
                    "the second largest is {second_city}",
                ),
                said(
                    "{third_city} takes third place",
                    "a third city is {third_city}",
                    "~includes {third_city}, too",
                ),
            ),
            said(
                "{cities} listed cities keep this time",
                "altogether {cities} of the listed cities belong to {S}",
                "~has {cities} cities in these pages",
                when=more("cities"),
            ),
            (
                said(
                    "the same time in January and July is kept in {same_clock|list}",
                    "clocks agree, in January and in July, with those of {same_clock|list}",
                    "~shows the same time as {same_clock|list} in both January and July",
                    "zones with the same offsets in both months are {same_clock|list}",
                ),
                said(
                    "altogether {same_clock_zones} other zones have these offsets",
                    "~shares its offsets with {same_clock_zones} other zones",
                    "the number of other zones with the same offsets is {same_clock_zones}",
                    when=more("same_clock_zones"),
                ),
            ),
            (
                said(
                    "measured between places of reference, the nearest zone is {nearest_zone}, {nearest_zone_km} km "
                    "to the "
                    "{nearest_zone_direction}",
                    "the place of reference closest to its own is that of {nearest_zone}, {nearest_zone_km} km away",
                    "~has {nearest_zone} as its nearest neighbour, {nearest_zone_km} km to the "
                    "{nearest_zone_direction}",
                    "its nearest neighbour is {nearest_zone}, {nearest_zone_km} km away",
                ),
                said(
                    "{second_nearest_zone} is the next nearest",
                    "second nearest is {second_nearest_zone}",
                    "the second closest is {second_nearest_zone}",
                    "~has a second neighbour in {second_nearest_zone}",
                ),
            ),
        ),
    ),
)
