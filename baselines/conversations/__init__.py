"""Credit for recorded conversations of any system: `agentgym credit LOG`."""
