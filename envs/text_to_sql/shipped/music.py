"""A music service: artists, albums, tracks in a tree of genres, and who played what; 7 tables.

Worth minding: titles of tracks repeat, genres have parents, tracks have several genres or none, some listeners never
played anything, seconds heard are not always known, listeners invite each other, and dates are text ('YYYY-MM-DD').
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.music_rows import (
    ARTISTS,
    COUNTRIES,
    DEVICES,
    GENRES,
    KINDS,
    LABELS,
    PLANS,
    SCHEMA,
    fill,
)

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "music"
ARTIST: Final = {"artist": ARTISTS}
PLAN: Final = {"plan": PLANS}
DEVICE: Final = {"device": DEVICES}
GENRE: Final = {"genre": tuple(name for name, _ in GENRES)}
PAIRS: Final = {"one other": tuple(zip(ARTISTS, ARTISTS[3:] + ARTISTS[:3], strict=True))}
MONTHS: Final = {"month": ("2024-02", "2024-03", "2024-04", "2024-05", "2024-06")}
HEARD: Final = "seconds_heard is NULL where it is not known."
PLAN_NAMES: Final = "plan is 'free', 'family' or 'premium'."
EACH: Final = "One row a track, also where titles repeat."
INVITED: Final = "invited_by is NULL for listeners who came by themselves."

FAMILIES: Final = (
    Family(
        "discography", "easy",
        (
            "List the albums of {artist} with kind and release date, in the order in which they came out.",
            "What has {artist} released so far? Album title, kind and date, earliest first.",
        ),
        "SELECT b.title, b.kind, b.released FROM albums AS b JOIN artists AS a ON a.artist_id = b.artist_id WHERE "
        "a.name = {artist} ORDER BY b.released",
        ARTIST,
    ),
    Family(
        "without_label", "easy",
        (
            "Which {kind} albums came out without a label? Title and artist.",
            "Show title and artist of every self-released {kind} album.",
        ),
        "SELECT b.title, a.name FROM albums AS b JOIN artists AS a ON a.artist_id = b.artist_id WHERE b.kind = {kind} "
        "AND b.label IS NULL",
        {"kind": KINDS}, "label is NULL for self-released albums; kind is 'studio', 'live' or 'EP'.",
    ),
    Family(
        "long_explicit_tracks", "easy",
        (
            "Which explicit tracks on {label} albums last {n} seconds or longer? Track, album and length, the longest "
            "first, equal ones by track id.",
            "List explicit tracks of at least {n} seconds released by {label}: track title, album title, seconds; "
            "sorted from long to short, then by track id.",
        ),
        "SELECT t.title AS track, b.title AS album, t.seconds FROM tracks AS t JOIN albums AS b ON b.album_id = "
        "t.album_id WHERE b.label = {label} AND t.explicit = 1 AND t.seconds >= {n} ORDER BY t.seconds DESC, "
        "t.track_id",
        {"label": LABELS, "n": (320, 340)}, "explicit is 1 for explicit tracks, otherwise 0.",
    ),
    Family(
        "active_artists", "easy",
        (
            "Which artists were active in {year}? The years of founding and disbanding count as active; name and "
            "founding year.",
            "Name the artists founded in {year} or before that had not disbanded before {year}, with the year they "
            "were founded.",
        ),
        "SELECT name, founded FROM artists WHERE founded <= {year} AND (disbanded IS NULL OR disbanded >= {year})",
        {"year": (2000, 2003, 2006)}, "disbanded is NULL for artists who still play; founded and disbanded are years.",
    ),
    Family(
        "running_times", "medium",
        (
            "How long does each album of {artist} run? Title, whole minutes and the seconds left over.",
            "Give the total length of every {artist} album as full minutes and remaining seconds, next to its title.",
        ),
        "SELECT b.title, SUM(t.seconds) / 60 AS minutes, SUM(t.seconds) % 60 AS rest FROM albums AS b JOIN artists AS "
        "a ON a.artist_id = b.artist_id JOIN tracks AS t ON t.album_id = b.album_id WHERE a.name = {artist} GROUP BY "
        "b.album_id, b.title",
        ARTIST, "A minute has 60 seconds.",
    ),
    Family(
        "prolific_in_genre", "medium",
        (
            "Which artists have {n} or more tracks in the genre {genre}? Name and number.",
            "Find artists with at least {n} tracks tagged {genre}, and how many they have.",
        ),
        "SELECT a.name, COUNT(*) AS tracks FROM genres AS g JOIN track_genres AS x ON x.genre_id = g.genre_id JOIN "
        "tracks AS t ON t.track_id = x.track_id JOIN albums AS b ON b.album_id = t.album_id JOIN artists AS a ON "
        "a.artist_id = b.artist_id WHERE g.name = {genre} GROUP BY a.artist_id, a.name HAVING COUNT(*) >= {n}",
        {**GENRE, "n": (3, 4)},
    ),
    Family(
        "two_genres_at_once", "medium",
        (
            "Which tracks are tagged both {one} and {other}? Track title and album.",
            "Show title and album of each track that carries the genre {one} together with {other}.",
        ),
        "SELECT t.title AS track, b.title AS album FROM tracks AS t JOIN albums AS b ON b.album_id = t.album_id JOIN "
        "track_genres AS x ON x.track_id = t.track_id JOIN genres AS g ON g.genre_id = x.genre_id JOIN track_genres AS "
        "y ON y.track_id = t.track_id JOIN genres AS h ON h.genre_id = y.genre_id WHERE g.name = {one} AND h.name = "
        "{other}",
        {"one other": (("Rock", "Ballads"), ("House", "Drone"), ("Folk", "Ambient"), ("Sea Songs", "Indie Rock"))},
        EACH,
    ),
    Family(
        "fans_of_one", "medium",
        (
            "Who has played {one} but never {other}? Nicknames, each once.",
            "Find the listeners with a play of a track by {one} and none by {other}; give nicknames without repeats.",
        ),
        "SELECT l.nickname FROM listeners AS l JOIN plays AS p ON p.listener_id = l.listener_id JOIN tracks AS t ON "
        "t.track_id = p.track_id JOIN albums AS b ON b.album_id = t.album_id JOIN artists AS a ON a.artist_id = "
        "b.artist_id WHERE a.name = {one} EXCEPT SELECT l.nickname FROM listeners AS l JOIN plays AS p ON "
        "p.listener_id = l.listener_id JOIN tracks AS t ON t.track_id = p.track_id JOIN albums AS b ON b.album_id = "
        "t.album_id JOIN artists AS a ON a.artist_id = b.artist_id WHERE a.name = {other}",
        PAIRS,
    ),
    Family(
        "life_of_artist", "medium",
        (
            "Write the chronicle of {artist}: year and event, where the events are 'founded' and the titles of their "
            "albums, in order of years.",
            "Give a timeline of {artist}, sorted by year: 'founded' in the founding year, and each album title in its "
            "year of release.",
        ),
        "SELECT founded AS year, 'founded' AS event FROM artists WHERE name = {artist} UNION ALL SELECT "
        "CAST(strftime('%Y', b.released) AS INTEGER), b.title FROM albums AS b JOIN artists AS a ON a.artist_id = "
        "b.artist_id WHERE a.name = {artist} ORDER BY year",
        ARTIST, "The year is a number; founded is a year, released a date.",
    ),
    Family(
        "first_heard", "hard",
        (
            "What was the first track that each {plan} listener from {country} played? Nickname, track title, date; of "
            "several plays on that day the one with the lowest play id.",
            "For {plan} listeners in {country}, find the earliest play (by date, then play id): nickname, title of the "
            "track, date.",
        ),
        "SELECT nickname, title, played_on FROM (SELECT l.nickname, t.title, p.played_on, ROW_NUMBER() OVER (PARTITION "
        "BY p.listener_id ORDER BY p.played_on, p.play_id) AS place FROM listeners AS l JOIN plays AS p ON "
        "p.listener_id = l.listener_id JOIN tracks AS t ON t.track_id = p.track_id WHERE l.plan = {plan} AND l.country "
        "= {country}) WHERE place = 1",
        {**PLAN, "country": COUNTRIES}, f"{PLAN_NAMES} Listeners without a play are left out.",
    ),
    Family(
        "growth", "hard",
        (
            "How did the {plan} plan grow in {year}? Month as two digits, listeners who joined in it, and the total "
            "joined so far that year, in order of months.",
            "Count the {plan} listeners by month of joining in {year} (two digits) with a running total over the year, "
            "sorted by month.",
        ),
        "SELECT strftime('%m', joined) AS month, COUNT(*) AS came, SUM(COUNT(*)) OVER (ORDER BY strftime('%m', "
        "joined)) AS so_far FROM listeners WHERE plan = {plan} AND strftime('%Y', joined) = {year} GROUP BY month "
        "ORDER BY month",
        {**PLAN, "year": ("2022", "2023")}, f"{PLAN_NAMES} Months in which nobody joined are left out.",
    ),
    Family(
        "hits_of_genre", "hard",
        (
            "What are the {k} most played tracks in each genre directly below {root}? Genre, title, track id and "
            "plays; of equally played tracks the lower id comes first.",
            "For every genre whose parent is {root}, find the top {k} tracks by number of plays, the lower track id "
            "going ahead at equal numbers: genre, title, id, plays.",
        ),
        "SELECT genre, title, track_id, plays FROM (SELECT g.name AS genre, t.title, t.track_id, COUNT(*) AS plays, "
        "ROW_NUMBER() OVER (PARTITION BY g.genre_id ORDER BY COUNT(*) DESC, t.track_id) AS place FROM genres AS g JOIN "
        "genres AS h ON h.genre_id = g.parent_id JOIN track_genres AS x ON x.genre_id = g.genre_id JOIN tracks AS t ON "
        "t.track_id = x.track_id JOIN plays AS p ON p.track_id = t.track_id WHERE h.name = {root} GROUP BY g.genre_id, "
        "g.name, t.track_id, t.title) WHERE place <= {k}",
        {"root": ("Rock", "Electronic", "Folk"), "k": (3, 4)},
        "A genre's parent_id names the genre directly above it; tracks without a play are left out.", 4,
    ),
    Family(
        "waits_for_albums", "hard",
        (
            "How many days did fans of {artist} wait after each album for the next one? Title and days, the latest "
            "album left out.",
            "For every album of {artist} but the newest, how many days passed until the one after it? Title and days.",
        ),
        "WITH line AS (SELECT b.title, b.released, LEAD(b.released) OVER (ORDER BY b.released) AS next FROM albums AS "
        "b JOIN artists AS a ON a.artist_id = b.artist_id WHERE a.name = {artist}) SELECT title, CAST(julianday(next) "
        "- julianday(released) AS INTEGER) AS days FROM line WHERE next IS NOT NULL",
        ARTIST,
    ),
    Family(
        "gone_quiet", "medium",
        (
            "Which {plan} listeners have played nothing from {day} on? Nickname and date of joining.",
            "Find {plan} accounts without any play on {day} or later: nickname and joining date.",
        ),
        "SELECT l.nickname, l.joined FROM listeners AS l WHERE l.plan = {plan} AND NOT EXISTS (SELECT 1 FROM plays AS "
        "p WHERE p.listener_id = l.listener_id AND p.played_on >= {day})",
        {**PLAN, "day": ("2024-05-01", "2024-06-01")},
        f"{PLAN_NAMES} Listeners who never played anything count too.", 4,
    ),
    Family(
        "days_to_first_play", "hard",
        (
            "By plan, how long does it take from joining to the first play for those who joined from {a} on? Plan, "
            "listeners who have played, mean days to 1 decimal.",
            "For listeners who joined on {a} or later and have played something: per plan, their number and the "
            "average days from joining to the first play, 1 decimal.",
        ),
        "SELECT plan, COUNT(*) AS listeners, ROUND(AVG(days), 1) AS mean FROM (SELECT l.plan, "
        "julianday(MIN(p.played_on)) - julianday(l.joined) AS days FROM listeners AS l JOIN plays AS p ON "
        "p.listener_id = l.listener_id WHERE l.joined >= {a} GROUP BY l.listener_id, l.plan, l.joined) GROUP BY plan",
        {"a": ("2022-10-01", "2023-01-01", "2023-04-01", "2023-07-01")},
    ),
    Family(
        "heard_to_the_end", "hard",
        (
            "Per plan, how often do plays on the {device} run to the end of the track? Percentage of the plays with "
            "known seconds, to 1 decimal.",
            "For {device} plays whose seconds heard are known: by plan, what per cent reached the full length of the "
            "track? One decimal.",
        ),
        "SELECT l.plan, ROUND(100.0 * COUNT(CASE WHEN p.seconds_heard = t.seconds THEN p.play_id END) / "
        "COUNT(p.seconds_heard), 1) AS complete FROM plays AS p JOIN listeners AS l ON l.listener_id = p.listener_id "
        "JOIN tracks AS t ON t.track_id = p.track_id WHERE p.device = {device} GROUP BY l.plan",
        DEVICE, HEARD,
    ),
    Family(
        "never_played", "medium",
        (
            "Which tracks by {artist} has nobody played? Track and album.",
            "Find the tracks of {artist} without a single play, with the album they are on.",
        ),
        "SELECT t.title AS track, b.title AS album FROM tracks AS t JOIN albums AS b ON b.album_id = t.album_id JOIN "
        "artists AS a ON a.artist_id = b.artist_id LEFT JOIN plays AS p ON p.track_id = t.track_id WHERE a.name = "
        "{artist} AND p.play_id IS NULL",
        ARTIST, EACH,
    ),
    Family(
        "invited_nobody", "medium",
        (
            "Which {plan} listeners came on their own account and never invited anyone? Nicknames.",
            "List {plan} listeners whom nobody invited and who invited nobody; nicknames will do.",
        ),
        "SELECT nickname FROM listeners WHERE plan = {plan} AND invited_by IS NULL AND listener_id NOT IN (SELECT "
        "invited_by FROM listeners WHERE invited_by IS NOT NULL)",
        PLAN, f"{PLAN_NAMES} {INVITED}",
    ),
    Family(
        "invited_from_abroad", "medium",
        (
            "Which listeners were invited by someone on the {plan} plan from another country? Nickname of the guest "
            "and of the host.",
            "List guest and host (nicknames) where a {plan} listener invited someone whose country differs from the "
            "host's.",
        ),
        "SELECT g.nickname AS guest, h.nickname AS host FROM listeners AS g JOIN listeners AS h ON h.listener_id = "
        "g.invited_by WHERE h.plan = {plan} AND g.country <> h.country",
        PLAN, f"{PLAN_NAMES} {INVITED} Pairs where a country is unknown (NULL) do not count.",
    ),
    Family(
        "below_a_genre", "hard",
        (
            "How many tracks does each genre at or below {root} hold? Genre and number of tagged tracks, genres "
            "without any left out.",
            "Count tagged tracks for {root} itself and for every genre underneath it, at any depth: genre and number, "
            "only where there are any.",
        ),
        "WITH RECURSIVE below (genre_id, name) AS (SELECT genre_id, name FROM genres WHERE name = {root} UNION ALL "
        "SELECT g.genre_id, g.name FROM genres AS g JOIN below AS b ON g.parent_id = b.genre_id) SELECT b.name, "
        "COUNT(*) AS tracks FROM below AS b JOIN track_genres AS x ON x.genre_id = b.genre_id GROUP BY b.genre_id, "
        "b.name",
        {"root": ("Rock", "Electronic", "Folk")}, "parent_id names the genre directly above, NULL at the top.",
    ),
    Family(
        "longest_of_album", "medium",
        (
            "What is the longest track on each album of {artist}? Album, track and seconds; all of them where several "
            "are longest.",
            "For every album by {artist}, show the track (or tracks) of greatest length with its seconds.",
        ),
        "SELECT b.title AS album, t.title AS track, t.seconds FROM tracks AS t JOIN albums AS b ON b.album_id = "
        "t.album_id JOIN artists AS a ON a.artist_id = b.artist_id WHERE a.name = {artist} AND t.seconds = (SELECT "
        "MAX(u.seconds) FROM tracks AS u WHERE u.album_id = b.album_id)",
        ARTIST, EACH,
    ),
    Family(
        "audience_of_month", "medium",
        (
            "Which artists reached {n} or more different listeners in {month}? Artist and number of listeners.",
            "For plays in the month {month}, list artists heard by at least {n} different people, with how many.",
        ),
        "SELECT a.name, COUNT(DISTINCT p.listener_id) AS audience FROM plays AS p JOIN tracks AS t ON t.track_id = "
        "p.track_id JOIN albums AS b ON b.album_id = t.album_id JOIN artists AS a ON a.artist_id = b.artist_id WHERE "
        "strftime('%Y-%m', p.played_on) = {month} GROUP BY a.artist_id, a.name HAVING COUNT(DISTINCT p.listener_id) >= "
        "{n}",
        {**MONTHS, "n": (7, 8, 9)}, "{month} is a month in the form 'YYYY-MM'.",
    ),
    Family(
        "outplayed", "hard",
        (
            "Which artists were played more often on the {device} than {artist}? Name and number of plays.",
            "Count plays on the {device} by artist and show those with more than {artist} has: name and count.",
        ),
        "SELECT a.name, COUNT(*) AS plays FROM plays AS p JOIN tracks AS t ON t.track_id = p.track_id JOIN albums AS b "
        "ON b.album_id = t.album_id JOIN artists AS a ON a.artist_id = b.artist_id WHERE p.device = {device} GROUP BY "
        "a.artist_id, a.name HAVING COUNT(*) > (SELECT COUNT(*) FROM plays AS q JOIN tracks AS u ON u.track_id = "
        "q.track_id JOIN albums AS c ON c.album_id = u.album_id JOIN artists AS d ON d.artist_id = c.artist_id WHERE "
        "q.device = {device} AND d.name = {artist})",
        {**DEVICE, **ARTIST},
    ),
    Family(
        "explicit_share", "medium",
        (
            "What per cent of the plays from each country are of explicit tracks, among {plan} listeners? Country and "
            "percentage to 1 decimal; put 'unknown' for a missing country.",
            "Among plays by {plan} listeners, give per country ('unknown' where missing) the percentage that went to "
            "explicit tracks, 1 decimal.",
        ),
        "SELECT COALESCE(l.country, 'unknown') AS origin, ROUND(100.0 * SUM(t.explicit) / COUNT(*), 1) AS share FROM "
        "plays AS p JOIN listeners AS l ON l.listener_id = p.listener_id JOIN tracks AS t ON t.track_id = p.track_id "
        "WHERE l.plan = {plan} GROUP BY origin",
        PLAN, f"{PLAN_NAMES} explicit is 1 for explicit tracks, otherwise 0.",
    ),
    Family(
        "recorded_again", "medium",
        (
            "Which titles have artists from {country} put on {n} or more of their albums? Artist, title, number of "
            "albums.",
            "List track titles that appear on at least {n} different albums of one artist from {country}: artist, "
            "title and number of albums.",
        ),
        "SELECT a.name, t.title, COUNT(DISTINCT t.album_id) AS albums FROM tracks AS t JOIN albums AS b ON b.album_id "
        "= t.album_id JOIN artists AS a ON a.artist_id = b.artist_id WHERE a.country = {country} GROUP BY a.artist_id, "
        "a.name, t.title HAVING COUNT(DISTINCT t.album_id) >= {n}",
        {"country": COUNTRIES, "n": (2,)}, "A title may also be repeated on one album.",
    ),
    Family(
        "every_device", "medium",
        (
            "Which listeners used all {n} kinds of device in {month}? Nickname and number of plays that month.",
            "Name the listeners with plays on {n} different devices during {month}, and how often they played "
            "something then.",
        ),
        "SELECT l.nickname, COUNT(*) AS plays FROM plays AS p JOIN listeners AS l ON l.listener_id = p.listener_id "
        "WHERE p.played_on LIKE '{month:raw}-%' GROUP BY l.listener_id, l.nickname HAVING COUNT(DISTINCT p.device) = "
        "{n}",
        {**MONTHS, "n": (3,)}, "{month}- begins every date of that month.",
    ),
    Family(
        "seldom_there", "medium",
        (
            "Which {plan} listeners have {n} plays or fewer, none at all included? Nickname and number of plays.",
            "Find the {plan} accounts with at most {n} plays; those that never played anything count with 0. Nickname "
            "and number.",
        ),
        "SELECT l.nickname, COUNT(p.play_id) AS plays FROM listeners AS l LEFT JOIN plays AS p ON p.listener_id = "
        "l.listener_id WHERE l.plan = {plan} GROUP BY l.listener_id, l.nickname HAVING COUNT(p.play_id) <= {n}",
        {**PLAN, "n": (10, 12)}, PLAN_NAMES,
    ),
)  # fmt: skip
