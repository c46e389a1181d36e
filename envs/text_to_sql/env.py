"""TextToSQLEnv: questions over databases, answered by queries that are run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, ClassVar, Final

from agentgym.action import Action, ToolCall, strip_think
from agentgym.codec import Tags
from agentgym.data import check_given
from agentgym.env import AgentEnv
from agentgym.envs.text_to_sql import expert, menu, rewards, tasks, text
from agentgym.envs.text_to_sql.engine import DatabaseError, EngineFailure
from agentgym.envs.text_to_sql.marks import Marks, show
from agentgym.envs.text_to_sql.shipped.panels import PANELS
from agentgym.envs.text_to_sql.sources import USAGE, load_source
from agentgym.envs.text_to_sql.state import DEFAULT, SqlState
from agentgym.envs.text_to_sql.trial import Trial, form_of, gold_of, is_unchanged, judged, looked_at, structure, tried
from agentgym.errors import unknown
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task, TaskPanel
from agentgym.tool import tool
from agentgym.turn import EndReason, InvalidAction, Opening, Outcome, Turn, safe_name

_LANGUAGE: Final = re.compile(r"\A(?:sqlite3?|sql|duckdb|postgres(?:ql)?)", re.IGNORECASE)
MARKS: Final = Marks(("schema", "sql", "submit"))
OPENINGS = 1024  # first states kept by each panel


class TextToSQLEnv(AgentEnv[SqlState]):
    """Questions over databases, answered by queries that are run.

    Description:
        A question is asked about a database. The agent looks at tables, tries queries on the real engine, behind a
        connection that can only read, and submits one query, whose result is compared with that of the right one.
    Actions:
        schema(table): the columns of a table with example values; without a table all tables. sql(query): run a query
        that reads. submit(query): answer with a query; the episode ends. In tags <schema>, <sql> and <submit>, or
        <solution>, which stands for it, in any case; tags in SQL's quotes are none. A code fence around a query goes.
    Observations:
        First the question, its evidence and the tables: with their columns where the database has at most 5, else with
        their numbers of rows. Then what a call came to: a table's columns, an aligned result cut to 20 rows and 60
        characters a value, or what was wrong with a query and what to do instead. Cuts are visible.
    State and hash:
        The question with its database's content and the rules; the tables looked at; for each query that ran its
        canonical form, the digest of its rows and their score. Spelling, order and number of times do not count, and a
        query that fails changes nothing. Anchor: the same without golds and scores.
    Turn rewards:
        progress: the rise of the best score so far (`rewards`); an episode's sum is that of its best query, at most 1.
    Outcome:
        1 for an answer that is right under the scorer, else 0.
    Episode end:
        solved or failed with the submission, whatever is wrong with it; turn_limit; infra_error where the engine failed
        or a query ran into the last fence, a clock's, which no query within the budget should.
    Info:
        step_score: how far the result of this turn's query agrees with the right one (csmr, over accepted golds the
        best); 0 for an error or an invalid action; in a turn without a query the best so far. tag: schema, duplicate, a
        class of `rewards.outcome_class`, invalid, or for a submission that ran right or wrong. tool_result: did a
        result come back. metrics: csmr, rows, and tables, how many a query that ran has read. By signal: menu, expert,
        potential (the best score so far), describe; critique (+1, 0, −1: is the turn's score above the best so far, as
        high, below); structure (in metrics structure_select, …: which clauses of the query are those of the gold).
        With privileged=True: the golds and their results.

    Arguments:
        panel: a shipped panel (`shipped.panels`: all, easy, medium, hard, unseen); default "all".
        data: public data instead, by the name under which `agentgym data add` keeps it; data_dir: or its folder.
        scorer: "strict", "spider", "bird" or "defog"; default: the one that a public set is published with, else
            "strict".
        engine: "sqlite", "duckdb" or "postgres".
        budget: most work of a query in steps of the database's virtual machine; default 2,000,000, for public data
            what its golds need (`sources.USAGE`).
        max_rows: most rows of a result.
        clock: the frozen time of queries.
        and those of AgentEnv; `tasks` replaces the panel: Task(id, {"database": path, "question": …, "gold": …}), see
            `tasks`.
    Determinism:
        A task fixes its first state and nothing is drawn; the episode's seed only orders the menu.
    Known exploits tried:
        No action, an empty query, a lone comment: never a right answer, also where the gold has no rows. Writing to the
        database, so that the gold finds nothing: refused by the engine, and the golds ran before. Running one query
        again and again: progress rises once. Random choice from the menu: see README.md.
    Source:
        Actions as in SkyRL-SQL. Data and scorers: Yu et al. 2018, Spider (arXiv 1809.08887), with Zhong et al. 2020
        (arXiv 2010.02840); Li et al. 2023, BIRD (arXiv 2305.03111); Defog's sql-eval. Step score: SQL-ASTRA (arXiv
        2603.16161).
    Versions:
        1: first.
    """

    version: ClassVar[str] = "1"
    max_turns = 10
    rewards: ClassVar[RewardSpec] = RewardSpec({"progress": 1.0})
    extra_signals: ClassVar[Sequence[str]] = ("critique", "structure")

    def __init__(
        self,
        *,
        panel: str | None = None,
        data: str = "",
        data_dir: str | os.PathLike[str] = "",
        scorer: str | None = None,
        engine: str = DEFAULT.engine,
        budget: int | None = None,
        max_rows: int = DEFAULT.max_rows,
        clock: str = DEFAULT.clock,
        **shell: Any,
    ) -> None:
        check_given(data, data_dir)
        if panel not in (None, *PANELS):  # before a cache, which would need a hash
            raise ValueError(unknown("panel", panel, PANELS, "of text_to_sql"))
        given = [
            name
            for name, value in {"tasks": shell.get("tasks"), "panel": panel, "data": data, "data_dir": data_dir}.items()
            if value is not None and value != ""
        ]
        if len(given) > 1:
            raise ValueError(f"{given[0]}= and {given[1]}= each say which tasks there are: leave all but one out")
        self._source = load_source(data, data_dir) if data or data_dir else None
        usage = None if self._source is None else USAGE[self._source.kind]
        self._rules = tasks.checked_rules(
            scorer if scorer is not None else usage.scorer if usage else DEFAULT.scorer,
            engine,
            clock,
            budget if budget is not None else usage.budget if usage else DEFAULT.budget,
            max_rows,
        )
        own = shell.get("tasks") if self._source is None else self._source.panel
        played = tasks.panel(panel or "all", self._rules) if own is None else tasks.ruled(own, self._rules)
        if self._source is not None and "train" not in self._source.panel:
            shell.setdefault("split", next(iter(self._source.panel)))
        super().__init__(**{**shell, "tasks": played})
        self._played = played
        self._base = ""

    def initial(self, task: Task, rng: TurnRng) -> Opening[SqlState]:
        """Return the task's first state; nothing is drawn."""
        kept = self._played.openings
        found = kept.get((task.id, self.max_turns))
        if found is None or not is_unchanged(found.state.question):
            question = tasks.question_of(task, self._rules, self._source)
            gold_of(question)  # a gold that does not run is an error of the task, before anybody plays
            state = SqlState(question)
            found = Opening(state, text.opening(question), text.system(question, self.max_turns))
            if len(kept) >= OPENINGS:
                kept.clear()
            kept[task.id, self.max_turns] = found
        return found

    def transition(self, state: SqlState, action: Action, rng: TurnRng) -> Turn[SqlState]:
        """Return what a call does; a failure of the engine, which is no fault of the agent, ends the episode."""
        try:
            return super().transition(state, action, rng)
        except (EngineFailure, DatabaseError) as error:
            end = Outcome(False, 0.0, EndReason.INFRA_ERROR, str(error))
            return Turn(state, "The database failed.", outcome=end, tag="infra", step_score=state.best)

    def parse(self, action: str | ToolCall) -> Action:
        """Return the action in an agent's text; where calls are tags, <solution> is <submit>, and none is in quotes."""
        stand_in = ""
        if isinstance(action, str) and len(action) <= self.max_action and isinstance(self._codec, Tags):
            action, stand_in = MARKS.hide(strip_think(action) if "think>" in action else action)
        return show(super().parse(action), stand_in)

    def apply(
        self, state: SqlState, action: str | ToolCall, rng: TurnRng
    ) -> tuple[Turn[SqlState], bool, Action | None]:
        """Return (turn, valid, parsed action or None); turns that could not be done score 0."""
        turn, valid, parsed = super().apply(state, action, rng)
        if not valid:
            turn.tag, turn.step_score = "invalid", 0.0
        if "critique" in self.signals and turn.step_score is not None:
            turn.critique = rewards.critique(state.best, turn.step_score)
        return turn, valid, parsed

    # ---- the tools ---------------------------------------------------------------------------------------------------

    @tool
    def schema(self, state: SqlState, rng: TurnRng, *, table: str | None = None) -> Turn[SqlState]:  # noqa: D417
        """Show the columns of a table with types, keys and example values; without a table, list all tables.

        Args:
            table: name of the table.
        """
        question, name = state.question, (table or "").strip().strip("\"'`[]")
        if not name:
            return Turn(state, text.tables(question), tag="schema", step_score=state.best, tool_result=True)
        found = question.table(name)
        if found is None:
            if safe_name(name)[0] != "'":
                raise InvalidAction("there is no table of this name; the schema tool lists the tables")
            raise InvalidAction(unknown("table", name, [known.name for known in question.tables]))
        after = state.look(found.name)
        tag = "duplicate" if after is state else "schema"
        return Turn(after, looked_at(question, found), tag=tag, step_score=state.best, tool_result=True)

    @tool
    def sql(self, state: SqlState, rng: TurnRng, *, query: str) -> Turn[SqlState]:  # noqa: D417
        """Run a query that reads, and show its result.

        Args:
            query: one SQL query.
        """
        query = bare(query)
        trial = tried(state.question, query)
        after = state if trial.fact is None else state.learn(trial.fact)
        turn = Turn(after, trial.observation)
        self._scored(turn, state, query, trial)
        if after is state and trial.fact is not None:
            turn.tag = "duplicate"
        return turn

    @tool
    def submit(self, state: SqlState, rng: TurnRng, *, query: str) -> Turn[SqlState]:  # noqa: D417
        """Answer with a query; the episode ends.

        Args:
            query: one SQL query.
        """
        query = bare(query)
        trial, right = tried(state.question, query), judged(state.question, query)
        after = state if trial.fact is None else state.learn(trial.fact)
        said = "The answer is right." if right else "The answer is wrong."
        if trial.fact is None and not right:
            said = f"{said} {trial.observation}"
        turn = Turn(after.answered(form_of(state.question, query)), said)
        self._scored(turn, state, query, trial)
        if trial.fact is not None or right:
            turn.tag = "right" if right else "wrong"
        turn.outcome = Outcome(right, float(right), EndReason.SOLVED if right else EndReason.FAILED, turn.tag)
        return turn

    def _scored(self, turn: Turn[SqlState], state: SqlState, query: str, trial: Trial) -> None:
        """Write what a query was worth into the record of its turn."""
        turn.tag, turn.step_score, turn.metrics = trial.tag, trial.score, trial.metrics
        turn.tool_result = trial.fact is not None
        turn.rewards = {"progress": max(trial.score - state.best, 0.0)}  # a query that does not run scores 0
        if "structure" in self.signals:
            turn.metrics = {**trial.metrics, **structure(state.question, query)}

    # ---- hooks -------------------------------------------------------------------------------------------------------

    def canonical(self, state: SqlState) -> bytes:
        """Return all that decides the futures of a state, in bytes."""
        return state.canonical()

    def anchor(self, state: SqlState) -> bytes:
        """Return what the agent can tell apart: the state without golds and scores."""
        return state.anchor()

    def potential(self, state: SqlState) -> float:
        """Return the best score so far."""
        return state.best

    def expert(self, state: SqlState) -> str:
        """Return the expert's action."""
        return _call(*expert.advice(state))

    def menu(self, state: SqlState) -> Sequence[str]:
        """Return tables to look at, queries to try and queries to submit; see `menu`."""
        return [_call(name, argument) for name, argument in menu.entries(state)]

    def describe(self, state: SqlState) -> str:
        """Return question, schema as far as it is known, and results in short."""
        question = state.question
        looked = [looked_at(question, table) for table in question.tables if table.name in state.looked]
        return text.describe(state, looked)

    def secrets(self, state: SqlState) -> dict[str, Any]:
        """Return the golds and their results as the agent would read them."""
        gold = gold_of(state.question)
        return {"gold": list(gold.queries), "result": [text.result(result) for result in gold.results]}

    def panels(self) -> list[tuple[TaskPanel, float | None]]:
        """Return the shipped panels, each with the success of random choice on its test split."""
        measured = tasks.random_success()
        return [(tasks.panel(name, DEFAULT), measured.get(name)) for name in PANELS]

    def quality(self) -> Sequence[Quality]:
        """Return what was measured of the shipped panel, be this world's tasks others; it takes minutes."""
        measure: Callable[[], list[Quality]] = import_module("agentgym.envs.text_to_sql.shipped.quality").measure
        return measure()

    @property
    def instructions(self) -> str:
        """Return how calls are written, and that nothing is said to anybody here; "" under a codec of one's own."""
        told = super().instructions
        return told and f"{told}\n\nEvery turn needs a call here: text alone is an invalid action."

    @property
    def base_hash(self) -> str:
        """Return the hash of what the databases of all tasks hold."""
        if not self._base:
            self._base = tasks.contents_hash(self.panel, self._rules, self._source)
        return self._base

    def pack(self, state: SqlState) -> Any:
        """Return plain values that hold the state, but for what its task says."""
        return state.pack()

    def unpack(self, value: Any) -> SqlState:
        """Return the state of such values."""
        task, *rest = value
        return SqlState.unpack(self.initial(self.panel.task(task), TurnRng(0)).state.question, rest)


def bare(query: str) -> str:
    """Return a query without the code fence around it."""
    query = query.strip()
    if query.startswith("```") and query.endswith("```") and len(query) >= 6:
        query = _LANGUAGE.sub("", query[3:-3], count=1).strip()
    return query


def _call(name: str, argument: str) -> str:
    return f"<{name}>{argument}</{name}>"
