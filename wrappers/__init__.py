"""agentgym.wrappers; the folder is imported under that name only."""

if __name__ != "agentgym.wrappers":
    raise ImportError(f"import agentgym.wrappers, not {__name__!r}: a second copy would register everything twice.")
