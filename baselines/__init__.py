"""agentgym.baselines; the folder is imported under that name only."""

if __name__ != "agentgym.baselines":
    raise ImportError(f"import agentgym.baselines, not {__name__!r}: a second copy would register everything twice.")
