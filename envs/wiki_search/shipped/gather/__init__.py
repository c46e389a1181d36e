"""What the encyclopedia knows: one module a kind of source, read from packages of the public package indexes.

Run by maintainers alone, with the packages of `packages.PYTHON` installed and those of `packages.NODE` unpacked:

    python -m agentgym.envs.wiki_search.shipped.gather FOLDER

`FOLDER` holds the packages of `packages.NODE` and `packages.ARCHIVES`, each unpacked in a folder of its name. Nothing
else in agentgym imports this: what it wrote, data/facts.json.gz, is shipped.
"""
