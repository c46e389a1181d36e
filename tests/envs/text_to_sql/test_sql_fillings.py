"""What the evidence of some questions promises of the rows holds in every filling, and golds mean what is asked.

The second part answers questions again, from the rows alone and in plain Python, as a reader of the question would.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from sql_rows import Tables, by, check_golds, days, filling

__all__ = ["filling"]


def iso(text: str) -> str:
    return "-".join(reversed(text.split(".")))  # 'DD.MM.YYYY' → 'YYYY-MM-DD'


# ---- promises ------------------------------------------------------------------------------------------------------


def test_league_goals_are_those_of_the_players_and_only_played_games_have_any(filling: Any) -> None:
    _, t = filling("league")
    clubs = {player.player_id: player.team_id for player in t["player"]}
    goals: Counter[tuple[int, int]] = Counter()
    for row in t["appearance"]:
        goals[row.game_id, clubs[row.player_id]] += row.goals
    seen = {row.game_id for row in t["appearance"]}
    for game in t["game"]:
        assert (game.home_goals is None) == (game.away_goals is None) == (game.game_id not in seen)
        assert game.home_goals in (None, goals[game.game_id, game.home_id])
        assert game.away_goals in (None, goals[game.game_id, game.away_id])


def test_league_every_pair_meets_twice_and_nobody_twice_on_a_day(filling: Any) -> None:
    _, t = filling("league")
    assert len({(game.home_id, game.away_id) for game in t["game"]}) == 12 * 11 == len(t["game"])
    dates = Counter((club, game.played_on) for game in t["game"] for club in (game.home_id, game.away_id))
    assert max(dates.values()) == 1
    shirts = Counter((player.team_id, player.shirt) for player in t["player"] if player.shirt is not None)
    assert max(shirts.values()) == 1


def test_permits_are_visited_after_the_grant_and_once_a_day(filling: Any) -> None:
    _, t = filling("permits")
    permits = by(t["permit"], "permit_no")
    assert max(Counter((visit.permit_no, visit.visited) for visit in t["inspection"]).values()) == 1
    for visit in t["inspection"]:
        permit = permits[visit.permit_no]
        assert permit.outcome == "granted" and iso(permit.decided) < iso(visit.visited)
    for permit in permits.values():
        assert (permit.decided is None) == (permit.outcome is None)
        if permit.amends is not None:
            first = permits[permit.amends]
            assert first.parcel_no == permit.parcel_no and iso(first.filed) <= iso(permit.filed)


def test_railway_trips_run_on_the_days_of_their_service_once_a_day(filling: Any) -> None:
    _, t = filling("railway")
    plans = {service.service_id: service.days for service in t["service"]}
    assert max(Counter((trip.service_id, trip.travel_date) for trip in t["trip"]).values()) == 1
    for trip in t["trip"]:
        weekend = date.fromisoformat(trip.travel_date).weekday() >= 5
        assert plans[trip.service_id] in ("daily", "weekends" if weekend else "weekdays")
        assert not trip.cancelled or (trip.delay_min is None and trip.passengers is None)


def test_university_theses_have_two_examiners_and_takers_register_once(filling: Any) -> None:
    _, t = filling("university")
    assert all(thesis.reader_id != thesis.supervisor_id for thesis in t["theses"])
    assert all(thesis.submitted_on or thesis.mark is None for thesis in t["theses"])
    levels = {course.course_code: course.level for course in t["courses"]}
    assert all(levels[need.required_code] < levels[need.course_code] for need in t["prerequisites"])


def test_music_nothing_is_played_before_joining_or_released_after_the_end(filling: Any) -> None:
    _, t = filling("music")
    joined = {listener.listener_id: listener.joined for listener in t["listeners"]}
    assert all(joined[play.listener_id] <= play.played_on <= "2024-06-30" for play in t["plays"])
    artists = by(t["artists"], "artist_id")
    for album in t["albums"]:
        artist, year = artists[album.artist_id], int(album.released[:4])
        assert artist.founded < year and (artist.disbanded is None or year <= artist.disbanded)
    assert max(Counter((album.artist_id, album.released) for album in t["albums"]).values()) == 1


# ---- golds, answered again -----------------------------------------------------------------------------------------


def table_after_round(t: Tables, r: int, k: int) -> list[Any]:
    points = {team.team_id: 0 for team in t["team"]}
    for game in t["game"]:
        if game.round <= r and game.home_goals is not None:
            home, away = game.home_goals, game.away_goals
            points[game.home_id] += 3 if home > away else 1 if home == away else 0
            points[game.away_id] += 3 if away > home else 1 if home == away else 0
    return sorted(((team.name, points[team.team_id]) for team in t["team"]), key=lambda row: (-row[1], row[0]))[:k]


def best_of_each_club(t: Tables, town: str, k: int) -> list[Any]:
    goals: Counter[int] = Counter()
    for row in t["appearance"]:
        goals[row.player_id] += row.goals
    found = []
    for team in t["team"]:
        squad = [player for player in t["player"] if player.team_id == team.team_id and player.player_id in goals]
        for player in squad if team.town == town else []:
            better = sum(goals[other.player_id] > goals[player.player_id] for other in squad)
            if better < k:
                found.append((team.name, player.name, goals[player.player_id]))
    return found


def long_breaks(t: Tables, team: str, d: int) -> list[Any]:
    club = by(t["team"], "name")[team].team_id
    dates = sorted(game.played_on for game in t["game"] if club in (game.home_id, game.away_id))
    pairs = zip(dates, dates[1:], strict=False)
    return [(first, then, days(first, then)) for first, then in pairs if days(first, then) > d]


def amendment_depth(t: Tables, kind: str) -> list[Any]:
    permits = by(t["permit"], "permit_no")
    depths: Counter[int] = Counter()
    for permit in permits.values():
        depth, first = 0, permit
        while first.amends is not None:
            depth, first = depth + 1, permits[first.amends]
        depths[depth] += first.kind == kind
    return sorted((depth, number) for depth, number in depths.items() if number)


def last_visit_failed(t: Tables, district: str) -> list[Any]:
    there = {parcel.parcel_no for parcel in t["parcel"] if parcel.district == district}
    permits = {permit.permit_no for permit in t["permit"] if permit.parcel_no in there}
    last: dict[int, Any] = {}
    for visit in sorted(t["inspection"], key=lambda row: iso(row.visited)):
        last[visit.permit_no] = visit
    return [(n, one.inspector) for n, one in last.items() if n in permits and one.result == "fail"]


def clerk_speed(t: Tables, kind: str) -> list[Any]:
    spent = defaultdict(list)
    for permit in t["permit"]:
        if permit.kind == kind and permit.decided and permit.clerk:
            spent[permit.clerk].append(days(iso(permit.filed), iso(permit.decided)))
    return [(clerk, len(all_), _tenths(sum(all_), len(all_)), max(all_)) for clerk, all_ in spent.items()]


def _tenths(total: int, number: int) -> float:
    return (20 * total + number) // (2 * number) / 10  # halves go up, as SQLite's ROUND has it


def as_well_equipped(t: Tables, town: str, station: str) -> list[Any]:
    has: dict[int, set[str]] = defaultdict(set)
    for row in t["station_facility"]:
        has[row.station_id].add(row.facility)
    wanted = has[by(t["station"], "name")[station].station_id]
    return [(row.name,) for row in t["station"] if row.town == town and wanted <= has[row.station_id]]


def sudden_delays(t: Tables, line: str, n: int) -> list[Any]:
    of_line = by(t["line"], "name")[line].line_id
    codes = {service.service_id: service.code for service in t["service"] if service.line_id == of_line}
    last: dict[int, int] = {}
    found = []
    for trip in sorted(t["trip"], key=lambda row: row.travel_date):
        if trip.service_id in codes and trip.delay_min is not None:
            more = trip.delay_min - last.get(trip.service_id, trip.delay_min)
            if more >= n:
                found.append((codes[trip.service_id], trip.travel_date, more))
            last[trip.service_id] = trip.delay_min
    return found


def by_holding(t: Tables, days: str) -> list[Any]:
    operators, lines = by(t["operator"], "operator_id"), by(t["line"], "line_id")
    services: dict[str, list[int]] = defaultdict(list)
    for service in t["service"]:
        operator = operators[lines[service.line_id].operator_id]
        group = operators[operator.parent_id] if operator.parent_id is not None else operator
        if service.days == days:
            services[group.name].append(service.line_id)
    return [(group, len(set(all_)), len(all_)) for group, all_ in services.items()]


def all_that_is_required(t: Tables, code: str) -> list[Any]:
    needed, found = [code], set()
    while needed:
        here = needed.pop()
        new = {need.required_code for need in t["prerequisites"] if need.course_code == here} - found
        found |= new
        needed += sorted(new)
    return [(one, by(t["courses"], "course_code")[one].title) for one in sorted(found)]


def without_the_basics(t: Tables, dept: str, term: str, n: int) -> list[Any]:
    offerings = by(t["offerings"], "offering_id")
    code = by(t["departments"], "name")[dept].dept_code
    done = {(e.student_id, offerings[e.offering_id].course_code) for e in t["enrolments"] if (e.mark or 0) >= n}
    return [
        (e.student_id, need.course_code, need.required_code)
        for e in t["enrolments"]
        for need in t["prerequisites"]
        if need.course_code == offerings[e.offering_id].course_code
        and need.course_code[:3] == code
        and offerings[e.offering_id].term == term
        and (e.student_id, need.required_code) not in done
    ]


def best_of_programme(t: Tables, degree: str, k: int, n: int) -> list[Any]:
    programme = {student.student_id: student.programme_id for student in t["students"]}
    good = Counter(e.student_id for e in t["enrolments"] if e.mark is not None and e.mark >= n)
    found = []
    for course in t["programmes"]:
        marks = {one: count for one, count in good.items() if programme[one] == course.programme_id}
        for one, count in marks.items() if course.degree == degree else []:
            if sum(other > count for other in marks.values()) < k:
                found.append((course.title, one, count))
    return found


def hits_of_genre(t: Tables, root: str, k: int) -> list[Any]:
    plays = Counter(play.track_id for play in t["plays"])
    titles = by(t["tracks"], "track_id")
    above = by(t["genres"], "name")[root].genre_id
    found = []
    for genre in (row for row in t["genres"] if row.parent_id == above):
        tagged = [tag.track_id for tag in t["track_genres"] if tag.genre_id == genre.genre_id and tag.track_id in plays]
        best = sorted(tagged, key=lambda track: (-plays[track], track))[:k]
        found += [(genre.name, titles[track].title, track, plays[track]) for track in best]
    return found


def below_a_genre(t: Tables, root: str) -> list[Any]:
    genres = by(t["genres"], "genre_id")
    found: Counter[str] = Counter()
    for tag in t["track_genres"]:
        genre = genres[tag.genre_id]
        line = [genre.name]
        while genre.parent_id is not None:
            genre = genres[genre.parent_id]
            line.append(genre.name)
        found[line[0]] += root in line
    return [(name, number) for name, number in found.items() if number]


def fans_of_one(t: Tables, one: str, other: str) -> list[Any]:
    albums, tracks = by(t["albums"], "album_id"), by(t["tracks"], "track_id")
    names = {artist.artist_id: artist.name for artist in t["artists"]}
    heard: dict[int, set[str]] = defaultdict(set)
    for play in t["plays"]:
        heard[play.listener_id].add(names[albums[tracks[play.track_id].album_id].artist_id])
    return [(row.nickname,) for row in t["listeners"] if heard[row.listener_id] & {one, other} == {one}]


@pytest.mark.parametrize(
    ("database", "again"),
    [
        ("league", table_after_round), ("league", best_of_each_club), ("league", long_breaks),
        ("permits", amendment_depth), ("permits", last_visit_failed), ("permits", clerk_speed),
        ("railway", as_well_equipped), ("railway", sudden_delays), ("railway", by_holding),
        ("university", all_that_is_required), ("university", without_the_basics), ("university", best_of_programme),
        ("music", hits_of_genre), ("music", below_a_genre), ("music", fans_of_one),
    ],
)  # fmt: skip
def test_golds_mean_what_is_asked(filling: Any, database: str, again: Callable[..., list[Any]]) -> None:
    check_golds(filling, database, again)
