"""museum: artworks, the exhibitions that showed them and their visitors; five tables, days written DD.MM.YYYY."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.museum_rows import (
    COUNTRIES,
    CURATORS,
    EXHIBITIONS,
    SCHEMA,
    SPONSORS,
    TECHNIQUES,
    fill,
)

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "museum"

DAYS: Final = (
    "Days are text in the form DD.MM.YYYY: SUBSTR(day, 7, 4) is the year, SUBSTR(day, 4, 2) the month and"
    " SUBSTR(day, 1, 2) the day."
)
ISO: Final = "SUBSTR({0}, 7, 4) || '-' || SUBSTR({0}, 4, 2) || '-' || SUBSTR({0}, 1, 2)"
"""A day of this museum as YYYY-MM-DD; filled with the column's name."""
OPENED, CLOSED, DAY = ISO.format("e.opened"), ISO.format("e.closed"), ISO.format("v.day")
TWO_SHOWS: Final = {
    "one other": (
        ("Islands", "Faces"), ("On Paper", "Blue Hours"), ("Garden Rooms", "Large Small"), ("Seven Doors", "Islands"),
        ("Under Glass", "Faces"), ("Winter Guests", "River Towns"),
    )
}  # fmt: skip

FAMILIES: Final = (
    Family(
        "rooms_of_technique", "easy",
        (
            "In which rooms does a {technique} work hang that is insured for more than {n} euros? Give each room once,"
            " from the lowest number to the highest.",
            "List the different rooms with {technique} works above {n} insured euros, in order of their number.",
        ),
        "SELECT DISTINCT room FROM artwork WHERE technique = {technique} AND insured_euros > {n} AND room IS NOT NULL"
        " ORDER BY room",
        {"technique": TECHNIQUES, "n": (20000, 40000)}, "Works in store have no room and do not count.",
    ),
    Family(
        "sponsored_shows", "easy",
        (
            "Which exhibitions did {sponsor} sponsor, and who curated them? Give title and curator, in alphabetical"
            " order of the titles.",
            "List title and curator of the exhibitions sponsored by {sponsor}, sorted by title.",
        ),
        "SELECT title, curator FROM exhibition WHERE sponsor = {sponsor} ORDER BY title",
        {"sponsor": SPONSORS}, count=2,
    ),
    Family(
        "born_before", "easy",
        (
            "How many artists born before {year} are there for each country? Give country and number; leave out artists"
            " whose country is unknown.",
            "Count the artists born before {year} by known country: country and number.",
        ),
        "SELECT country, COUNT(*) AS artists FROM artist WHERE born < {year} AND country IS NOT NULL GROUP BY country",
        {"year": (1850, 1880, 1920)}, count=2,
    ),
    Family(
        "crowded_days", "easy",
        (
            "What was the highest number of free visitors on one day of exhibition number {show}, and how many of"
            " its days had 0 free visitors?",
            "For exhibition {show} (its id), give the largest number of free visitors on a day and the number of days"
            " with 0 of them.",
        ),
        "SELECT MAX(free) AS highest, SUM(free = 0) AS days_without FROM visit_day WHERE exhibition_id = {show}",
        {"show": (3, 9, 14, 20)}, count=2,
    ),
    Family(
        "in_store", "easy",
        (
            "How many {technique} works are not in any room?",
            "Count the works in the technique '{technique}' that hang in no room.",
        ),
        "SELECT COUNT(*) FROM artwork WHERE technique = {technique} AND room IS NULL",
        {"technique": TECHNIQUES}, "A work without a room is in store.", count=2,
    ),
    Family(
        "living", "easy",
        (
            "Which artists from {country} have no year of death? Give name and year of birth, the oldest first, those"
            " born in one year by artist id.",
            "List name and birth year of the artists from {country} who are alive (no year of death), by year of birth"
            " from the earliest on, then by artist id.",
        ),
        "SELECT name, born FROM artist WHERE country = {country} AND died IS NULL ORDER BY born, artist_id",
        {"country": COUNTRIES},
    ),
    Family(
        "acquired_in", "easy",
        (
            "Which works were acquired in {year}? Give artwork id and title.",
            "Give id and title of everything the museum acquired in the year {year}.",
        ),
        "SELECT artwork_id, title FROM artwork WHERE SUBSTR(acquired, 7, 4) = {year}",
        {"year": ("1994", "1999", "2003", "2008", "2012", "2017")}, DAYS,
    ),
    Family(
        "insured_above", "easy",
        (
            "What is the total insured value of the {technique} works in rooms {first} to {last}, in euros, and how"
            " many of them have no insured value? Give the two numbers.",
            "Give the sum of insured euros over the {technique} works in rooms {first} to {last}, then the number of"
            " those works without an insured value.",
        ),
        "SELECT SUM(insured_euros) AS euros, SUM(insured_euros IS NULL) AS unknown FROM artwork"
        " WHERE technique = {technique} AND room BETWEEN {first} AND {last}",
        {"technique": ("oil", "print", "watercolour", "bronze"), "first last": ((1, 6), (4, 9), (7, 12))},
    ),
    Family(
        "who_made_it", "medium",
        (
            "What hangs in room {room}? Give each work's title and its artist's name, 'anonymous' where no artist is"
            " known.",
            "List title and artist's name of the works in room {room}; write 'anonymous' for works without an artist.",
        ),
        "SELECT w.title, COALESCE(a.name, 'anonymous') AS artist FROM artwork AS w"
        " LEFT JOIN artist AS a ON a.artist_id = w.artist_id WHERE w.room = {room}",
        {"room": (2, 3, 5, 8, 9, 11)},
    ),
    Family(
        "long_runs", "medium",
        (
            "Which exhibitions curated by {curator} ran for more than {n} days, from the day of opening to the day of"
            " closing? Give title and days between the two.",
            "For the exhibitions by {curator} with more than {n} days from opening to closing day, give title and that"
            " number of days.",
        ),
        f"SELECT e.title, CAST(julianday({CLOSED}) - julianday({OPENED}) AS INTEGER) AS days FROM exhibition AS e"
        f" WHERE e.curator = {{curator}} AND julianday({CLOSED}) - julianday({OPENED}) > {{n}}",
        {"curator": CURATORS[:4], "n": (45, 55)}, DAYS,
    ),
    Family(
        "many_artists", "medium",
        (
            "Which exhibitions showed works by at least {n} different artists born before {year}? Give title and the"
            " number of those artists.",
            "List the exhibitions with {n} or more distinct artists who were born before {year}: title and number.",
        ),
        "SELECT e.title, COUNT(DISTINCT a.artist_id) AS artists FROM exhibition AS e"
        " JOIN exhibit AS x ON x.exhibition_id = e.exhibition_id JOIN artwork AS w ON w.artwork_id = x.artwork_id"
        " JOIN artist AS a ON a.artist_id = w.artist_id WHERE a.born < {year} GROUP BY e.exhibition_id"
        " HAVING COUNT(DISTINCT a.artist_id) >= {n}",
        {"n year": ((10, 1880), (9, 1870), (12, 1900), (8, 1850))},
    ),
    Family(
        "shown_often", "medium",
        (
            "Which {technique} works have been in {n} exhibitions or more? Give artwork id, title and number of"
            " exhibitions, the most shown first, then by artwork id.",
            "Give id, title and number of exhibitions of the {technique} works shown at least {n} times, by that number"
            " from the highest, then by artwork id.",
        ),
        "SELECT w.artwork_id, w.title, COUNT(*) AS shows FROM artwork AS w"
        " JOIN exhibit AS x ON x.artwork_id = w.artwork_id WHERE w.technique = {technique} GROUP BY w.artwork_id"
        " HAVING COUNT(*) >= {n} ORDER BY shows DESC, w.artwork_id",
        {"technique": ("oil", "print", "watercolour"), "n": (3, 4)},
    ),
    Family(
        "never_shown", "medium",
        (
            "Which works by artists from {country} have never been in an exhibition? Give artwork id, title and year"
            " made, empty where unknown.",
            "Give id, title and year (NULL where it is not known) of every work by an artist from {country} that no"
            " exhibition has shown.",
        ),
        "SELECT w.artwork_id, w.title, w.made FROM artwork AS w JOIN artist AS a ON a.artist_id = w.artist_id"
        " WHERE a.country = {country} AND NOT EXISTS (SELECT 1 FROM exhibit AS x WHERE x.artwork_id = w.artwork_id)",
        {"country": COUNTRIES},
    ),
    Family(
        "best_days", "hard",
        (
            "What was the day with the most visitors, paid and free together, of each exhibition by {curator}? Give"
            " exhibition title, day as it is written, and visitors; all days where several tie.",
            "For every exhibition of {curator}, name the busiest day by paid plus free visitors, ties included: title,"
            " day, visitors.",
        ),
        "SELECT title, day, visitors FROM (SELECT e.title, v.day, v.paid + v.free AS visitors, RANK() OVER"
        " (PARTITION BY e.exhibition_id ORDER BY v.paid + v.free DESC) AS place FROM exhibition AS e"
        " JOIN visit_day AS v ON v.exhibition_id = e.exhibition_id WHERE e.curator = {curator}) AS days"
        " WHERE place = 1",
        {"curator": CURATORS},
    ),
    Family(
        "passed_mark", "hard",
        (
            "On which day did '{show}' pass a total of {n} paying visitors since its opening? Give the day as it is"
            " written and the total at its end.",
            "Give the first day at whose end '{show}' had counted more than {n} paid visits in all, and that total.",
        ),
        f"WITH sums AS (SELECT v.day, {DAY} AS iso, SUM(v.paid) OVER (ORDER BY {DAY}) AS total FROM visit_day AS v"
        " JOIN exhibition AS e ON e.exhibition_id = v.exhibition_id WHERE e.title = {show})"
        " SELECT day, total FROM sums WHERE total > {n} ORDER BY iso LIMIT 1",
        {"show": EXHIBITIONS[::3], "n": (1000, 2000)},
        DAYS + " The museum passes a mark on the first day whose total is more than it.",
    ),
    Family(
        "at_the_same_time", "hard",
        (
            "Which other exhibitions were open on at least one day on which '{show}' was open? Give titles and"
            " curators.",
            "Give title and curator of every exhibition whose time overlaps with that of '{show}' (one common day is"
            " enough), except '{show}' itself.",
        ),
        f"SELECT e.title, e.curator FROM exhibition AS e JOIN exhibition AS o ON o.title = {{show}}"
        f" WHERE e.exhibition_id <> o.exhibition_id AND {OPENED} <= {ISO.format('o.closed')}"
        f" AND {CLOSED} >= {ISO.format('o.opened')}",
        {"show": EXHIBITIONS[1::3]}, DAYS + " Opening and closing day are both open.",
    ),
    Family(
        "in_both_shows", "hard",
        (
            "Which artists had works in '{one}' and in '{other}'? Give artist ids.",
            "List the ids of the artists shown in both '{one}' and '{other}', be it with different works.",
        ),
        "SELECT w.artist_id FROM artwork AS w JOIN exhibit AS x ON x.artwork_id = w.artwork_id"
        " JOIN exhibition AS e ON e.exhibition_id = x.exhibition_id WHERE e.title = {one} AND w.artist_id IS NOT NULL"
        " INTERSECT SELECT w.artist_id FROM artwork AS w JOIN exhibit AS x ON x.artwork_id = w.artwork_id"
        " JOIN exhibition AS e ON e.exhibition_id = x.exhibition_id WHERE e.title = {other}",
        TWO_SHOWS, "Works without an artist count for nobody.",
    ),
    Family(
        "lent_once", "hard",
        (
            "Which {technique} works were in '{one}' but in no exhibition that {sponsor} sponsored? Give artwork ids.",
            "Give the ids of the {technique} works shown in '{one}' and never in an exhibition sponsored by {sponsor}.",
        ),
        "SELECT x.artwork_id FROM exhibit AS x JOIN exhibition AS e ON e.exhibition_id = x.exhibition_id"
        " JOIN artwork AS w ON w.artwork_id = x.artwork_id WHERE e.title = {one} AND w.technique = {technique} EXCEPT"
        " SELECT x.artwork_id FROM exhibit AS x JOIN exhibition AS e ON e.exhibition_id = x.exhibition_id"
        " WHERE e.sponsor = {sponsor}",
        {"technique": ("oil", "print"), "one": EXHIBITIONS[2::5], "sponsor": SPONSORS},
    ),
    Family(
        "three_day_mean", "hard",
        (
            "For '{show}', on which days was the mean of paid visitors over that day and the 2 visiting days before it"
            " above {n}? Give day as it is written and the mean rounded to 1 decimal; the first 2 days have no such"
            " mean.",
            "Give the days of '{show}' (as written) whose average of paid visitors, taken over the day and the 2"
            " visiting days before, exceeds {n}, with that average to 1 decimal; days with fewer than 2 days before do"
            " not count.",
        ),
        f"SELECT day, ROUND(mean, 1) AS mean_paid FROM (SELECT v.day, AVG(v.paid) OVER last3 AS mean,"
        f" COUNT(*) OVER last3 AS days FROM visit_day AS v JOIN exhibition AS e ON e.exhibition_id = v.exhibition_id"
        f" WHERE e.title = {{show}} WINDOW last3 AS (ORDER BY {DAY} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)) AS means"
        " WHERE days = 3 AND mean > {n}",
        {"show": EXHIBITIONS[::2], "n": (80, 120)}, DAYS + " The mean is over 3 days.",
    ),
    Family(
        "free_share", "medium",
        (
            "At which exhibitions were at least {n} per cent of the visitors free? Give title and the share in per"
            " cent, rounded to 1 decimal.",
            "List the exhibitions where free visitors made up {n} per cent or more of all visitors, with the percentage"
            " rounded to 1 decimal.",
        ),
        "SELECT e.title, ROUND(100.0 * SUM(v.free) / SUM(v.free + v.paid), 1) AS share FROM exhibition AS e"
        " JOIN visit_day AS v ON v.exhibition_id = e.exhibition_id GROUP BY e.exhibition_id"
        " HAVING 100.0 * SUM(v.free) / SUM(v.free + v.paid) >= {n}",
        {"n": (14, 15)}, "All visitors are the paying and the free ones.", count=2,
    ),
    Family(
        "all_in_store", "hard",
        (
            "Which artists from {country} are represented in the collection, but with no work in a room? Give name and"
            " number of works.",
            "Give name and number of works of each artist from {country} all of whose works are in store (at least one"
            " work).",
        ),
        "SELECT a.name, COUNT(*) AS works FROM artist AS a JOIN artwork AS w ON w.artist_id = a.artist_id"
        " WHERE a.country = {country} GROUP BY a.artist_id HAVING COUNT(w.room) = 0",
        {"country": COUNTRIES}, "A work in store has no room; the number of its rooms is 0.", count=2,
    ),
    Family(
        "age_when_made", "medium",
        (
            "How old were artists on average in the year they made their {technique} works? Give one number in years,"
            " rounded to 1 decimal; works without year or artist do not count.",
            "Give the mean age of the artists in the year of making, over the {technique} works with a known year and"
            " artist, rounded to 1 decimal.",
        ),
        "SELECT ROUND(AVG(w.made - a.born), 1) AS age FROM artwork AS w JOIN artist AS a ON a.artist_id = w.artist_id"
        " WHERE w.technique = {technique} AND w.made IS NOT NULL",
        {"technique": TECHNIQUES}, "Age is the year of making minus the year of birth.", count=2,
    ),
    Family(
        "dearest_of_artist", "hard",
        (
            "For each artist from {country}, which work is insured for the most? Give artist's name, title and euros,"
            " all works that tie; leave out artists without an insured work.",
            "Name the work of the highest insured value of every artist from {country}, ties included: name, title,"
            " euros. Works without an insured value do not count.",
        ),
        "SELECT a.name, w.title, w.insured_euros FROM artist AS a JOIN artwork AS w ON w.artist_id = a.artist_id"
        " WHERE a.country = {country} AND w.insured_euros = (SELECT MAX(o.insured_euros) FROM artwork AS o"
        " WHERE o.artist_id = w.artist_id)",
        {"country": COUNTRIES},
    ),
    Family(
        "shared_titles", "medium",
        (
            "Which titles do at least {n} works in the technique '{technique}' share? Give the title, the number of"
            " those works and the number of their different known artists.",
            "For titles borne by {n} or more {technique} works, give title, number of works, and how many different"
            " artists (unknown artists not counted) made them.",
        ),
        "SELECT title, COUNT(*) AS works, COUNT(DISTINCT artist_id) AS artists FROM artwork"
        " WHERE technique = {technique} GROUP BY title HAVING COUNT(*) >= {n}",
        {"technique n": (("oil", 5), ("print", 4), ("watercolour", 3), ("bronze", 3))},
    ),
    Family(
        "sharp_drops", "hard",
        (
            "From which visiting day to the next did '{show}' lose more than {n} paid visitors? Give the later day as"
            " it is written and the loss.",
            "Give every visiting day of '{show}' (as written) that had over {n} paid visitors fewer than the visiting"
            " day before it, and how many fewer.",
        ),
        f"SELECT day, before - paid AS loss FROM (SELECT v.day, v.paid, LAG(v.paid) OVER (ORDER BY {DAY}) AS before"
        f" FROM visit_day AS v JOIN exhibition AS e ON e.exhibition_id = v.exhibition_id WHERE e.title = {{show}})"
        " AS pairs WHERE before - paid > {n}",
        {"show": EXHIBITIONS[1::2], "n": (30, 40, 50)}, DAYS,
    ),
    Family(
        "by_decade", "medium",
        (
            "How many {technique} works were made in each decade? Give the decade by its first year, as in 1870, and"
            " the number, earliest decade first; works without a year do not count.",
        ),
        "SELECT made / 10 * 10 AS decade, COUNT(*) AS works FROM artwork"
        " WHERE technique = {technique} AND made IS NOT NULL GROUP BY decade ORDER BY decade",
        {"technique": TECHNIQUES}, "A decade has 10 years and begins with a year that 10 divides.", count=2,
    ),
    Family(
        "top_quarter", "hard",
        (
            "Which {technique} works belong to the most valuable quarter of all insured {technique} works and are in"
            " store? Give artwork id and insured euros. Order them by insured value from the highest, then by artwork"
            " id, and cut into 4 groups of equal size (the earlier groups larger by one where it does not divide); the"
            " quarter is the first group.",
        ),
        "SELECT artwork_id, insured_euros FROM (SELECT artwork_id, insured_euros, room, NTILE(4) OVER"
        " (ORDER BY insured_euros DESC, artwork_id) AS quarter FROM artwork WHERE technique = {technique}"
        " AND insured_euros IS NOT NULL) AS ranked WHERE quarter = 1 AND room IS NULL",
        {"technique": TECHNIQUES}, "A work in store has no room.", count=2,
    ),
    Family(
        "years_of_curators", "medium",
        (
            "How many exhibitions did each curator open in {year}, and how many of those had no sponsor? Give curator"
            " and both numbers, only for curators who opened one in that year.",
            "Count by curator the exhibitions that opened in {year}, and those among them without a sponsor: curator,"
            " number, number without sponsor.",
        ),
        "SELECT curator, COUNT(*) AS exhibitions, COUNT(*) - COUNT(sponsor) AS unsponsored FROM exhibition"
        " WHERE SUBSTR(opened, 7, 4) = {year} GROUP BY curator",
        {"year": ("2021", "2022", "2023")}, DAYS, count=2,
    ),
    Family(
        "shown_after_death", "hard",
        (
            "Which artists who died before {year} had works on the {wall} wall of an exhibition? Give every name once"
            " per artist, with artist id, in order of id.",
            "Give id and name of the artists dead before {year} of whom some exhibition showed a work on its {wall}"
            " wall, each artist once, by id from the lowest.",
        ),
        "SELECT a.artist_id, a.name FROM artist AS a WHERE a.died < {year} AND a.artist_id IN"
        " (SELECT w.artist_id FROM artwork AS w JOIN exhibit AS x ON x.artwork_id = w.artwork_id WHERE x.wall = {wall})"
        " ORDER BY a.artist_id",
        {"year": (1880, 1890, 1900), "wall": ("north", "south", "west")},
    ),
    Family(
        "sponsor_or_crowd", "medium",
        (
            "Which exhibitions were sponsored by {sponsor} or drew more than {n} paying visitors in all? Give each"
            " title once, in alphabetical order.",
            "List alphabetically the titles of exhibitions that had {sponsor} as sponsor, or over {n} paid visits in"
            " total, or both.",
        ),
        "SELECT title FROM exhibition WHERE sponsor = {sponsor} UNION SELECT e.title FROM exhibition AS e"
        " JOIN visit_day AS v ON v.exhibition_id = e.exhibition_id GROUP BY e.exhibition_id HAVING SUM(v.paid) > {n}"
        " ORDER BY title",
        {"sponsor": SPONSORS, "n": (9000, 10000)},
    ),
)  # fmt: skip
