"""agentgym.envs; the folder is imported under that name only."""

if __name__ != "agentgym.envs":
    raise ImportError(f"import agentgym.envs, not {__name__!r}: a second copy would register everything twice.")
