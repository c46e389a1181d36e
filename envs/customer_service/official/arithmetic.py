"""The official calculator: Python's arithmetic on numbers, without Python.

Source: what the official tool was seen to answer. Where its numbers would grow without end (it hangs), this one fails.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

from agentgym.envs.customer_service.official.toolkit import Refusal

_ALLOWED: Final = frozenset("0123456789+-*/(). ")
_LONGEST: Final = 2_000
_BITS: Final = 1 << 16

_BINARY: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_UNARY: Final[dict[type[ast.unaryop], Callable[[Any], Any]]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def calculate(expression: Any) -> str:
    """Return the value of an expression, rounded to two places, as Python shows a float.

    Raises:
        Refusal: a character that is not allowed. SyntaxError, ArithmeticError, TypeError, ValueError: what is written
            there has no value that a float can hold.
    """
    if not all(character in _ALLOWED for character in expression):
        raise Refusal("Invalid characters in expression")
    if type(expression) is not str or len(expression) > _LONGEST:
        raise TypeError(f"an expression is a text of at most {_LONGEST} characters")
    return str(round(float(_value(ast.parse(expression.lstrip(" "), mode="eval").body)), 2))


def _value(node: ast.expr) -> Any:
    chain: list[ast.BinOp] = []
    while isinstance(node, ast.BinOp):  # sums of any length lean to the left
        chain.append(node)
        node = node.left
    if isinstance(node, ast.UnaryOp):
        value = _UNARY[type(node.op)](_value(node.operand))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        value = node.value
    else:
        raise TypeError(f"no number: {type(node).__name__}")
    for link in reversed(chain):
        value = _joined(link.op, value, _value(link.right))
    return value


def _joined(how: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(how, ast.Pow):
        if type(left) is type(right) is int and right > 0 and left.bit_length() * right > _BITS:
            raise OverflowError("the power is too large")
        return left**right
    value = _BINARY[type(how)](left, right)
    if type(value) is int and value.bit_length() > _BITS:
        raise OverflowError("the number is too large")
    return value
