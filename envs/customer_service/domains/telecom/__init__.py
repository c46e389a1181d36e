"""telecom: a mobile phone company; the customer has a phone, which only the customer can use."""

from agentgym.envs.customer_service.domains.telecom.tools import TELECOM

__all__ = ["TELECOM"]
