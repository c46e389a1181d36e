"""Rows of text_to_sql: a step beside SkyRL-gym's way, what the guards of SQLite cost, reset, fork, hash, growth."""

import atexit
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import lru_cache, partial
from itertools import count
from pathlib import Path

from agentgym import Task
from agentgym.digest import state_hash
from agentgym.envs.text_to_sql import canonical, tasks, trial
from agentgym.envs.text_to_sql.engine import open_engine
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.guard import CLOCKS
from agentgym.envs.text_to_sql.lexical import tokens
from agentgym.envs.text_to_sql.result import ROWS, Result
from agentgym.envs.text_to_sql.sqlite_reader import STATEMENTS, connected
from agentgym.envs.text_to_sql.state import DEFAULT
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost, line
from tests.perf.skyrl import SkyRL

EPISODE = 8
"""Queries of an episode, each another one."""
BOUND = 1_000_000_000
"""More than any number in the tables. A query that says so in another way was never seen."""
SCHEMA = """
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
CREATE TABLE supplier (supplier_id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, since TEXT);
CREATE TABLE item (
    item_id INTEGER PRIMARY KEY, title TEXT NOT NULL, price REAL, supplier_id INTEGER REFERENCES supplier(supplier_id)
);
CREATE TABLE store (store_id INTEGER PRIMARY KEY, street TEXT, city TEXT, opened TEXT);
CREATE TABLE stock (
    store_id INTEGER REFERENCES store(store_id), item_id INTEGER REFERENCES item(item_id), amount INTEGER NOT NULL,
    PRIMARY KEY (store_id, item_id)
);
CREATE TABLE purchase (
    purchase_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(customer_id),
    item_id INTEGER REFERENCES item(item_id), amount INTEGER, paid REAL, day TEXT
);
CREATE TABLE review (
    review_id INTEGER PRIMARY KEY, purchase_id INTEGER UNIQUE REFERENCES purchase(purchase_id), stars INTEGER, said TEXT
);
"""
"""Seven tables, the median of the shipped databases. The queries read three of them; the others stay empty."""
ONE = "SELECT name, city FROM customer WHERE customer_id = {n} AND customer_id < {bound}"
MANY = (
    "SELECT purchase_id, item_id, paid, day FROM purchase"
    " WHERE purchase_id > {n} AND purchase_id <= {n} + {rows} AND purchase_id < {bound}"
)
JOIN = (
    "SELECT c.city, COUNT(*), SUM(p.paid) FROM purchase AS p JOIN customer AS c ON c.customer_id = p.customer_id"
    " JOIN item AS i ON i.item_id = p.item_id WHERE i.price > {n} AND p.purchase_id < {bound}"
    " GROUP BY c.city ORDER BY COUNT(*) DESC, c.city"
)
WAYS = (("again", "run again"), ("new", "new values"), ("shape", "never seen"))
"""How else a query may come than seen before, and how a row says so."""
_unseen = count(BOUND + 1)


@lru_cache(maxsize=4)
def database(rows: int) -> str:
    """Return the path of a database whose largest table has so many rows; made once a process."""
    place = Path(tempfile.mkdtemp(prefix="agentgym-perf-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    with closing(sqlite3.connect(place / "shop.sqlite")) as connection:
        connection.executescript(SCHEMA)
        customers = [(n, f"customer {n}", f"city {n % 7}" if n % 11 else None) for n in range(1, 101)]
        items = [(n, f"item {n}", 1.25 * n, None) for n in range(1, 41)]
        purchases = [
            (n, n * 7 % 100 + 1, n * 11 % 40 + 1, n % 5, (n * 37 % 8000) / 4, f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d}")
            for n in range(1, rows + 1)
        ]
        for table, found in {"customer": customers, "item": items, "purchase": purchases}.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(found[0]))})", found)
        connection.commit()
    return str(place / "shop.sqlite")


def world(rows: int) -> TextToSQLEnv:
    """Return a world just reset, with one question about the database of so many rows."""
    gold = "SELECT customer_id, SUM(amount) FROM purchase WHERE purchase_id <= 40 GROUP BY customer_id"
    task = Task("perf", {"database": database(rows), "question": "Who bought how much?", "gold": gold})
    made = TextToSQLEnv(tasks=[task])
    made.reset(seed=0)
    return made


def queries(text: str, rows: int, *, seen: bool) -> list[str]:
    """Return the queries of an episode, the same as ever or such as were never seen."""
    return [text.format(n=n, rows=rows, bound=BOUND if seen else next(_unseen)) for n in range(1, EPISODE + 1)]


def shapes(text: str, rows: int) -> list[str]:
    """Return the queries of an episode, each of a shape that was never seen: a result column has another name."""
    found = queries(text, rows, seen=False)
    return [query.replace(",", f" AS a{next(_unseen)},", 1) for query in found]


def stepping(text: str, rows: int, size: int) -> dict[str, Work]:
    """Return the same turns taken by ours, in four ways, and by SkyRL-gym's way.

    seen: each query was asked for this question before. again: it was asked before, for another question, so that it is
    run and scored. new: nobody ever asked it, but one that differs in values alone. shape: nor such a one.
    """
    start = world(size)
    path = database(size)
    known = [f"<sql>{query}</sql>" for query in queries(text, rows, seen=True)]

    def ours(pair: tuple[TextToSQLEnv, Sequence[str]]) -> None:
        env, actions = pair
        for action in actions:
            env.step(action)

    def forget() -> tuple[TextToSQLEnv, Sequence[str]]:
        trial.tried.cache_clear()
        trial._run.cache_clear()
        return start.copy(), known

    def unseen() -> tuple[TextToSQLEnv, Sequence[str]]:
        return start.copy(), [f"<sql>{query}</sql>" for query in queries(text, rows, seen=False)]

    def unshaped() -> tuple[TextToSQLEnv, Sequence[str]]:
        return start.copy(), [f"<sql>{query}</sql>" for query in shapes(text, rows)]

    def theirs(env: SkyRL) -> None:
        for action in known:
            env.step(action)

    return {
        "again": Work(ours, EPISODE, forget),
        "seen": Work(ours, EPISODE, lambda: (start.copy(), known)),
        "new": Work(ours, EPISODE, unseen),
        "shape": Work(ours, EPISODE, unshaped),
        "skyrl": Work(theirs, EPISODE, lambda: SkyRL(*os.path.split(path), EPISODE + 1)),
    }


def steps(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield a step with text, score, hash and info where a query gives one row, and where it gives many."""
    rival = "SkyRL-gym's way (stand-in)"
    for text, rows, times_faster, target in ((ONE, 1, 12, 50e-6), (MANY, setting.rows, 35, 100e-6)):
        works = stepping(text, rows, 4 * setting.rows)
        times = clock.alternate(setting, {**works, "calibration": calibration()})
        name = f"text_to_sql: step, {rows} row{'s' * (rows != 1)}"
        yield line(f"{name}, seen before", "step", times["seen"], rival, times["skyrl"], "≥", times_faster)
        yield cost(f"{name}, seen before", "step", times["seen"], times["calibration"], target)
        for way, told in WAYS:
            yield line(f"{name}, {told}", "step", times[way], rival, times["skyrl"], "≥")
            yield cost(f"{name}, {told}", "step", times[way], times["calibration"])
    works = stepping(JOIN, 0, 4 * setting.rows)
    times = clock.alternate(setting, works)
    for way, told in (("seen", "seen before"), *WAYS):
        yield line(f"text_to_sql: step, three tables joined, {told}", "step", times[way], rival, times["skyrl"], "≥")


def mixture(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield a step of shipped questions spread over the panel: of each the gold and its misses, all asked once.

    So they are queries as an agent writes them: none was seen, some have the shape of one before. `twice`: each is
    asked by two agents, the second of whom finds it known, as in a group. From 480 `setting.rows` on: 60 questions.
    """
    questions = max(2, min(60, setting.rows // 8))
    train = tasks.panel("all", DEFAULT)["train"]
    start = TextToSQLEnv(panel="all", max_turns=1_000)
    worlds, rivals, number = [], [], 0
    for task in train[:: max(1, len(train) // questions)][:questions]:
        question = tasks.question_of(task, DEFAULT)
        env = start.copy()
        env.reset(seed=0, options={"task": task.id})
        asked = [f"<sql>{query}</sql>" for query in (question.golds[0], *question.misses)]
        worlds.append((env, asked))
        rivals.append((question.path, asked))
        number += len(asked)

    def forgotten() -> list[tuple[TextToSQLEnv, Sequence[str]]]:
        for known in (trial.tried, trial._run, canonical._of_text, canonical._PATTERNS):
            known.clear() if isinstance(known, dict) else known.cache_clear()
        for path in {path for path, _ in rivals}:
            engine = open_engine(path)
            engine.close()
            engine.run("SELECT 1")  # opens it
        return [(env.copy(), asked) for env, asked in worlds]

    def ours(found: list[tuple[TextToSQLEnv, Sequence[str]]], times: int = 1) -> None:
        for env, asked in found:
            for _ in range(times):
                for action in asked:
                    env.step(action)

    def theirs(found: list[tuple[SkyRL, Sequence[str]]]) -> None:
        for env, asked in found:
            for action in asked:
                env.step(action)

    works = {
        "once": Work(ours, number, forgotten),
        "twice": Work(lambda found: ours(found, 2), 2 * number, forgotten),
        "skyrl": Work(
            theirs, number, lambda: [(SkyRL(*os.path.split(path), len(asked) + 1), asked) for path, asked in rivals]
        ),
    }
    times = clock.alternate(setting, works)
    for way, told in (("once", "asked once"), ("twice", "asked by two agents")):
        row = f"text_to_sql: step, {number} shipped queries, {told}"
        yield line(row, "step", times[way], "SkyRL-gym's way (stand-in)", times["skyrl"], "≥")


def guarding(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield what a query costs behind the guards, beside the same on an equal connection without any.

    They differ by little, so they take turns five times as often.
    """
    path = database(4 * setting.rows)
    engine = open_engine(path)
    often = replace(setting, rounds=5 * setting.rounds, sample=setting.sample / 5)
    with closing(connected(path, STATEMENTS)) as connection:
        bare = partial(_bare, connection)
        for name, text, rows, bound in (
            ("one row by its key", ONE, 1, None),
            (f"{setting.rows} rows", MANY, setting.rows, 1.05),
            ("three tables joined", JOIN, 0, 1.05),
        ):
            asked = queries(text, rows, seen=True)
            works = {way: Work(_asking(run, asked), EPISODE) for way, run in (("ours", engine.run), ("bare", bare))}
            times = clock.alternate(often, works)
            yield line(f"sql guards: {name}", "query", times["ours"], "no guards", times["bare"], "≤", bound)
    yield from _golds_guarded(clock, setting)


def _golds_guarded(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield what the golds of the shipped training questions cost, one after the other: what a user pays.

    Functions of the clock are called through Python, so that their clock stands still: golds with them are told apart.
    `setting.rows` below 60 ask fewer.
    """
    with ExitStack() as stack:
        bares: dict[str, Callable[[str], Result]] = {}
        still, clocked = [], []
        for task in tasks.panel("all", DEFAULT)["train"][:: max(1, 60 // setting.rows)]:
            question = tasks.question_of(task, DEFAULT)
            if question.path not in bares:
                connection = stack.enter_context(closing(connected(question.path, STATEMENTS)))
                bares[question.path] = partial(_bare, connection)
            gold = question.golds[0]
            asked = clocked if CLOCKS.intersection(tokens(gold)) else still
            asked.append((partial(open_engine(question.path).run, gold), partial(bares[question.path], gold)))
        mixes = (("without", still, 1.05), ("with", clocked, None), ("with and without", still + clocked, None))
        works = {
            f"{told}/{way}": Work(_running([pair[place] for pair in asked]), len(asked))
            for told, asked, _ in mixes
            for place, way in enumerate(("ours", "bare"))
        }
        times = clock.alternate(setting, works)
        for told, asked, bound in mixes:
            name = f"sql guards: {len(asked)} shipped golds, {told} a clock"
            yield line(name, "query", times[f"{told}/ours"], "no guards", times[f"{told}/bare"], "≤", bound)


def _running(asked: Sequence[Callable[[], Result]]) -> Callable[[None], None]:
    def work(_: None) -> None:
        for run in asked:
            run()

    return work


def _bare(connection: sqlite3.Connection, query: str) -> Result:
    cursor = connection.execute(query)
    return Result(ROWS, tuple([column[0] for column in cursor.description]), tuple(cursor.fetchall()))


def _asking(run: Callable[[str], Result], asked: Sequence[str]) -> Callable[[None], None]:
    def work(_: None) -> None:
        for query in asked:
            run(query)

    return work


def moments(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield reset, fork, restore and the state's hash at the end of an episode, also where the database is larger."""
    works = {"calibration": calibration()}
    for size, factor in (("small", 4), ("large", 40)):
        works |= {f"{name}/{size}": work for name, work in _at_the_end(world(factor * setting.rows)).items()}
    times = clock.alternate(setting, works)
    for name, target in (("reset", 20e-6), ("fork", 20e-6), ("restore", 20e-6), ("state hash", 10e-6)):
        ours, grown = times[f"{name}/small"], times[f"{name}/large"]
        row = f"text_to_sql: {name}{'' if name == 'reset' else f' after {EPISODE} queries'}"
        yield cost(row, name, ours, times["calibration"], target)
        yield line(f"{row}, ten times the rows", name, grown, "a tenth", ours, "≤", 1.5)


def _at_the_end(env: TextToSQLEnv, times: int = 100) -> dict[str, Work]:
    """Return what is done with a world at the end of an episode; a reset names its task, as `collect` does."""
    for query in queries(ONE, 1, seen=True):
        env.step(f"<sql>{query}</sql>")
    moment, task = env.snapshot(), {"task": "perf"}
    return {
        "reset": Work(lambda twin: [twin.reset(seed=seed, options=task) for seed in range(times)], times, env.copy),
        "fork": Work(lambda _: env.fork(times), times),
        "restore": Work(lambda twin: [twin.restore(moment) for _ in range(times)], times, env.copy),
        "state hash": Work(lambda _: [state_hash(env.canonical(env.state)) for _ in range(times)], times),
    }


def growth(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield a step whose result has ten times the rows; the query runs and is scored in both."""
    size = 40 * setting.rows
    works = {str(rows): stepping(MANY, rows, size)["again"] for rows in (setting.rows, 10 * setting.rows)}
    small, large = clock.alternate(setting, works).values()
    name = f"text_to_sql: step, {10 * setting.rows:,} rows, run again"
    yield line(name, "step", large, f"{setting.rows} rows", small, "≤", 14)
