"""Servers that worlds and language models stand behind: one client with bounds of time, tries and bytes."""

from agentgym.http.asking import Asker, NoAnswer, Patience
from agentgym.http.connection import Answer, Connection
from agentgym.http.urls import split_url

__all__ = ["Answer", "Asker", "Connection", "NoAnswer", "Patience", "split_url"]
