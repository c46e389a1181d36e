"""A railway network: who runs which line, where it stops, how its trips went and what went wrong; 9 tables.

Worth minding: trips stand for survey days only, delays and passengers were not always noted, a line may call twice at
one station, operators may belong to a holding, incidents hang on a trip, a station or both, and dates are text.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.railway_rows import (
    CATEGORIES,
    FACILITIES,
    LINES,
    OPERATORS,
    SCHEMA,
    STATIONS,
    TOWNS,
    fill,
)

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "railway"
OPERATOR: Final = {"operator": OPERATORS}
QUARTERS: Final = {
    "a b": (
        ("2024-01-01", "2024-03-22"),
        ("2024-04-01", "2024-05-22"),
        ("2024-07-08", "2024-08-22"),
        ("2024-10-08", "2024-11-22"),
    )
}
DELAY: Final = "delay_min is NULL where the trip was cancelled or nobody noted it."
RIDERS: Final = "passengers is NULL where nobody counted."
CANCELLED: Final = "cancelled is 1 for a trip that did not run, otherwise 0."
OPEN: Final = "closed is NULL while an incident is open."

FAMILIES: Final = (
    Family(
        "unknown_age", "easy",
        (
            "For which stations in tariff zone {zone} do we not know the opening date? Name and town.",
            "Name and town of every zone {zone} station whose date of opening is missing, please.",
        ),
        "SELECT name, town FROM station WHERE zone = {zone} AND opened IS NULL",
        {"zone": (1, 2, 3, 4)}, "opened is NULL where unknown; zone is NULL outside the tariff.",
    ),
    Family(
        "morning_departures", "easy",
        (
            "Print the departures of {operator} between {a} and {b}, both included: time, service code and line, "
            "sorted by time and then code.",
            "What does {operator} send off from {a} to {b} (inclusive)? Departure time, code and line, earliest first, "
            "by code at equal times.",
        ),
        "SELECT s.departs, s.code, l.name FROM service AS s JOIN line AS l ON l.line_id = s.line_id JOIN operator AS o "
        "ON o.operator_id = l.operator_id WHERE o.name = {operator} AND s.departs BETWEEN {a} AND {b} ORDER BY "
        "s.departs, s.code",
        {**OPERATOR, "a b": (("06:00", "08:00"), ("07:00", "12:00"), ("12:00", "17:00"))},
    ),
    Family(
        "incident_census", "easy",
        (
            "Take the incidents reported from {a} to {b}. Per category: how many, how many tied to a trip, how many "
            "tied to a station, how many with a known cost?",
            "Per category of incident reported between {a} and {b} (inclusive), count all, those with a trip, those "
            "with a station and those whose cost is known.",
        ),
        "SELECT category, COUNT(*) AS incidents, COUNT(trip_id) AS trips, COUNT(station_id) AS stations, COUNT(cost) "
        "AS priced FROM incident WHERE reported BETWEEN {a} AND {b} GROUP BY category",
        QUARTERS, "trip_id, station_id and cost are NULL where there is none or it is not known.",
    ),
    Family(
        "where_lines_end", "medium",
        (
            "Where do the lines of {operator} end? Line, the station of its last stop, and its length in km.",
            "For each line run by {operator}, give the line, the final station and the kilometre of that final stop.",
        ),
        "SELECT l.name AS line, s.name AS station, p.km FROM line AS l JOIN operator AS o ON o.operator_id = "
        "l.operator_id JOIN stop AS p ON p.line_id = l.line_id JOIN station AS s ON s.station_id = p.station_id WHERE "
        "o.name = {operator} AND p.position = (SELECT MAX(q.position) FROM stop AS q WHERE q.line_id = l.line_id)",
        OPERATOR, "position counts the stops of a line from 1; km is measured from its first stop.",
    ),
    Family(
        "interchanges", "medium",
        (
            "At which stations in the tariff zones 1 to {zone} do {n} or more different operators call? Station and "
            "number of operators.",
            "Find the stations of zones 1 to {zone} that lines of at least {n} different operators serve, with how "
            "many operators.",
        ),
        "SELECT s.name, COUNT(DISTINCT l.operator_id) AS operators FROM station AS s JOIN stop AS p ON p.station_id = "
        "s.station_id JOIN line AS l ON l.line_id = p.line_id WHERE s.zone BETWEEN 1 AND {zone} GROUP BY s.station_id, "
        "s.name HAVING COUNT(DISTINCT l.operator_id) >= {n}",
        {"zone": (2, 3), "n": (2, 3)}, "An operator with several lines there counts once.",
    ),
    Family(
        "equipped_but_unserved", "medium",
        (
            "Which stations list {facility} among their facilities although no line stops there?",
            "Name the stations equipped with {facility} that are not a stop of any line.",
        ),
        "SELECT s.name FROM station AS s JOIN station_facility AS f ON f.station_id = s.station_id WHERE f.facility = "
        "{facility} EXCEPT SELECT s.name FROM station AS s JOIN stop AS p ON p.station_id = s.station_id",
        {"facility": FACILITIES}, "facility is a text such as '{facility}'.",
    ),
    Family(
        "punctuality", "hard",
        (
            "How punctual was each operator from {a} to {b}? Percentage of the trips with a noted delay that were at "
            "most {n} minutes late, to 1 decimal.",
            "Per operator with trips between {a} and {b} (inclusive): what per cent of those with a recorded delay had "
            "{n} minutes or less? One decimal.",
        ),
        "SELECT o.name, ROUND(100.0 * COUNT(*) FILTER (WHERE t.delay_min <= {n}) / COUNT(t.delay_min), 1) AS punctual "
        "FROM trip AS t JOIN service AS s ON s.service_id = t.service_id JOIN line AS l ON l.line_id = s.line_id JOIN "
        "operator AS o ON o.operator_id = l.operator_id WHERE t.travel_date BETWEEN {a} AND {b} GROUP BY "
        "o.operator_id, o.name",
        {**QUARTERS, "n": (2, 3, 5)}, f"{DELAY} Those do not count.",
    ),
    Family(
        "smoothed_riders", "hard",
        (
            "Chart the riders of {days} services from {a} to {b}: each travel date, its total of counted passengers, "
            "and the mean of that total over this and the two preceding dates (fewer at the start) to 1 decimal, in "
            "order of dates.",
            "For services that run {days}, list per date between {a} and {b} (inclusive) the passengers counted and a "
            "moving average over that date and up to 2 dates before it, 1 decimal, earliest first.",
        ),
        "SELECT travel_date, riders, ROUND(AVG(riders) OVER (ORDER BY travel_date ROWS BETWEEN 2 PRECEDING AND CURRENT "
        "ROW), 1) AS smoothed FROM (SELECT t.travel_date, SUM(t.passengers) AS riders FROM trip AS t JOIN service AS s "
        "ON s.service_id = t.service_id WHERE s.days = {days} AND t.travel_date BETWEEN {a} AND {b} GROUP BY "
        "t.travel_date) ORDER BY travel_date",
        {"days": ("daily", "weekdays"), **QUARTERS},
        f"days is 'daily', 'weekdays' or 'weekends'. {RIDERS} Only dates within the range count for the mean.",
    ),
    Family(
        "worst_trips", "medium",
        (
            "What were the {k} worst delays on the {line}? Date, service code and minutes, longest delay first; equal "
            "ones by date, then code.",
            "Show the {k} latest-running trips of the {line}: date, service, delay in minutes, sorted from the longest "
            "delay, then date, then code.",
        ),
        "SELECT t.travel_date, s.code, t.delay_min FROM trip AS t JOIN service AS s ON s.service_id = t.service_id "
        "JOIN line AS l ON l.line_id = s.line_id WHERE l.name = {line} ORDER BY t.delay_min DESC, t.travel_date, "
        "s.code LIMIT {k}",
        {"line": LINES, "k": (4, 6)}, DELAY,
    ),
    Family(
        "often_cancelled", "medium",
        (
            "Which of the services that run {days} were cancelled {n} times or more? Code and number of cancellations.",
            "List services running {days} with at least {n} cancelled trips: code and how many.",
        ),
        "SELECT s.code, SUM(t.cancelled) AS times FROM service AS s JOIN trip AS t ON t.service_id = s.service_id "
        "WHERE s.days = {days} GROUP BY s.service_id, s.code HAVING SUM(t.cancelled) >= {n}",
        {"days n": (("daily", 2), ("daily", 3), ("weekdays", 2), ("weekdays", 3))},
        f"days is 'daily', 'weekdays' or 'weekends'. {CANCELLED}",
    ),
    Family(
        "fleet_plan", "medium",
        (
            "How many {days} services are planned per train type? Use 'open' for services without a type; label and "
            "number.",
            "Count the services that run {days} by label of their train type, those without a type under 'open'.",
        ),
        "SELECT COALESCE(k.label, 'open') AS train, COUNT(*) AS services FROM service AS s LEFT JOIN train_type AS k "
        "ON k.type_id = s.type_id WHERE s.days = {days} GROUP BY train",
        {"days": ("daily", "weekdays", "weekends")},
        "type_id is NULL where no type is planned; days is 'daily', 'weekdays' or 'weekends'.",
    ),
    Family(
        "seats_taken", "hard",
        (
            "How full were the trains by type from {a} to {b}? Label and riders as a percentage of all seats on the "
            "counted trips, to 1 decimal.",
            "For trips between {a} and {b} (inclusive) whose riders were counted: per train type, what per cent of the "
            "seats offered were taken in all? One decimal.",
        ),
        "SELECT k.label, ROUND(100.0 * SUM(t.passengers) / SUM(k.seats), 1) AS taken FROM trip AS t JOIN service AS s "
        "ON s.service_id = t.service_id JOIN train_type AS k ON k.type_id = s.type_id WHERE t.passengers IS NOT NULL "
        "AND t.travel_date BETWEEN {a} AND {b} GROUP BY k.type_id, k.label",
        QUARTERS, f"{RIDERS} Services without a train type are left out.",
    ),
    Family(
        "slow_repairs", "medium",
        (
            "Counting open incidents as lasting until {today}, which stations had {category} incidents that lasted "
            "more than {d} days? Station, date reported, days.",
            "List {category} incidents at a station that took over {d} days to close, or are still open and were "
            "reported more than {d} days before {today}: station, date, days.",
        ),
        "SELECT s.name, i.reported, CAST(julianday(COALESCE(i.closed, {today})) - julianday(i.reported) AS INTEGER) AS "
        "days FROM incident AS i JOIN station AS s ON s.station_id = i.station_id WHERE i.category = {category} AND "
        "julianday(COALESCE(i.closed, {today})) - julianday(i.reported) > {d}",
        {"category": CATEGORIES, "d": (7, 14), "today": ("2025-01-31",)}, OPEN,
    ),
    Family(
        "shared_stations", "medium",
        (
            "At which stations do both {one} and {other} call? Station and town.",
            "Name the stations, with their town, that lie on a line of {one} as well as on a line of {other}.",
        ),
        "SELECT s.name, s.town FROM station AS s JOIN stop AS p ON p.station_id = s.station_id JOIN line AS l ON "
        "l.line_id = p.line_id JOIN operator AS o ON o.operator_id = l.operator_id WHERE o.name = {one} INTERSECT "
        "SELECT s.name, s.town FROM station AS s JOIN stop AS p ON p.station_id = s.station_id JOIN line AS l ON "
        "l.line_id = p.line_id JOIN operator AS o ON o.operator_id = l.operator_id WHERE o.name = {other}",
        {"one other": tuple(zip(OPERATORS[:4], OPERATORS[1:4] + OPERATORS[:1], strict=True))},
    ),
    Family(
        "by_holding", "hard",
        (
            "Add up by group: every operator counts to its parent, or to itself if it has none. How many lines and how "
            "many {days} services does each group have? Leave out groups without such services.",
            "Per owner (the parent of an operator, else the operator itself), count the lines that have {days} "
            "services and those services.",
        ),
        "SELECT g.name, COUNT(DISTINCT l.line_id) AS lines, COUNT(*) AS services FROM operator AS o JOIN operator AS g "
        "ON g.operator_id = COALESCE(o.parent_id, o.operator_id) JOIN line AS l ON l.operator_id = o.operator_id JOIN "
        "service AS s ON s.line_id = l.line_id WHERE s.days = {days} GROUP BY g.operator_id, g.name",
        {"days": ("daily", "weekdays", "weekends")},
        "parent_id is NULL for an operator without a parent. Only lines with such services count.",
    ),
    Family(
        "sudden_delays", "hard",
        (
            "When did a service on the {line} run at least {n} minutes later than on its previous trip with a noted "
            "delay? Code, date, minutes more.",
            "Compare each trip of the {line} with the last one of the same service, among trips with a noted delay: "
            "where did the delay grow by {n} minutes or more? Code, date and by how much.",
        ),
        "SELECT code, travel_date, delay_min - previous AS more FROM (SELECT s.code, t.travel_date, t.delay_min, "
        "LAG(t.delay_min) OVER (PARTITION BY t.service_id ORDER BY t.travel_date) AS previous FROM trip AS t JOIN "
        "service AS s ON s.service_id = t.service_id JOIN line AS l ON l.line_id = s.line_id WHERE l.name = {line} AND "
        "t.delay_min IS NOT NULL) WHERE delay_min - previous >= {n}",
        {"line": LINES, "n": (5, 10)}, f"{DELAY} A service has at most one trip a day.", 4,
    ),
    Family(
        "as_well_equipped", "hard",
        (
            "Which stations of {town} offer every facility that {station} offers?",
            "Travellers want at least what {station} has: name the stations in {town} where none of its facilities is "
            "missing.",
        ),
        "SELECT s.name FROM station AS s WHERE s.town = {town} AND NOT EXISTS (SELECT 1 FROM station_facility AS f "
        "JOIN station AS r ON r.station_id = f.station_id WHERE r.name = {station} AND NOT EXISTS (SELECT 1 FROM "
        "station_facility AS g WHERE g.station_id = s.station_id AND g.facility = f.facility))",
        {"town": TOWNS, "station": STATIONS[::5]}, "{station} itself counts if it lies in {town}.",
    ),
    Family(
        "opening_decades", "medium",
        (
            "Group the stations with {n} or more platforms by the decade in which they opened: decade (such as 1910) "
            "and number of stations, oldest decade first.",
            "In which decades did our stations of at least {n} platforms open? Decade as its first year and how many, "
            "sorted by decade.",
        ),
        "SELECT CAST(strftime('%Y', opened) AS INTEGER) / 10 * 10 AS decade, COUNT(*) AS stations FROM station WHERE "
        "platforms >= {n} AND opened IS NOT NULL GROUP BY decade ORDER BY decade",
        {"n": (2, 3, 4)},
        "opened is NULL where unknown; such stations do not count. The decade is year / 10 * 10 in whole numbers.",
    ),
    Family(
        "weekend_traffic", "hard",
        (
            "How does weekend traffic compare for {operator}? For 'weekend' and 'weekday' give the counted trips and "
            "their mean number of passengers to 1 decimal.",
            "Split the counted trips of {operator} into 'weekend' and 'weekday': how many, and how many riders on "
            "average (1 decimal)?",
        ),
        "SELECT CASE WHEN strftime('%w', t.travel_date) IN ('0', '6') THEN 'weekend' ELSE 'weekday' END AS part, "
        "COUNT(t.passengers) AS counted, ROUND(AVG(t.passengers), 1) AS mean FROM trip AS t JOIN service AS s ON "
        "s.service_id = t.service_id JOIN line AS l ON l.line_id = s.line_id JOIN operator AS o ON o.operator_id = "
        "l.operator_id WHERE o.name = {operator} GROUP BY part",
        OPERATOR, f"strftime('%w', date) is '6' on Saturdays and '0' on Sundays. {RIDERS}",
    ),
    Family(
        "standing_room", "medium",
        (
            "Which services carried more passengers than their train has seats on {n} trips or more? Code, line and "
            "number of such trips.",
            "Count per service the trips with more riders than seats, for services with at least {n} of them: code, "
            "line, number.",
        ),
        "SELECT s.code, l.name, COUNT(*) AS crowded FROM trip AS t JOIN service AS s ON s.service_id = t.service_id "
        "JOIN line AS l ON l.line_id = s.line_id JOIN train_type AS k ON k.type_id = s.type_id WHERE t.passengers > "
        "k.seats GROUP BY s.service_id, s.code, l.name HAVING COUNT(*) >= {n}",
        {"n": (5, 6, 7, 8)}, "Trips without a train type or a count cannot be judged and do not count.",
    ),
    Family(
        "below_the_dearest", "hard",
        (
            "For incidents at stations of {town}: station, category, cost, and how much less that is than the dearest "
            "of the same category in {town}. Unknown costs left out.",
            "List station, category and cost of every incident at a station in {town} with a known cost, and its "
            "distance to the highest cost of its category there.",
        ),
        "SELECT s.name, i.category, i.cost, MAX(i.cost) OVER (PARTITION BY i.category) - i.cost AS below FROM incident "
        "AS i JOIN station AS s ON s.station_id = i.station_id WHERE s.town = {town} AND i.cost IS NOT NULL",
        {"town": TOWNS}, "cost is NULL where it is not known.",
    ),
    Family(
        "mean_stops", "hard",
        (
            "How many stops do an operator's lines have on average, and how long is its longest line? Operator, mean "
            "to 1 decimal, km of the longest; only operators with {n} lines or more.",
            "For operators that run at least {n} lines: average number of stops a line (1 decimal) and the kilometres "
            "of the longest line.",
        ),
        "SELECT o.name, ROUND(AVG(x.stops), 1) AS mean, MAX(x.length) AS longest FROM (SELECT line_id, COUNT(*) AS "
        "stops, MAX(km) AS length FROM stop GROUP BY line_id) AS x JOIN line AS l ON l.line_id = x.line_id JOIN "
        "operator AS o ON o.operator_id = l.operator_id GROUP BY o.operator_id, o.name HAVING COUNT(*) >= {n}",
        {"n": (2, 3)}, "km is measured from the first stop of a line.", 2,
    ),
    Family(
        "long_legs", "hard",
        (
            "Which legs between neighbouring stops on lines of {operator} are {km} km or longer? Line, from, to and "
            "km.",
            "List every hop of at least {km} km from one stop to the next on the lines of {operator}: line, both "
            "stations in running order, and the distance.",
        ),
        "SELECT l.name AS line, a.name AS start, b.name AS target, q.km - p.km AS km FROM stop AS p JOIN stop AS q ON "
        "q.line_id = p.line_id AND q.position = p.position + 1 JOIN line AS l ON l.line_id = p.line_id JOIN operator "
        "AS o ON o.operator_id = l.operator_id JOIN station AS a ON a.station_id = p.station_id JOIN station AS b ON "
        "b.station_id = q.station_id WHERE o.name = {operator} AND q.km - p.km >= {km}",
        {**OPERATOR, "km": (6, 7)},
        "position counts the stops of a line one by one; km is measured from its first stop.",
    ),
    Family(
        "never_very_late", "medium",
        (
            "Which services of {operator} were never more than {n} minutes late on a survey day? Code and departure "
            "time.",
            "Name the services on lines of {operator}, with departure, that have no trip with a noted delay above {n} "
            "minutes.",
        ),
        "SELECT s.code, s.departs FROM service AS s JOIN line AS l ON l.line_id = s.line_id JOIN operator AS o ON "
        "o.operator_id = l.operator_id WHERE o.name = {operator} AND NOT EXISTS (SELECT 1 FROM trip AS t WHERE "
        "t.service_id = s.service_id AND t.delay_min > {n})",
        {**OPERATOR, "n": (15, 20)}, DELAY,
    ),
    Family(
        "out_of_tariff", "easy",
        (
            "Which zones do the stations with the facility {facility} lie in? Zone, or 0 for outside the tariff, and "
            "the number of stations.",
            "Count the stations that offer {facility} by tariff zone; stations outside the tariff count under 0.",
        ),
        "SELECT COALESCE(s.zone, 0) AS tariff, COUNT(*) AS stations FROM station AS s JOIN station_facility AS f ON "
        "f.station_id = s.station_id WHERE f.facility = {facility} GROUP BY tariff",
        {"facility": FACILITIES}, "zone is NULL outside the tariff; facility is a text such as '{facility}'.",
    ),
)  # fmt: skip
