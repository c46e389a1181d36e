"""The families of estimators under test, found in tests/agentgym/credit: one module a file of agentgym/credit.

`loops_X.py` holds OPTIONS, for each estimator every option with values to try; FORMS; and a loop of its name.
`oracle_X.py` holds COVERED, {formula id of the reference cases: how many there are}; and where a case is not one of the
common shapes BUILDERS, {name of a builder in their map: function(case, fixture) -> TurnBatch}, and CHECKS, {formula id:
function(case, fixture)} for cases that need a comparison of their own.
"""

from importlib import import_module
from pathlib import Path

from agentgym import credit

HERE = Path(__file__).parent / "credit"


def modules(prefix):
    return [import_module(f"tests.agentgym.credit.{path.stem}") for path in sorted(HERE.glob(f"{prefix}_*.py"))]


def merged(prefix, name):
    """One mapping of all that the modules call `name`; the same key twice is a mistake."""
    found = {}
    for module in modules(prefix):
        for key, value in getattr(module, name, {}).items():
            assert key not in found, key
            found[key] = value
    return found


OURS = {name for name in credit.names() if credit.info(name).function.__module__.startswith("agentgym.")}
"""The estimators of the library, without those that a test may have registered."""
OPTIONS = merged("loops", "OPTIONS")
FORMS = [form for module in modules("loops") for form in module.FORMS]
LOOPS = {name: getattr(module, name) for module in modules("loops") for name in module.OPTIONS}
COVERED = merged("oracle", "COVERED")
BUILDERS = merged("oracle", "BUILDERS")
CHECKS = merged("oracle", "CHECKS")
