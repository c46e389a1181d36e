"""What the DuckDB engine allows. DuckDB has no authorizer, so its own parser is asked for the tree of a statement.

The tree is the one that DuckDB runs, so nothing can be read in two ways. Every table and every function in it must be
on a list; what a tree cannot be made of is no SELECT. Since DuckDB counts no steps and bounds no text, recursive
queries and what makes long texts are refused too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from agentgym.envs.text_to_sql.refusals import (
    CATALOGUE,
    PARAMETERS,
    SAMPLING,
    TABLE_FUNCTION,
    WRITING,
    function_refusal,
    no_table,
)
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, Result
from agentgym.envs.text_to_sql.unfold import words

FUNCTIONS: Final = words(
    "abs acos add age any_value approx_count_distinct arbitrary arg_max arg_min array_agg array_extract "
    "array_length ascii asin atan atan2 avg bit_and bit_count bit_length bit_or bit_xor bool_and bool_or cbrt "
    "ceil ceiling century chr coalesce concat concat_ws contains corr cos cot count count_if count_star countif "
    "covar_pop covar_samp cume_dist current_date current_localtime current_localtimestamp current_time "
    "current_timestamp date_add date_diff date_part date_sub date_trunc datediff datepart datetrunc day dayname "
    "dayofmonth dayofweek dayofyear decade degrees dense_rank divide ends_with entropy epoch epoch_ms era even "
    "exp extract factorial favg first first_value floor fmod fsum gcd geomean get_current_time "
    "get_current_timestamp glob greatest group_concat hour if ifnull ilike_escape instr isfinite isinf isnan "
    "isodow isoyear json_extract json_extract_string julian kurtosis lag last last_day last_value lcase lcm lead "
    "least left len length like_escape list list_contains list_extract list_value listagg ln log "
    "log10 log2 lower ltrim mad make_date make_time make_timestamp make_timestamptz max max_by mean median "
    "microsecond millennium millisecond min min_by minute mod mode month monthname multiply not_ilike_escape "
    "not_like_escape now nth_value ntile nullif percent_rank pi position pow power prefix product quantile "
    "quantile_cont quantile_disc quarter radians rank rank_dense regexp_extract regexp_full_match regexp_matches "
    "replace right round round_even row row_number rtrim second sem sign sin skewness split_part sqrt starts_with "
    "stddev stddev_pop stddev_samp strftime string_agg strip_accents strlen strpos strptime struct_extract "
    "struct_pack substr substring subtract suffix sum sumkahan tan time_bucket to_centuries to_days to_decades "
    "to_hours to_microseconds to_milliseconds to_minutes to_months to_quarters to_seconds to_weeks to_years today "
    "trim trunc try_strptime typeof ucase unicode upper var_pop var_samp variance week weekday weekofyear year "
    "yearweek -> ->> + - * / // % ^ ** & | << >> ~ || ~~ !~~ ~~* !~~* ~~~ = <> < > <= >= ! !~ @"
)
"""Functions and operators that give the same result every time and make no long text out of a short one."""
SERIES: Final = words("generate_series range unnest")
"""Functions that may stand in FROM; the planner knows how many rows they make of constants."""
MAX_JOINED: Final = 16
"""Most texts that may be joined in a query: each could double what the one before made."""
MAX_COLUMNS: Final = 2_000
DEEP: Final = "the query is nested too deeply"
RECURSION: Final = "the work of a recursive query cannot be counted beforehand here: use generate_series"


def refusal(tree: dict[str, Any], tables: Collection[str]) -> Result | None:
    """Return why a statement is refused, or None.

    Args:
        tree: what json_serialize_sql made of it.
        tables: the names of all tables and views, in lower case.
    """
    if tree.get("error"):
        if tree.get("error_type") == "not implemented":
            return Result(DENIED, message=WRITING)
        message = str(tree.get("error_message", "")).partition("\n")[0]
        return Result(LIMIT, message=DEEP) if "depth" in message else Result(ERROR, message=message)
    statements = tree.get("statements", [])
    if len(statements) != 1:
        return Result(ERROR, message=f"these are {len(statements)} statements; send one at a time")
    nodes = list(_nodes(statements[0]))
    seen: set[int] = set()  # functions in FROM, which are judged there
    for node, commons in nodes:
        found = _node(node, tables, commons) or (_function(node, seen) if id(node) not in seen else None)
        if found is not None:
            return found
    if sum(_joined(node) for node, _ in nodes) > MAX_JOINED:
        return Result(LIMIT, message=f"the query joins more than {MAX_JOINED} texts")
    return None


def _node(node: dict[str, Any], tables: Collection[str], commons: Collection[str]) -> Result | None:
    """Return why a part that is no function is refused."""
    kind = str(node.get("type", ""))
    if kind == "RECURSIVE_CTE_NODE":
        return Result(BUDGET, message=RECURSION)
    if kind == "SHOW_REF":
        return Result(DENIED, message=CATALOGUE)
    if len(node.get("select_list") or ()) > MAX_COLUMNS:
        return Result(LIMIT, message=f"the query selects more than {MAX_COLUMNS} columns")
    if node.get("sample"):
        return Result(DENIED, message=SAMPLING)
    if node.get("class") == "PARAMETER":
        return Result(ERROR, message=PARAMETERS)
    if kind == "BASE_TABLE":
        name, schema = str(node.get("table_name", "")), str(node.get("schema_name") or "")
        place = [str(node.get("catalog_name") or ""), "" if schema == "main" else schema]
        if any(place):
            return no_table(".".join([part for part in place if part] + [name]))
        if name.lower() not in tables and (schema or name.lower() not in commons):
            return no_table(name)
    return None


def _function(node: dict[str, Any], seen: set[int]) -> Result | None:
    """Return why a function is refused."""
    if node.get("type") == "TABLE_FUNCTION":
        function = node.get("function") or {}
        seen.add(id(function))
        name = str(function.get("function_name", "")).lower()
        listed = name in SERIES and not _placed(function)
        return None if listed and all(map(_constant, _arguments(function))) else Result(DENIED, message=TABLE_FUNCTION)
    if "function_name" not in node:
        return None
    name, arguments = str(node["function_name"]).lower(), _arguments(node)
    if name not in FUNCTIONS or _placed(node):
        return Result(DENIED, message=function_refusal(name))
    if name == "age" and len(arguments) < 2:
        return Result(DENIED, message="age() needs two times here, such as age(now(), birth)")
    if name == "replace" and not _shortens(arguments):
        return Result(DENIED, message="replace() may only put a text that is no longer, and written out, for another")
    return None


def _joined(node: dict[str, Any]) -> int:
    """Return how many texts a part joins."""
    name = str(node.get("function_name", "")).lower()
    return 1 if name == "||" else len(_arguments(node)) - 1 if name in ("concat", "concat_ws") else 0


def _shortens(arguments: list[dict[str, Any]]) -> bool:
    """Return whether the arguments of replace() make a text no longer: two constants, the second no longer."""
    if len(arguments) != 3 or any(part.get("class") != "CONSTANT" for part in arguments[1:]):
        return False
    held = [part.get("literal") or part.get("value") or {} for part in arguments[1:]]  # of newer and older versions
    texts = [str(part.get("text", part.get("value", ""))) for part in held]
    return len(texts[1]) <= max(1, len(texts[0]))


def _placed(function: dict[str, Any]) -> bool:
    """Return whether a function is named with its schema, so that another could be meant than the one on the list."""
    path = (function.get("qualified_name") or {}).get("path") or []
    return bool(function.get("schema") or function.get("catalog") or len(path) > 1)


def _arguments(function: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arguments of a function, which newer versions wrap together with their names."""
    given = function.get("arguments") or function.get("children") or []
    return [part.get("expression", part) for part in given if isinstance(part, dict)]


def _constant(node: dict[str, Any]) -> bool:
    """Return whether an argument is made of constants alone."""
    if node.get("class") == "CAST":
        return isinstance(node.get("child"), dict) and _constant(node["child"])
    if node.get("class") == "CONSTANT":
        return True
    return node.get("function_name") in ("list_value", "-") and all(map(_constant, _arguments(node)))


def _map(held: Any) -> list[dict[str, Any]]:
    return list(held.get("map", [])) if isinstance(held, dict) else []


def _nodes(value: Any) -> Iterator[tuple[dict[str, Any], frozenset[str]]]:
    """Yield every record of a tree, outer ones first, each with the names that WITH gives to tables there.

    A name holds for what follows its query in the WITH and for what the WITH belongs to, and nowhere else: outside it
    the same name is a table, perhaps one of the catalogue.
    """
    stack: list[tuple[Any, frozenset[str]]] = [(value, frozenset())]
    while stack:
        value, names = stack.pop()
        if isinstance(value, dict):
            entries = _map(value.get("cte_map"))
            for entry in entries:
                stack.append((entry, names))
                names |= {str(entry.get("key", "")).lower()}
            yield value, names
            stack.extend((part, names) for key, part in value.items() if key != "cte_map" or not entries)
        elif isinstance(value, list):
            stack.extend((part, names) for part in value)
