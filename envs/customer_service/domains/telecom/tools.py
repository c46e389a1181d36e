"""Telecom: the service of Heathline, with the tools of the agent and of the customer."""

from __future__ import annotations

from functools import cached_property

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domains.telecom.accounts import Accounts
from agentgym.envs.customer_service.domains.telecom.contracts import Contracts
from agentgym.envs.customer_service.domains.telecom.device import Device
from agentgym.envs.customer_service.domains.telecom.families import FAMILIES
from agentgym.envs.customer_service.domains.telecom.rows import CLOCK, build
from agentgym.envs.customer_service.domains.telecom.voice import VOICE
from agentgym.envs.customer_service.domains.telecom.words import WORDS


class Telecom(Device, Contracts, Accounts):
    """A company for mobile telephony, whose customers have a phone at hand."""

    name = "telecom"
    title = "the mobile phone company Heathline"
    clock = CLOCK
    words = WORDS
    voice = VOICE
    families = FAMILIES

    @cached_property
    def database(self) -> Database:
        """The base, which all tasks of the domain share."""
        return build()


TELECOM = Telecom()
