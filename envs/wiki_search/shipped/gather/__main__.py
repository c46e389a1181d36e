"""python -m agentgym.envs.wiki_search.shipped.gather FOLDER: read all packages and write data/facts.json.gz."""

import sys
from pathlib import Path

from agentgym.envs.wiki_search.shipped.facts import FILE, pack
from agentgym.envs.wiki_search.shipped.gather.gathering import gathered

if __name__ == "__main__":
    FILE.write_bytes(pack(gathered(Path(sys.argv[1]))))
