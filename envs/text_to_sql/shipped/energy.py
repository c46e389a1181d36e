"""energy: the meters of a town's public buildings, eight days of their readings, and half a year of power outages.

5 tables, some 1,900 rows. Worth minding: time stamps are text ('YYYY-MM-DD HH:MM'), a reading that was lost is NULL and
not 0 (solar panels deliver 0 at night), meters that were taken out, sites without any meter, outages not over yet.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.energy_rows import SCHEMA, fill
from agentgym.envs.text_to_sql.shipped.families import Family

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "energy"
_DISTRICTS = ("Eastgate", "Hillfoot", "Old Town", "Riverside")
_KINDS = ("school", "clinic", "library", "pool", "depot", "hall")
_CAUSES = ("cable fault", "overload", "planned work", "storm")
_DAYS = ("2024-01-09", "2024-01-10", "2024-01-11", "2024-01-12", "2024-01-13", "2024-01-14")
_LOST = "reading.kwh is NULL where the value was lost."
_IN_USE = "meter.removed is NULL while a meter is in service."
_ENDED = "outage.ended is NULL while an outage is not over."

FAMILIES: Final = (
    Family(
        "daily_totals", "easy",
        (
            "Show the {medium} of all sites in {district} day by day, earliest day first: the day, the kWh counted, "
            "and how many readings of that day lost their value.",
            "Day by day and in order of date, what did the {medium} meters in {district} add up to, and how many of "
            "their readings came without a value? Columns: date, total kWh, lost values.",
        ),
        """SELECT substr(g.read_at, 1, 10) AS date, SUM(g.kwh) AS total, COUNT(*) - COUNT(g.kwh) AS lost
        FROM reading g JOIN meter m ON m.meter_id = g.meter_id JOIN site s ON s.site_id = m.site_id
        WHERE m.medium = {medium} AND s.district = {district}
        GROUP BY substr(g.read_at, 1, 10) ORDER BY date""",
        {"medium": ("electricity", "heat"), "district": _DISTRICTS},
        "reading.read_at is a text 'YYYY-MM-DD HH:MM', so its first 10 characters are the day. " + _LOST, 4,
    ),
    Family(
        "sites_without", "medium",
        (
            "Which sites with {floor} square metres or more have no {medium} meter in service? Name and kind.",
            "I need name and kind of every site of at least {floor} square metres at which no {medium} meter is in "
            "use, be it that there never was one or that it was taken out.",
        ),
        """SELECT s.name, s.kind FROM site s WHERE s.floor_area >= {floor} AND NOT EXISTS (
            SELECT * FROM meter m WHERE m.site_id = s.site_id AND m.medium = {medium} AND m.removed IS NULL
        )""",
        {"floor": (1000, 1200, 1600, 1800, 2000), "medium": ("heat", "solar")},
        _IN_USE + " site.floor_area is in square metres.", 4,
    ),
    Family(
        "share_by_noon", "hard",
        (
            "What part of each {kind}'s {medium} falls on readings taken at hour 12 or earlier? Name of the site and "
            "the percentage of its kWh, one decimal.",
            "For every {kind} with {medium} readings: which per cent of all its kWh comes from readings whose hour is "
            "at most 12? Site name and share, rounded to one decimal.",
        ),
        """SELECT s.name,
            ROUND(100.0 * SUM(CASE WHEN CAST(strftime('%H', g.read_at) AS INTEGER) <= 12 THEN g.kwh END)
                / SUM(g.kwh), 1) AS share
        FROM site s JOIN meter m ON m.site_id = s.site_id JOIN reading g ON g.meter_id = m.meter_id
        WHERE s.kind = {kind} AND m.medium = {medium}
        GROUP BY s.name""",
        {"kind": _KINDS, "medium": ("electricity", "heat")}, "The hour of a reading at 12:20 is 12. " + _LOST, 4,
    ),
    Family(
        "sudden_rise", "hard",
        (
            "When does a reading on one of the {medium} meters of {kind} sites lie at least {more} kWh above the "
            "reading before on the same meter? Give meter id, time, the earlier value and the value. Where one of the "
            "two values is lost there is nothing to compare.",
            "Look for jumps on the {medium} meters of {kind} sites: a reading that exceeds the directly preceding one "
            "of that meter by {more} kWh or more; skip pairs with a lost value. Columns: meter id, time, previous kWh, "
            "kWh.",
        ),
        """WITH steps AS (
            SELECT g.meter_id, g.read_at, g.kwh,
                LAG(g.kwh) OVER (PARTITION BY g.meter_id ORDER BY g.read_at) AS earlier
            FROM reading g JOIN meter m ON m.meter_id = g.meter_id JOIN site s ON s.site_id = m.site_id
            WHERE m.medium = {medium} AND s.kind = {kind})
        SELECT meter_id, read_at, earlier, kwh FROM steps WHERE kwh - earlier >= {more}""",
        {
            "kind more": (("school", 130), ("school", 145), ("clinic", 170), ("pool", 240), ("depot", 100)),
            "medium": ("heat", "electricity"),
        },
        "The reading before is the previous row of the meter in time, also where a reading in between never came. "
        + _LOST,
        4,
    ),
    Family(
        "newest_value", "medium",
        (
            "What was the newest known value of each {medium} meter at {moment}? Meter id, site name, time of the "
            "value and kWh. A reading of that very minute is included.",
            "Give me the state of the {medium} meters at {moment}: for each, the latest reading up to then (that "
            "minute included) that has a value, with meter id, site name, time and kWh.",
        ),
        """SELECT meter_id, name, read_at, kwh
        FROM (
            SELECT m.meter_id, s.name, g.read_at, g.kwh,
                ROW_NUMBER() OVER (PARTITION BY m.meter_id ORDER BY g.read_at DESC) AS place
            FROM meter m JOIN site s USING (site_id) JOIN reading g USING (meter_id)
            WHERE g.read_at <= {moment} AND m.medium = {medium} AND g.kwh IS NOT NULL
        ) AS known
        WHERE place = 1""",
        {
            "medium": ("electricity", "heat"),
            "moment": ("2024-01-10 18:00", "2024-01-12 12:00", "2024-01-13 06:00", "2024-01-14 12:00"),
        },
        _LOST + " Meters that were taken out count as well; a meter without any such value is left out.", 4,
    ),
    Family(
        "outage_hours", "easy",
        (
            "Per cause, how many outages have started since {day} (that day included), how many of these are over, and "
            "how many hours did the finished ones last on average? One decimal.",
            "Give me a summary of the outages that began on {day} or later, by cause: number, number already ended, "
            "mean duration in hours of the ended ones to one decimal.",
        ),
        """SELECT cause, COUNT(*) AS outages, COUNT(ended) AS over,
            ROUND(AVG((julianday(ended) - julianday(started)) * 24), 1) AS hours
        FROM outage WHERE started >= {day} GROUP BY cause""",
        {"day": ("2023-12-01", "2024-01-01", "2024-01-15", "2024-02-01", "2024-02-15")},
        _ENDED + " A day has 24 hours.",
    ),
    Family(
        "every_cause", "hard",
        (
            "Which sites have been hit by every cause of outage there is in the data except {cause}? It does not "
            "matter whether they were hit by {cause} too. Names only.",
            "Leaving {cause} aside, name the sites that went through outages of all the other causes on record.",
        ),
        """SELECT s.name FROM site s WHERE NOT EXISTS (
            SELECT cause FROM outage WHERE cause <> {cause} EXCEPT
            SELECT o.cause FROM outage_site t JOIN outage o ON o.outage_id = t.outage_id WHERE t.site_id = s.site_id
        )""",
        {"cause": _CAUSES},
    ),
    Family(
        "hit_together", "hard",
        (
            "Which pairs of a {kind} and a {other} were in the same outage at least {times} times? Name of the {kind}, "
            "name of the {other}, number of common outages.",
            "Count the outages that each {kind} shared with each {other}, and list {kind}, {other} and number where it "
            "is {times} or more.",
        ),
        """SELECT a.name AS site, b.name AS other_site, COUNT(*) AS outages
        FROM outage_site x JOIN outage_site y ON y.outage_id = x.outage_id
        JOIN site a ON a.site_id = x.site_id JOIN site b ON b.site_id = y.site_id
        WHERE a.kind = {kind} AND b.kind = {other}
        GROUP BY a.site_id, b.site_id HAVING COUNT(*) >= {times}""",
        {
            "kind other": (
                ("school", "clinic"), ("school", "pool"), ("library", "school"), ("school", "depot"),
                ("school", "hall"), ("library", "clinic"), ("pool", "depot"),
            ),
            "times": (2, 3),
        },
    ),
    Family(
        "through_the_day", "medium",
        (
            "Follow the {medium} of all {kind} sites through {date}, earliest first: for every time at which something "
            "was read, the time stamp, the kWh read then in all, and the kWh since midnight up to and including that "
            "time.",
            "For {date} and the {medium} meters of the {kind} sites, in order of time: time stamp, sum of the readings "
            "of that moment, running sum over the day.",
        ),
        """SELECT g.read_at, SUM(g.kwh) AS total, SUM(SUM(g.kwh)) OVER (ORDER BY g.read_at) AS so_far
        FROM reading g JOIN meter m ON m.meter_id = g.meter_id JOIN site s ON s.site_id = m.site_id
        WHERE s.kind = {kind} AND m.medium = {medium} AND g.read_at LIKE '{date:raw}%' AND g.kwh IS NOT NULL
        GROUP BY g.read_at ORDER BY g.read_at""",
        {"kind": ("school", "clinic", "pool", "depot"), "medium": ("electricity", "heat"), "date": _DAYS},
        _LOST + " Times at which every value was lost are left out.",
    ),
    Family(
        "only_this_cause", "medium",
        (
            "Name the sites that were hit by an outage from {cause} but never by one from {other}.",
            "Which sites know outages caused by {cause}, yet none caused by {other}? Just names.",
        ),
        """SELECT s.name FROM site s, outage_site t, outage o
        WHERE t.site_id = s.site_id AND o.outage_id = t.outage_id AND o.cause = {cause}
        EXCEPT
        SELECT s.name FROM site s, outage_site t, outage o
        WHERE t.site_id = s.site_id AND o.outage_id = t.outage_id AND o.cause = {other}""",
        {
            "cause other": (
                ("storm", "overload"), ("cable fault", "overload"), ("storm", "planned work"),
                ("cable fault", "planned work"), ("planned work", "storm"), ("overload", "cable fault"),
            )
        }, count=4,
    ),
    Family(
        "meters_to_check", "medium",
        (
            "Which {medium} meters need a check for {date}, because a value of that day was lost or because one was "
            "estimated? One row a meter: its id and its site id.",
            "List meter id and site id of every {medium} meter with a lost or an estimated reading on {date}, each "
            "meter once.",
        ),
        """SELECT meter_id, site_id FROM meter
        WHERE medium = {medium}
            AND meter_id IN (SELECT meter_id FROM reading WHERE kwh IS NULL AND read_at LIKE '{date:raw}%')
        UNION
        SELECT meter_id, site_id FROM meter
        WHERE medium = {medium}
            AND meter_id IN (SELECT meter_id FROM reading WHERE estimated = 1 AND read_at LIKE '{date:raw}%')""",
        {"medium": ("electricity", "heat"), "date": _DAYS},
        _LOST + " reading.estimated is 1 for an estimated value, otherwise 0.", 4,
    ),
    Family(
        "per_square_metre", "medium",
        (
            "Which {top} sites use the most {medium} per square metre of floor over the recorded days? Highest first, "
            "equal ones by name; show name and kWh per square metre with three decimals (the order is that of the "
            "exact figures).",
            "Rank the sites by {medium} kWh per square metre, highest first, by name where they are level, and give me "
            "the top {top}: name and the figure, ordered before rounding, shown to three decimals.",
        ),
        """SELECT s.name, ROUND(SUM(g.kwh) / s.floor_area, 3) AS intensity
        FROM site s JOIN meter m ON m.site_id = s.site_id JOIN reading g ON g.meter_id = m.meter_id
        WHERE m.medium = {medium}
        GROUP BY s.site_id, s.name, s.floor_area ORDER BY SUM(g.kwh) / s.floor_area DESC, s.name LIMIT {top}""",
        {"medium": ("electricity", "heat", "solar"), "top": (3, 4, 5, 6)}, "site.floor_area is in square metres.", 4,
    ),
    Family(
        "above_their_kind", "hard",
        (
            "Which sites in {district} used more {medium} than the average site of their kind? Average over all sites "
            "of the kind that have {medium} readings, in every district. Name, own total kWh, and the average of the "
            "kind to one decimal.",
            "Compare each {district} site's total {medium} with the mean total of its kind (over all districts, sites "
            "with {medium} readings only) and list those above it: name, total, mean of the kind rounded to one "
            "decimal.",
        ),
        """WITH totals AS (
            SELECT s.name, s.kind, s.district, SUM(g.kwh) AS total
            FROM site s JOIN meter m ON m.site_id = s.site_id JOIN reading g ON g.meter_id = m.meter_id
            WHERE m.medium = {medium} GROUP BY s.site_id, s.name, s.kind, s.district
        ), compared AS (
            SELECT name, district, total, AVG(total) OVER (PARTITION BY kind) AS usual FROM totals
        )
        SELECT name, total, ROUND(usual, 1) AS usual FROM compared WHERE district = {district} AND total > usual""",
        {"medium": ("electricity", "heat"), "district": _DISTRICTS}, count=4,
    ),
    Family(
        "too_few_values", "medium",
        (
            "Which meters in service have fewer than {least} readings with a value, including those with none at all? "
            "Meter id, medium, number of values.",
            "Find the unreliable ones among the meters still in service: under {least} known values (zero counts too). "
            "Give id, medium and how many values there are.",
        ),
        """SELECT m.meter_id, m.medium, COUNT(g.kwh) AS known
        FROM meter m LEFT JOIN reading g ON g.meter_id = m.meter_id
        WHERE m.removed IS NULL
        GROUP BY m.meter_id, m.medium HAVING COUNT(g.kwh) < {least}""",
        {"least": (28, 29, 30)}, f"{_IN_USE} {_LOST}",
    ),
    Family(
        "going_on_at", "medium",
        (
            "Which outages were going on at {moment}, and how many sites did each of them touch? Id, cause, sites. One "
            "that ended at that very minute is over, one that began then is on.",
            "Take a snapshot at {moment}: outage id, cause and number of sites of everything that had started by then "
            "(that minute included) and ended later or not at all.",
        ),
        """SELECT o.outage_id, o.cause, COUNT(*) AS sites
        FROM outage o JOIN outage_site t ON t.outage_id = o.outage_id
        WHERE o.started <= {moment} AND COALESCE(o.ended, '9999-12-31') > {moment}
        GROUP BY o.outage_id, o.cause""",
        {"moment": ("2024-02-05 12:00", "2024-03-04 12:00", "2024-03-18 12:00", "2024-03-18 08:00")},
        _ENDED + " Read its NULL as 9999-12-31.", 4,
    ),
    Family(
        "weekend_level", "medium",
        (
            "How does the weekend compare with working days? Per kind of site, the mean kWh of an electricity reading "
            "from Monday to Friday and that of one on Saturday or Sunday, both to one decimal, for sites of {floor} "
            "square metres or more.",
            "By kind, for sites with a floor area of at least {floor}: average electricity reading on working days and "
            "average on weekends, rounded to one decimal.",
        ),
        """SELECT s.kind,
            ROUND(AVG(CASE WHEN strftime('%w', g.read_at) NOT IN ('0', '6') THEN g.kwh END), 1) AS working_days,
            ROUND(AVG(CASE WHEN strftime('%w', g.read_at) IN ('0', '6') THEN g.kwh END), 1) AS weekends
        FROM site s JOIN meter m ON m.site_id = s.site_id JOIN reading g ON g.meter_id = m.meter_id
        WHERE m.medium = 'electricity' AND s.floor_area >= {floor}
        GROUP BY s.kind""",
        {"floor": (1000, 1300, 1500, 2000)},
        "The day of the week is '0' for Sunday to '6' for Saturday. The day of a reading is that of its time stamp.",
    ),
    Family(
        "with_and_without", "medium",
        (
            "Which sites had a {backup} backup in some outage from {cause} but no backup at all in some outage from "
            "{other}? Id and name.",
            "List id and name of the sites that could once fall back on {backup} power during an outage caused by "
            "{cause}, and once stood without any backup during one caused by {other}.",
        ),
        """SELECT s.site_id, s.name FROM site s JOIN outage_site t ON t.site_id = s.site_id
        JOIN outage o ON o.outage_id = t.outage_id WHERE o.cause = {cause} AND t.backup = {backup}
        INTERSECT
        SELECT s.site_id, s.name FROM site s JOIN outage_site t ON t.site_id = s.site_id
        JOIN outage o ON o.outage_id = t.outage_id WHERE o.cause = {other} AND t.backup IS NULL""",
        {
            "backup": ("battery", "diesel"),
            "cause other": (
                ("storm", "planned work"), ("cable fault", "storm"), ("planned work", "storm"),
                ("storm", "cable fault"), ("cable fault", "planned work"),
            ),
        },
        "outage_site.backup is NULL where the site had none.",
    ),
    Family(
        "longest_by_kind", "hard",
        (
            "For each kind of site, which finished outage caused by {cause} lasted longest among those that touched "
            "such a site? Outages of equal length all count. Kind, outage id, hours to one decimal, each outage once a "
            "kind.",
            "Find by kind of site the longest outage from {cause} (only ended ones; ties all listed; an outage once "
            "per kind, however many of its sites were touched): kind, id of the outage, duration in hours, one "
            "decimal.",
        ),
        """SELECT kind, outage_id, hours
        FROM (
            SELECT DISTINCT s.kind, o.outage_id, ROUND((julianday(o.ended) - julianday(o.started)) * 24, 1) AS hours,
                RANK() OVER (
                    PARTITION BY s.kind ORDER BY ROUND((julianday(o.ended) - julianday(o.started)) * 24, 1) DESC
                ) AS place
            FROM outage o JOIN outage_site t ON t.outage_id = o.outage_id JOIN site s ON s.site_id = t.site_id
            WHERE o.cause = {cause} AND o.ended IS NOT NULL
        ) AS ranked
        WHERE place = 1""",
        {"cause": _CAUSES}, _ENDED + " A day has 24 hours; lengths are compared to one decimal of an hour.",
    ),
    Family(
        "age_unknown", "easy",
        (
            "For which kinds of site is the year of construction missing at {least} or more sites? Kind, number of "
            "sites, unknown years, and the oldest known year.",
            "By kind of site, and only where {least} or more years of construction are missing: the kind, its sites, "
            "the missing years, the earliest year known.",
        ),
        """SELECT kind, COUNT(*) AS sites, COUNT(*) - COUNT(built) AS unknown, MIN(built) AS oldest
        FROM site GROUP BY kind
        HAVING COUNT(*) - COUNT(built) >= {least}""",
        {"least": (1, 2)}, "site.built is NULL where the year is not known.", 2,
    ),
    Family(
        "own_peak", "hard",
        (
            "When did each {medium} meter in {district} reach its own highest value? All times where it did: meter id, "
            "time, kWh.",
            "List the peak moments of the {medium} meters in {district}: meter id, time stamp and kWh of every reading "
            "that equals the maximum of its meter.",
        ),
        """SELECT g.meter_id, g.read_at, g.kwh
        FROM reading g JOIN meter m ON m.meter_id = g.meter_id
        WHERE m.medium = {medium} AND m.site_id IN (SELECT site_id FROM site WHERE district = {district})
            AND g.kwh = (SELECT MAX(h.kwh) FROM reading h WHERE h.meter_id = g.meter_id)""",
        {"medium": ("heat", "solar", "electricity"), "district": _DISTRICTS}, count=4,
    ),
    Family(
        "soon_again", "hard",
        (
            "Which {cause} outages were followed by another outage of the same cause that started at most {days} days "
            "after them? Count the days between the dates of the two starts. Show id, start, start of the next.",
            "Show the {cause} outages whose next {cause} outage began within {days} days of their own start, going by "
            "the dates alone: outage id, its start and the start of that next one.",
        ),
        """SELECT outage_id, started, following
        FROM (
            SELECT outage_id, cause, started, LEAD(started) OVER (PARTITION BY cause ORDER BY started) AS following
            FROM outage
        ) AS paired
        WHERE cause = {cause} AND julianday(date(following)) - julianday(date(started)) <= {days}""",
        {"cause": ("cable fault", "overload", "storm"), "days": (4, 5, 6, 7, 10)},
        "The next outage is the next to start.", 4,
    ),
    Family(
        "backup_rate", "easy",
        (
            "How often did sites of each kind have a backup when an outage from {cause} hit them? Kind, number of "
            "hits, percentage of the hits with any backup, one decimal.",
            "For outages from {cause}, by kind of site: how many times was a site hit, and in what per cent of these "
            "did it have a battery or a diesel generator? One decimal.",
        ),
        """SELECT s.kind, COUNT(*) AS hits, ROUND(100.0 * COUNT(t.backup) / COUNT(*), 1) AS share
        FROM outage_site t JOIN site s ON s.site_id = t.site_id
        JOIN outage o ON o.outage_id = t.outage_id AND o.cause = {cause}
        GROUP BY s.kind""",
        {"cause": _CAUSES}, "A row of outage_site is a hit; outage_site.backup is NULL where the site had none.",
    ),
)  # fmt: skip
