"""A football league late in its season: clubs, players, games and who played in them; 4 tables.

Worth minding: games not played yet have no goals, attendance was not always counted, some players have no club or no
shirt number, two clubs may share a town, and dates are text ('YYYY-MM-DD').
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.league_rows import SCHEMA, TEAMS, TOWNS, fill

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "league"
PLACES: Final = ("keeper", "defender", "midfielder", "forward")
BOOKED: Final = "A card is 'yellow' or 'red'; it is NULL where the player was shown none."
UNPLAYED: Final = "A game that has not been played has NULL in home_goals and away_goals."
CROWD: Final = "attendance is NULL where nobody counted."

FAMILIES: Final = (
    Family(
        "table_after_round", "hard",
        (
            "What did the top {k} of the table look like after round {r}? Club and points, most points first and clubs "
            "level on points by name.",
            "Work out the league table over rounds up to and including {r} and list the first {k} clubs with their "
            "points, ordered by points from the top, then by club name.",
        ),
        "SELECT t.name, SUM(CASE WHEN g.home_goals = g.away_goals THEN 1 WHEN t.team_id = g.home_id AND g.home_goals > "
        "g.away_goals OR t.team_id = g.away_id AND g.away_goals > g.home_goals THEN 3 ELSE 0 END) AS points FROM team "
        "AS t JOIN game AS g ON t.team_id IN (g.home_id, g.away_id) WHERE g.round <= {r} GROUP BY t.team_id, t.name "
        "ORDER BY points DESC, t.name LIMIT {k}",
        {"r": (6, 9, 13, 16), "k": (4, 5, 6)},
        "A win gives 3 points, a draw 1, a defeat 0. " + UNPLAYED, 4,
    ),
    Family(
        "home_margin_so_far", "medium",
        (
            "Follow the home form of {team}: for each home game already played give the round, the goal margin of that "
            "game (goals for minus goals against) and the margin added up so far, in order of rounds.",
            "I want to chart {team} at home: round, goal difference in that game, running total of the difference; "
            "played games only, earliest round first.",
        ),
        "SELECT g.round, g.home_goals - g.away_goals AS margin, SUM(g.home_goals - g.away_goals) OVER (ORDER BY "
        "g.round) AS so_far FROM game AS g JOIN team AS t ON t.team_id = g.home_id WHERE t.name = {team} AND "
        "g.home_goals IS NOT NULL ORDER BY g.round",
        {"team": TEAMS}, UNPLAYED, 4,
    ),
    Family(
        "youngest_of_squad", "medium",
        (
            "At which clubs is the youngest player of the whole squad a {place}? Club, player, date of birth; if two "
            "share that date, each {place} counts.",
            "Look at the latest birth date in every squad: where does it belong to a {place}? Give club, player and "
            "date, and every {place} born that day.",
        ),
        "SELECT t.name AS club, p.name AS player, p.born FROM player AS p JOIN team AS t ON t.team_id = p.team_id "
        "WHERE p.position = {place} AND p.born = (SELECT MAX(q.born) FROM player AS q WHERE q.team_id = p.team_id)",
        {"place": PLACES[1:]}, "position is 'keeper', 'defender', 'midfielder' or 'forward'.",
    ),
    Family(
        "birth_years_not_shared", "medium",
        (
            "In which years were players of {a} born, but none of {b}?",
            "{a} and {b} compare their squads. List each year of birth found at {a} that nobody at {b} has.",
        ),
        "SELECT strftime('%Y', p.born) AS year FROM player AS p JOIN team AS t ON t.team_id = p.team_id WHERE t.name = "
        "{a} EXCEPT SELECT strftime('%Y', p.born) FROM player AS p JOIN team AS t ON t.team_id = p.team_id WHERE "
        "t.name = {b}",
        {"a b": tuple(zip(TEAMS, TEAMS[5:] + TEAMS[:5], strict=True))},
        "The year is the text strftime('%Y', born), such as '1998'.",
    ),
    Family(
        "yellow_and_red", "medium",
        (
            "Which players listed as {place} have seen yellow in some game and red in another? Name and birth date.",
            "Give name and date of birth of every {place} with both a yellow and a red card this season.",
        ),
        "SELECT p.name, p.born FROM player AS p JOIN appearance AS a ON a.player_id = p.player_id WHERE a.card = "
        "'yellow' INTERSECT SELECT p.name, p.born FROM player AS p JOIN appearance AS a ON a.player_id = p.player_id "
        "WHERE p.position = {place} AND a.card = 'red'",
        {"place": PLACES}, BOOKED,
    ),
    Family(
        "regular_scorers", "medium",
        (
            "List everyone with {n} goals or more this season: club, player, goals, most goals first and by name where "
            "equal.",
            "Who has scored at least {n} times? Show the club, the player and the number of goals, ordered from most "
            "to fewest, then by player name.",
        ),
        "SELECT t.name AS club, p.name AS player, SUM(a.goals) AS goals FROM appearance AS a JOIN player AS p ON "
        "p.player_id = a.player_id JOIN team AS t ON t.team_id = p.team_id GROUP BY p.player_id, t.name, p.name HAVING "
        "SUM(a.goals) >= {n} ORDER BY goals DESC, p.name",
        {"n": (5, 6, 7)},
    ),
    Family(
        "many_sided_numbers", "medium",
        (
            "Which shirt numbers are worn at the clubs of {town} in {n} or more different positions? Number and how "
            "many players wear it there.",
            "Across the clubs from {town}, find the shirt numbers that players of at least {n} positions have, and "
            "count those players.",
        ),
        "SELECT p.shirt, COUNT(*) AS players FROM player AS p JOIN team AS t ON t.team_id = p.team_id WHERE t.town = "
        "{town} AND p.shirt IS NOT NULL GROUP BY p.shirt HAVING COUNT(DISTINCT p.position) >= {n}",
        {"town": TOWNS, "n": (2,)}, "shirt is NULL for a player without a number.", 4,
    ),
    Family(
        "long_breaks", "hard",
        (
            "Find the breaks of more than {d} days in the calendar of {team}: the two dates and the days between them.",
            "When did {team} wait longer than {d} days from one scheduled game to the next? Give the date before the "
            "gap, the date after it, and the whole days in between.",
        ),
        "SELECT previous, played_on, CAST(julianday(played_on) - julianday(previous) AS INTEGER) AS days FROM (SELECT "
        "g.played_on, LAG(g.played_on) OVER (ORDER BY g.played_on) AS previous FROM game AS g JOIN team AS t ON "
        "t.team_id IN (g.home_id, g.away_id) WHERE t.name = {team}) WHERE julianday(played_on) - julianday(previous) > "
        "{d}",
        {"team": TEAMS, "d": (7,)}, "Home and away games count alike, played or not; played_on is their date.", 4,
    ),
    Family(
        "never_on_the_pitch", "easy",
        (
            "Which {place} on the books of a club has not appeared in a single game? Player and club.",
            "Name every contracted {place} who never played this season, with the club.",
        ),
        "SELECT p.name AS player, t.name AS club FROM player AS p JOIN team AS t ON t.team_id = p.team_id LEFT JOIN "
        "appearance AS a ON a.player_id = p.player_id WHERE a.game_id IS NULL AND p.position = {place}",
        {"place": PLACES[1:]}, "A player without a club has NULL in team_id and is not asked for.",
    ),
    Family(
        "round_reports", "easy",
        (
            "For rounds {a} to {b}: how many games were scheduled, how many played, and for how many was the crowd "
            "counted? One line a round, in order.",
            "Show for each round from {a} to {b} the number of fixtures, of games played and of counted attendances, "
            "sorted by round.",
        ),
        "SELECT round, COUNT(*) AS scheduled, COUNT(home_goals) AS played, COUNT(attendance) AS counted FROM game "
        "WHERE round BETWEEN {a} AND {b} GROUP BY round ORDER BY round",
        {"a b": ((13, 19), (14, 20), (12, 21), (15, 22))}, f"{UNPLAYED} {CROWD}",
    ),
    Family(
        "birth_quarters", "medium",
        (
            "Are players born early in the year over-represented? Count every {place} by quarter of birth; list "
            "quarter and number, first quarter first.",
            "In which quarter of the year was each {place} born? Give the quarter and the number of players, ordered "
            "by quarter.",
        ),
        "SELECT (CAST(strftime('%m', born) AS INTEGER) + 2) / 3 AS quarter, COUNT(*) AS players FROM player WHERE "
        "position = {place} GROUP BY quarter ORDER BY quarter",
        {"place": PLACES}, "The quarter is (month of birth + 2) / 3 in whole numbers, 1 to 4.",
    ),
    Family(
        "full_stands", "hard",
        (
            "How full are the grounds on average? Take clubs with a ground of their own and {n} counted home crowds or "
            "more; club and mean crowd in per cent of capacity to one decimal, the fullest first, then by name.",
            "Average the counted home crowds and relate them to capacity, for clubs that have a capacity and at least "
            "{n} counts: club and percentage rounded to 1 decimal, from highest to lowest and by name where equal.",
        ),
        "SELECT t.name, ROUND(100.0 * AVG(g.attendance) / t.capacity, 1) AS filled FROM team AS t JOIN game AS g ON "
        "g.home_id = t.team_id WHERE t.capacity IS NOT NULL GROUP BY t.team_id, t.name, t.capacity HAVING "
        "COUNT(g.attendance) >= {n} ORDER BY filled DESC, t.name",
        {"n": (6, 7, 8)}, f"capacity is NULL for a club without a ground of its own. {CROWD}",
    ),
    Family(
        "best_of_each_club", "hard",
        (
            "Who are the {k} best scorers of each club of {town}? Rank by goals inside the club and keep everyone "
            "ranked {k} or better, so equals may add some; club, player, goals.",
            "Rank the goal totals within every club from {town}, equal totals sharing a rank, and show all with rank "
            "{k} or better: club, player and total.",
        ),
        "SELECT club, player, goals FROM (SELECT t.name AS club, p.name AS player, SUM(a.goals) AS goals, RANK() OVER "
        "(PARTITION BY t.team_id ORDER BY SUM(a.goals) DESC) AS place FROM team AS t JOIN player AS p ON p.team_id = "
        "t.team_id JOIN appearance AS a ON a.player_id = p.player_id WHERE t.town = {town} GROUP BY t.team_id, t.name, "
        "p.player_id, p.name) WHERE place <= {k}",
        {"town": TOWNS, "k": (3, 4)},
    ),
    Family(
        "two_meetings", "medium",
        (
            "How did {a} and {b} do against each other? For both meetings give the round, the home club, and the goals "
            "of the home and of the away side, in order of rounds.",
            "List the two fixtures between {a} and {b}, earliest round first: round, host, home goals, away goals.",
        ),
        "SELECT g.round, h.name, g.home_goals, g.away_goals FROM game AS g JOIN team AS h ON h.team_id = g.home_id "
        "JOIN team AS v ON v.team_id = g.away_id WHERE (h.name = {a} AND v.name = {b}) OR (h.name = {b} AND v.name = "
        "{a}) ORDER BY g.round",
        {"a b": tuple(zip(TEAMS, TEAMS[3:] + TEAMS[:3], strict=True))}, UNPLAYED,
    ),
    Family(
        "weekday_hosts", "medium",
        (
            "How often is each club down to host on a {day}, played or not? Only clubs with at least {n} such "
            "fixtures; club and number.",
            "Which clubs have {n} or more home fixtures on a {day}, and how many?",
        ),
        "SELECT t.name, COUNT(*) AS games FROM team AS t JOIN game AS g ON g.home_id = t.team_id WHERE strftime('%w', "
        "g.played_on) = {w} GROUP BY t.team_id, t.name HAVING COUNT(*) >= {n}",
        {"day w n": (("Sunday", "0", 4), ("Friday", "5", 2), ("Saturday", "6", 7), ("Sunday", "0", 3))},
        "strftime('%w', date) is '{w}' on a {day}.", 4,
    ),
    Family(
        "cards_per_home_game", "hard",
        (
            "How rough are home games? For clubs that joined before {d}: the average number of cards (both sides "
            "together) in their home games, to 2 decimals, and the largest number. Games without a card count as 0.",
            "Club by club, for those in the league since before {d}, what is the mean (2 decimals) and the maximum "
            "number of cards shown in a home game that was played, card-free games included?",
        ),
        "SELECT t.name, ROUND(AVG(c.cards), 2) AS mean, MAX(c.cards) AS most FROM team AS t JOIN (SELECT g.game_id, "
        "g.home_id, COUNT(a.card) AS cards FROM game AS g JOIN appearance AS a ON a.game_id = g.game_id GROUP BY "
        "g.game_id, g.home_id) AS c ON c.home_id = t.team_id WHERE t.joined < {d} GROUP BY t.team_id, t.name",
        {"d": ("2010-07-01", "2013-07-01", "2016-07-01")}, f"{BOOKED} Only played games have appearances.",
    ),
    Family(
        "unbeaten_by_town", "hard",
        (
            "Which clubs have never lost at home to a visitor from {town}? A visitor from the same town counts too.",
            "Name the clubs that no other club of {town} has beaten on their own ground so far, clubs from {town} "
            "included.",
        ),
        "SELECT t.name FROM team AS t WHERE NOT EXISTS (SELECT 1 FROM game AS g JOIN team AS v ON v.team_id = "
        "g.away_id WHERE g.home_id = t.team_id AND v.town = {town} AND g.away_goals > g.home_goals)",
        {"town": TOWNS}, UNPLAYED, 4,
    ),
    Family(
        "results_of_club", "hard",
        (
            "Give me all fixtures of {team} from round {a} to {b}, played or not: round, opponent, goals scored, goals "
            "conceded (empty where not played), in order of rounds.",
            "Rounds {a} to {b} of {team}, home and away, with the games still to come: which opponent, how many goals "
            "for and how many against? Round first, and sort by round.",
        ),
        "SELECT g.round, v.name AS opponent, g.home_goals AS scored, g.away_goals AS conceded FROM game AS g JOIN team "
        "AS h ON h.team_id = g.home_id JOIN team AS v ON v.team_id = g.away_id WHERE h.name = {team} AND g.round "
        "BETWEEN {a} AND {b} UNION ALL SELECT g.round, h.name, g.away_goals, g.home_goals FROM game AS g JOIN team AS "
        "h ON h.team_id = g.home_id JOIN team AS v ON v.team_id = g.away_id WHERE v.name = {team} AND g.round BETWEEN "
        "{a} AND {b} ORDER BY 1",
        {"team": TEAMS, "a b": ((3, 9), (15, 22))}, UNPLAYED,
    ),
    Family(
        "share_of_goals", "hard",
        (
            "What share of the goals of {team} came from whom? Name, goals, percentage of all goals by the club's "
            "players to one decimal, nobody without a goal.",
            "Break the goals of {team} down by scorer: player, number, and per cent of the club's total, rounded to 1 "
            "decimal. Leave out players without a goal.",
        ),
        "SELECT p.name, SUM(a.goals) AS goals, ROUND(100.0 * SUM(a.goals) / SUM(SUM(a.goals)) OVER (), 1) AS share "
        "FROM player AS p JOIN team AS t ON t.team_id = p.team_id JOIN appearance AS a ON a.player_id = p.player_id "
        "WHERE t.name = {team} GROUP BY p.player_id, p.name HAVING SUM(a.goals) > 0",
        {"team": TEAMS},
    ),
    Family(
        "youngsters", "easy",
        (
            "List every {place} born on {d} or later with the club, writing 'none' for players without one.",
            "Who of position {place} was born from {d} on? Player and club; show 'none' where there is no club.",
        ),
        "SELECT p.name AS player, COALESCE(t.name, 'none') AS club FROM player AS p LEFT JOIN team AS t ON t.team_id = "
        "p.team_id WHERE p.position = {place} AND p.born >= {d}",
        {"place d": (("defender", "2001-01-01"), ("midfielder", "2002-01-01"), ("forward", "2001-01-01"))},
    ),
    Family(
        "never_a_small_crowd", "medium",
        (
            "Which clubs never drew fewer than {n} counted spectators at home? Club and town.",
            "Name every club, with its town, whose counted home crowds were all {n} or more.",
        ),
        "SELECT name, town FROM team WHERE team_id NOT IN (SELECT home_id FROM game WHERE attendance < {n})",
        {"n": (2000, 2500, 3000)}, CROWD,
    ),
)  # fmt: skip
