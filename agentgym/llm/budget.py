"""How much may be asked of endpoints: so many calls, so many tokens, and then a stop that says so."""

from __future__ import annotations

from threading import Lock

from agentgym.errors import AgentGymError


class BudgetSpent(AgentGymError):
    """No more calls or tokens are left. It stops the run: what was finished is kept, nothing counts as a failure."""


class Budget:
    """Calls and tokens that may be spent; threads may share it, each process has its own.

    A call is one question with all its tries; what a cassette answers costs nothing. Tokens of the request and of the
    reply count when the reply is there, so calls under way together may overdraw them once.

    Args:
        calls: at most so many; None: no bound.
        tokens: at most so many; None: no bound.

    Attributes:
        spent: (calls, tokens) so far.

    Raises:
        ValueError: a bound that is no int of at least 0.
    """

    def __init__(self, calls: int | None = None, tokens: int | None = None) -> None:
        for name, bound in (("calls", calls), ("tokens", tokens)):
            if bound is not None and (type(bound) is not int or bound < 0):
                raise ValueError(f"the budget of {name} must be an int of at least 0, or None, not {bound!r:.60}")
        self._calls, self._tokens = calls, tokens
        self._lock = Lock()
        self.spent = (0, 0)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._calls, self._tokens)  # what was spent was spent by this process

    def begin(self) -> None:
        """Count a call that begins. Raises BudgetSpent: none is left, or no token is."""
        with self._lock:
            calls, tokens = self.spent
            for name, bound, spent in (("calls", self._calls, calls), ("tokens", self._tokens, tokens)):
                if bound is not None and spent >= bound:
                    raise BudgetSpent(
                        f"the budget of {bound} {name} is spent ({calls} calls, {tokens} tokens): raise {name}=, or "
                        "play fewer tasks"
                    )
            self.spent = (calls + 1, tokens)

    def count(self, tokens: int) -> None:
        """Count the tokens of a call that is over."""
        with self._lock:
            self.spent = (self.spent[0], self.spent[1] + tokens)
