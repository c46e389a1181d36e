"""retail: the online shop Larder & Loom."""

from agentgym.envs.customer_service.domains.retail.tools import RETAIL as RETAIL
