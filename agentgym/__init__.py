"""agentgym: forkable text worlds, one record a turn, and the true advantages to judge credit assignment by."""

from pathlib import Path as _Path

if __name__ != "agentgym":
    raise ImportError(
        f"agentgym was imported as {__name__!r}, a second copy of itself: "
        "put the checkout's root on the path, not a folder above or below it."
    )
if not (_Path(__file__).parent / "envs").is_dir():  # a checkout: envs/, wrappers/, baselines/ lie beside this folder
    __path__.append(str(_Path(__file__).parent.parent))

from agentgym.action import Say, ToolCall
from agentgym.batch import BatchError, TurnBatch
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError, InfraError, LogError, MissingColumn, SnapshotError, StepAfterEnd, WorldError
from agentgym.log import RolloutLog
from agentgym.registry import register
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.rollout import Policy, PolicyError, Reply, RolloutError, View, acollect, collect
from agentgym.snapshot import Snapshot
from agentgym.space import UnicodeText
from agentgym.table import Table
from agentgym.task import Task, TaskPanel
from agentgym.tool import tool
from agentgym.turn import EndReason, InvalidAction, Opening, Outcome, Turn, TurnInfo, validate_info
from agentgym.user import Draft, Item, Judge, Said, Scene, UserSimulator
from agentgym.vector import GroupVectorEnv, SlotError, WorkerLost

__version__ = "0.1.0"

register("agentgym/BabyAI-v0", "agentgym.envs.babyai.env:BabyAIEnv")
register("agentgym/TextToSQL-v0", "agentgym.envs.text_to_sql.env:TextToSQLEnv")
register("agentgym/CustomerService-v0", "agentgym.envs.customer_service.env:CustomerServiceEnv")
register("agentgym/Sales-v0", "agentgym.envs.sales.env:SalesEnv")
register("agentgym/WikiSearch-v0", "agentgym.envs.wiki_search.env:WikiSearchEnv")
register("agentgym/EmotionalSupport-v0", "agentgym.envs.emotional_support.env:EmotionalSupportEnv")
register("agentgym/EmotionQuestions-v0", "agentgym.envs.emotional_support.questions.env:EmotionQuestionsEnv")

__all__ = [
    "AgentEnv",
    "AgentGymError",
    "BatchError",
    "Draft",
    "EndReason",
    "GroupVectorEnv",
    "InfraError",
    "InvalidAction",
    "Item",
    "Judge",
    "LogError",
    "MissingColumn",
    "Opening",
    "Outcome",
    "Policy",
    "PolicyError",
    "Reply",
    "RewardSpec",
    "RolloutError",
    "RolloutLog",
    "Said",
    "Say",
    "Scene",
    "SlotError",
    "Snapshot",
    "SnapshotError",
    "StepAfterEnd",
    "Table",
    "Task",
    "TaskPanel",
    "ToolCall",
    "Turn",
    "TurnBatch",
    "TurnInfo",
    "TurnRng",
    "UnicodeText",
    "UserSimulator",
    "View",
    "WorkerLost",
    "WorldError",
    "acollect",
    "collect",
    "register",
    "tool",
    "validate_info",
]
