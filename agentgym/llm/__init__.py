"""Language models behind OpenAI-compatible endpoints: users, judges and policies that speak through one client.

`Model` replies, from a `Cassette` where it can and from an `Endpoint` where it must and its `Budget` lets it; `LLMUser`
and `LLMJudge` put it behind the interfaces of `agentgym.user`. Worlds take them as user= and judge=, as objects or as
plain JSON; see `open_model` for what stands in it.
"""

from agentgym.llm.budget import Budget, BudgetSpent
from agentgym.llm.cassette import Cassette, CassetteError, CassetteMiss, key_of, open_cassette
from agentgym.llm.endpoint import Called, Completion, Endpoint, EndpointError
from agentgym.llm.model import Model
from agentgym.llm.speakers import LLMJudge, LLMUser
from agentgym.llm.specs import judge_from, open_model, user_from

__all__ = [
    "Budget",
    "BudgetSpent",
    "Called",
    "Cassette",
    "CassetteError",
    "CassetteMiss",
    "Completion",
    "Endpoint",
    "EndpointError",
    "LLMJudge",
    "LLMUser",
    "Model",
    "judge_from",
    "key_of",
    "open_cassette",
    "open_model",
    "user_from",
]
