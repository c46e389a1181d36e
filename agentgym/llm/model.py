"""A model that replies: its endpoint, its cassette and its budget behind one method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any

from agentgym.llm.budget import Budget
from agentgym.llm.cassette import Cassette, key_of
from agentgym.llm.endpoint import Client, Completion, Endpoint

Messages = Sequence[Mapping[str, Any]]


class Model:
    """Replies to requests: from its cassette where it can, else from its endpoint. Threads may share it.

    Equal requests have equal replies, for as long as the cassette is kept: that is what makes a transition that asks a
    model a pure function, whose snapshots and forks are truthful. Without a file the cassette is kept in memory. In
    another process a pickled one goes on with the cassette's file and a budget of its own.

    Args:
        endpoint: where it is asked; None: nowhere, a cassette replays all.
        cassette: of this model's replies; None: one in memory.
        budget: of what is asked of the endpoint; None: no bound.

    Raises:
        ValueError: neither an endpoint nor a cassette, or a cassette of another model than the endpoint's.
        EndpointError: the environment lacks the key.
    """

    def __init__(
        self, endpoint: Endpoint | None = None, cassette: Cassette | None = None, budget: Budget | None = None
    ) -> None:
        if endpoint is None and cassette is None:
            raise ValueError("a model needs an endpoint that it is asked at, or a cassette that replays it")
        if endpoint is not None and cassette is not None and endpoint.model != cassette.model:
            raise ValueError(
                f"the cassette {cassette.path} is of the model {cassette.model!r}, the endpoint's is {endpoint.model!r}"
            )
        name = endpoint.model if endpoint is not None else cassette.model if cassette is not None else ""
        self.name = name
        self.cassette = cassette if cassette is not None else Cassette("", name, "record")
        self.budget = budget or Budget()
        self._endpoint = endpoint
        live = endpoint is not None and self.cassette.mode == "record"
        self._client: Client | None = endpoint.open() if live and endpoint is not None else None
        self._asked: dict[str, Future[Completion]] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.cassette!r})"

    def __deepcopy__(self, memo: object) -> Model:
        return self  # what it knows only grows, and copies of a world hear the same

    def __reduce__(self) -> tuple[Any, ...]:
        cassette = self.cassette if self.cassette.path else None
        return type(self), (self._endpoint, cassette, self.budget)

    def reply(self, messages: Messages, **options: Any) -> Completion:
        """Return the reply to messages in chat format.

        Args:
            messages: the whole talk, oldest first.
            **options: sent beside them as they are, such as temperature, max_tokens, seed; None: left out.

        Raises:
            NoAnswer: the endpoint gave none within its patience.
            CassetteMiss: the cassette has none, and no endpoint may be asked.
            BudgetSpent: it would have to be asked, and nothing is left.
        """
        given = {name: value for name, value in options.items() if value is not None}
        request = {"model": self.name, "messages": [dict(message) for message in messages], **given}
        found = self.cassette.find(request)
        if found is not None:
            return found
        if self._client is None:
            raise self.cassette.miss(request)
        return self._once(self._client, request)

    def _once(self, client: Client, request: Mapping[str, Any]) -> Completion:
        """Ask; where another thread is asking the same just now, wait for its reply instead."""
        key = key_of(request)
        with self._lock:
            mine: Future[Completion] = Future()
            under_way = self._asked.setdefault(key, mine)
        if under_way is not mine:
            return under_way.result()
        try:
            mine.set_result(self._ask(client, request))
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._asked[key]
        return mine.result()

    def _ask(self, client: Client, request: Mapping[str, Any]) -> Completion:
        found = self.cassette.find(request)  # another thread may have been quicker
        if found is not None:
            return found
        self.budget.begin()
        reply = client.ask(request)
        self.budget.count(sum(reply.tokens))
        return self.cassette.keep(request, reply)
