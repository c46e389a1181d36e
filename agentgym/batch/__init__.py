"""The record of what happened: TurnBatch, one row a turn, and what its columns hold."""

from agentgym.batch.columns import COLUMNS, Column
from agentgym.batch.inputs import BatchError
from agentgym.batch.ragged import FloatMaps, Ragged
from agentgym.batch.record import TurnBatch

__all__ = ["COLUMNS", "BatchError", "Column", "FloatMaps", "Ragged", "TurnBatch"]
