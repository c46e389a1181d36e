"""WikiSearchEnv: questions whose answers are found by searching an encyclopedia, page after page."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Final

from agentgym.action import Action, Say, ToolCall
from agentgym.codec import CODECS, Dialect
from agentgym.data import check_given
from agentgym.env import AgentEnv
from agentgym.envs.wiki_search import expert, menu, rewards, tasks, text
from agentgym.envs.wiki_search.corpus import Corpus
from agentgym.envs.wiki_search.finding import Found, looked_up, opened, searched
from agentgym.envs.wiki_search.library import Library, RetrieverError, make_known
from agentgym.envs.wiki_search.plan import is_unclosed, plan_of
from agentgym.envs.wiki_search.ranking import Searcher
from agentgym.envs.wiki_search.recording import planned, record, tagged, with_default, written
from agentgym.envs.wiki_search.shipped.panels import PANELS
from agentgym.envs.wiki_search.slate_judge import judged
from agentgym.envs.wiki_search.sources import load_source
from agentgym.envs.wiki_search.state import DEFAULT, SearchState
from agentgym.errors import DataError, InfraError, unknown
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.snapshot import Snapshot
from agentgym.task import Quality, Task, TaskPanel
from agentgym.tool import tool
from agentgym.turn import EndReason, InvalidAction, Opening, Outcome, Turn, TurnInfo
from agentgym.user import Judge, as_judge

OPENINGS: Final = 1024  # first states kept by each panel


class WikiSearchEnv(AgentEnv[SearchState]):
    """Questions whose answers are found by searching an encyclopedia, page after page.

    Description:
        A question is asked that takes several pages to answer. The agent searches, reads, looks up, and answers once.
        Retrieval is real: BM25, dense vectors or both, over passages on disk.
    Actions:
        search(query, k): the best passages for a query. open(title): a whole page. lookup(text): the sentences of the
        open page that hold a text. answer(text): the episode ends. A message may hold a plan, a step a line in <plan>,
        with a call or without one. Of a query, title or text 1,000 characters are read.
    Observations:
        First the question. Then what was found, a line a passage: title and text, each cut visibly. What passages say
        is escaped, so that it can close or open no tag of any dialect.
    State and hash:
        The question with its library's content and the rules; the passages shown, in no order; the page that is open;
        the answer. Where the scoring or a signal reads them (mt_grpo, slate; novelty), also the turns so far. Anchor:
        the same without answers and gold.
    Turn rewards:
        progress: the rise of the evidence recall, the share of the gold pages that were shown; with scoring mt_grpo
        instead tool_execution and answer_in_result, with slate think, query, answer and early (`presets`).
    Outcome:
        By `scoring`: em 1 for an exact match after SQuAD's normalisation, else 0; f1, f1_hotpot, f1_squad2, sub_em;
        mt_grpo the sum of its four terms; slate as em. Tasks without answers: the evidence recall.
    Episode end:
        solved or failed with the answer; turn_limit; infra_error where the retriever failed.
    Info:
        step_score: the evidence recall so far. tag: search, open, lookup, plan; duplicate (nothing new was shown),
        empty, missing; right, wrong; invalid, infra. metrics: shown, how many passages; new_gold, how many gold pages
        for the first time; recall. plan, and kind "plan", in a turn with one. By signal: menu, expert, potential (the
        evidence recall), describe; critique (+1 new evidence or right, −1 nothing new or failed, 0); novelty (in
        metrics, of a query's words); hops (in metrics hops_resolved; subgoal: the first step of the decomposition that
        is not resolved, switch: whether it is another one than in the turn before). With privileged=True: answers, gold
        pages and decomposition.

    Arguments:
        panel: a shipped panel (`shipped.panels`: all, single, bridge, comparison, composition, hard); default "all".
        data: public data instead, by the name under which `agentgym data add` keeps it; data_dir: or its folder.
        corpus: what is searched: a folder that `agentgym data index` wrote; default: the shipped articles, for public
            data the passages that the set brings, indexed in the cache folder when first needed.
        retriever: "bm25", "dense" or "hybrid", a searcher of the corpus' passages, or the URL of a server of
            Search-R1's /retrieve, such as `agentgym data serve` is, which has its own passages.
        encoder: of queries, for dense and hybrid: a folder of a model of sentence-transformers, or a `dense.Embedder`.
        scoring: see Outcome. Under mt_grpo calls are written as MT-GRPO does, unless codec= says otherwise.
        k: how many passages a search shows that does not say.
        judge: with scoring slate: who rates thoughts, calls and answers, instead of rules: a `Judge`, or a language
            model's description (`agentgym.user.as_judge`).
        and those of AgentEnv; `tasks` replaces the panel: Task(id, {"question": …, "answers": […], "gold": [{"title":
            …}]}), see `tasks`.
    Determinism:
        A task fixes its first state and nothing is drawn.
    Known exploits tried:
        See README.md: no action, an empty answer, answering with all that was read, searching again and again, forged
        results, passages that close tags.
    Source:
        Actions as in Search-R1 (arXiv 2503.09516) and ReAct (arXiv 2210.03629). Data: HotpotQA (arXiv 1809.09600),
        MuSiQue (arXiv 2108.00573), 2WikiMultihopQA (arXiv 2011.01060), and what `sources` lists. Rewards: MT-GRPO
        (arXiv 2505.11821), SLATE (arXiv 2602.23440). Plans: APEX-Searcher (arXiv 2603.13853).
    Versions:
        1: first.
    """

    version: ClassVar[str] = "1"
    max_turns = 12
    rewards: ClassVar[RewardSpec] = RewardSpec(
        dict.fromkeys(("progress", "tool_execution", "answer_in_result", "think", "query", "answer", "early"), 1.0)
    )
    default_codec: ClassVar[str] = "search_r1"
    extra_signals: ClassVar[Sequence[str]] = ("critique", "novelty", "hops")
    max_observation: ClassVar[int] = 32_768

    def __init__(
        self,
        *,
        panel: str | None = None,
        data: str = "",
        data_dir: str | os.PathLike[str] = "",
        corpus: str | os.PathLike[str] | Corpus | None = None,
        retriever: str | Searcher = "bm25",
        encoder: Any = None,
        scoring: str = DEFAULT.scoring,
        k: int = DEFAULT.k,
        judge: Judge | Mapping[str, Any] | None = None,
        **shell: Any,
    ) -> None:
        if judge is not None and scoring != "slate":
            raise ValueError(f"judge= rates turns under scoring='slate', not under {scoring!r}: leave one out")
        self.judge = as_judge(judge)
        check_given(data, data_dir)
        if panel not in (None, *PANELS):  # before a cache, which would need a hash
            raise ValueError(unknown("panel", panel, PANELS, "of wiki_search"))
        given = {"tasks": shell.get("tasks"), "panel": panel, "data": data, "data_dir": data_dir}
        said = [name for name, value in given.items() if value is not None and value != ""]
        if len(said) > 1:
            raise ValueError(f"{said[0]}= and {said[1]}= each say which tasks there are: leave all but one out")
        self._rules = tasks.checked_rules(scoring, k)
        source = load_source(data, data_dir) if data or data_dir else None
        own = shell.get("tasks") if source is None else source.panel
        played = tasks.panel(panel or "all", self._rules) if own is None else tasks.ruled(own, self._rules)
        if source is not None and "train" not in source.panel:
            shell.setdefault("split", next(iter(source.panel)))
        if scoring == "mt_grpo" and shell.get("codec") is None:
            shell["codec"] = "mt_grpo"
        if k != DEFAULT.k:
            self._tools = with_default(type(self)._tools, k)
        super().__init__(**{**shell, "tasks": played})
        self._library: Library = tasks.library_of(corpus, source, retriever, encoder)
        make_known(self._library)
        self._played = played
        self._remembers = scoring in rewards.REMEMBERING
        self._pursued = ""

    def __setstate__(self, held: dict[str, Any]) -> None:
        self.__dict__.update(held)
        make_known(self._library)  # by the states of the episode, in another process too

    def initial(self, task: Task, rng: TurnRng) -> Opening[SearchState]:
        """Return the task's first state; nothing is drawn."""
        kept, place = self._played.openings, (task.id, self.max_turns, self._library.content)
        found = kept.get(place)
        if found is None:
            question = tasks.question_of(task, self._rules, self._library.content)
            found = Opening(SearchState(question), text.opening(question), text.system(question, self.max_turns))
            if len(kept) >= OPENINGS:
                kept.clear()
            kept[place] = found
        return found

    def transition(self, state: SearchState, action: Action, rng: TurnRng) -> Turn[SearchState]:
        """Return what a call does; a failure of the retriever, which is no fault of the agent, ends the episode."""
        if self._rules.k != DEFAULT.k and isinstance(action, ToolCall) and action.name == "search":
            action = ToolCall("search", {"k": self._rules.k, **action.arguments})
        try:
            return super().transition(state, action, rng)
        except (RetrieverError, DataError) as error:
            end = Outcome(False, 0.0, EndReason.INFRA_ERROR, str(error))
            return Turn(state, "The search engine failed.", outcome=end, tag="infra")

    def parse(self, action: str | ToolCall) -> Action:
        """Return the action in an agent's text; see AgentEnv.parse. A plan that never ends is refused, as such a call.

        Raises:
            InvalidAction: also "unclosed: …" where a plan without a call has no end.
        """
        parsed = super().parse(action)
        if isinstance(parsed, Say) and is_unclosed(parsed.text):
            raise InvalidAction("unclosed: <plan> has no </plan>; write <plan>…</plan>")
        return parsed

    def apply(
        self, state: SearchState, action: str | ToolCall, rng: TurnRng
    ) -> tuple[Turn[SearchState], bool, Action | None]:
        """Return (turn, valid, parsed action or None), with what every turn of this world records."""
        turn, valid, parsed = super().apply(state, action, rng)
        if not valid:
            turn.tag = "invalid"
        elif turn.tag != "infra" and parsed is not None:
            planned(turn, action)
            record(turn, state, parsed, partial(self._message, action, parsed), self.signals, self._remembers)
            if self.judge is not None:
                turn = self._judged(state, turn, self.judge)
        turn.step_score = turn.state.recall
        if "critique" in self.signals:
            turn.critique = rewards.critique(turn.tag, state, turn.state)
        if "hops" in self.signals:
            resolved = turn.state.resolved
            turn.metrics = {**turn.metrics, "hops_resolved": float(len(resolved))}
            turn.subgoal = state.subgoal
            turn.switch = turn.subgoal != self._pursued
        return turn, valid, parsed

    def _judged(self, before: SearchState, turn: Turn[SearchState], judge: Judge) -> Turn[SearchState]:
        """Return the turn with the rewards of a judge of one's own; one that gives none ends the episode."""
        question = turn.state.question
        try:
            turn.rewards = judged(judge, turn.state.turns, question.text, question.answers)
        except InfraError as error:
            turn = self._lost(before, error)
            turn.tag = "infra"
        return turn

    # ---- which subgoal was pursued last, for `switch` ----------------------------------------------------------------

    def reset(  # type: ignore[override]
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, TurnInfo]:
        """Start an episode; see AgentEnv.reset."""
        moment = super().reset(seed=seed, options=options)
        self._pursued = ""
        return moment

    def step(self, action: str | ToolCall) -> tuple[str, float, bool, bool, TurnInfo]:  # type: ignore[override]
        """Take one turn; see AgentEnv.step."""
        moment = super().step(action)
        self._pursued = moment[-1].get("subgoal", "")
        return moment

    def restore(self, snapshot: Snapshot | bytes, *, branch: int | None = None) -> tuple[str, TurnInfo]:
        """Return to a moment; see AgentEnv.restore."""
        moment = super().restore(snapshot, branch=branch)
        self._pursued = moment[-1].get("subgoal", "")
        return moment

    # ---- the tools ---------------------------------------------------------------------------------------------------

    @tool
    def search(self, state: SearchState, rng: TurnRng, *, query: str, k: int = 3) -> Turn[SearchState]:  # noqa: D417
        """Show the passages that fit a query best.

        Args:
            query: words to look for.
            k: how many passages to show, from 1 to 20.
        """
        return _told(searched(state, query, k))

    @tool
    def open(self, state: SearchState, rng: TurnRng, *, title: str) -> Turn[SearchState]:  # noqa: D417
        """Show a whole page.

        Args:
            title: of the page.
        """
        return _told(opened(state, title))

    @tool
    def lookup(self, state: SearchState, rng: TurnRng, *, text: str) -> Turn[SearchState]:  # noqa: D417
        """Show the sentences of the open page that hold a text.

        Args:
            text: what to look for, in any case.
        """
        return _told(looked_up(state, text))

    @tool
    def answer(self, state: SearchState, rng: TurnRng, *, text: str) -> Turn[SearchState]:  # noqa: D417
        """Give the answer; the episode ends.

        Args:
            text: the name, number, date, yes or no that is asked for, and nothing else.
        """
        if not text.strip():
            raise InvalidAction("answer: it is empty; write what the question asks for")
        after = state._replace(answer=text.strip())
        end = rewards.outcome(after)
        return Turn(after, f"The answer is {end.detail}.", outcome=end, tag=end.detail, tool_result=True)

    def say(self, state: SearchState, text: str, rng: TurnRng) -> Turn[SearchState]:
        """Note a plan; other text without a call is refused."""
        steps = plan_of(text)
        if not steps:
            return super().say(state, text, rng)
        return Turn(state, f"Your plan of {len(steps)} step{'s' * (len(steps) != 1)} is noted. Go on.", tag="plan")

    # ---- hooks -------------------------------------------------------------------------------------------------------

    def timeout(self, state: SearchState) -> Outcome:
        """Return the outcome when the turns are used up."""
        return rewards.timeout(state)

    def canonical(self, state: SearchState) -> bytes:
        """Return all that decides the futures of a state, in bytes."""
        return state.canonical()

    def anchor(self, state: SearchState) -> bytes:
        """Return what the agent can tell apart: the state without answers and gold."""
        return state.anchor()

    def potential(self, state: SearchState) -> float:
        """Return the evidence recall."""
        return state.recall

    def expert(self, state: SearchState) -> str:
        """Return the expert's action."""
        try:
            return self.call(*expert.advice(state))
        except (RetrieverError, DataError):
            return self._asking(state)

    def menu(self, state: SearchState) -> Sequence[str]:
        """Return queries, pages to open and answers; see `menu`."""
        try:
            return [self.call(*entry) for entry in menu.entries(state)]
        except (RetrieverError, DataError):
            return [self._asking(state)]

    def _asking(self, state: SearchState) -> str:
        """Return a search for the question: where the retriever has failed, whoever takes it ends the episode so."""
        return self.call("search", " ".join(state.question.text.split())[: text.QUERY])

    def describe(self, state: SearchState) -> str:
        """Return question, passages seen in short, and the page that is open."""
        return text.describe(state)

    def secrets(self, state: SearchState) -> dict[str, Any]:
        """Return answers, gold pages and decomposition, a sentence each, since pages are listed for everybody."""
        return text.secrets(state.question)

    def panels(self) -> list[tuple[TaskPanel, float | None]]:
        """Return the shipped panels, each with the success of random choice on its test split."""
        measured = tasks.random_success()
        return [(tasks.panel(name, DEFAULT), measured.get(name)) for name in PANELS]

    def quality(self) -> Sequence[Quality]:
        """Return what was measured of the shipped articles and questions, be this world's tasks others; minutes."""
        measure: Callable[[], list[Quality]] = import_module("agentgym.envs.wiki_search.shipped.quality").measure
        return measure()

    @property
    def instructions(self) -> str:
        """Return how calls are written, and that nothing is said to anybody here; "" under a codec of one's own."""
        told = super().instructions
        return told and f"{told}\n\nEvery turn needs a call here, or a plan: other text is an invalid action."

    @property
    def base_hash(self) -> str:
        """Return the hash of what is searched."""
        return self._library.content

    def pack(self, state: SearchState) -> Any:
        """Return plain values that hold the state, but for what its task says."""
        return state.pack()

    def unpack(self, value: Any) -> SearchState:
        """Return the state of such values."""
        task, *rest = value
        return SearchState.unpack(self.initial(self.panel.task(task), TurnRng(0)).state.question, rest)

    def call(self, name: str, argument: str) -> str:
        """Return a call of a tool with one text in the world's own dialect, as menu and expert write it.

        Where tags in the text leave no way to write it, they are escaped as in what is shown.
        """
        return tagged(name, argument, CODECS[self.default_codec], type(self)._tools)

    def _message(self, action: str | ToolCall, parsed: Action) -> str:
        """Return what the agent wrote; of a call that came as such, what it would be in the dialect read here."""
        if isinstance(action, str):
            return action
        codec = self._codec if isinstance(self._codec, Dialect) else CODECS[self.default_codec]
        return written(parsed, codec, self._tools)


def _told(found: Found) -> Turn[SearchState]:
    metrics = {"shown": float(found.shown)}
    useful = found.tag not in ("empty", "missing")
    return Turn(found.state, found.said, tag=found.tag, metrics=metrics, tool_result=useful)
