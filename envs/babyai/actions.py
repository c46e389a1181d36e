"""The seven actions by name, and the menu of those that make sense in a state."""

from __future__ import annotations

import difflib

from agentgym.envs.babyai.kernel import ACTIONS, DONE, DROP, FORWARD, LEFT, PICK_UP, RIGHT, TOGGLE, step
from agentgym.envs.babyai.state import EMPTY, THING, GridState, color_of, door_state, is_door, is_passable
from agentgym.turn import InvalidAction

_NUMBER = {name: number for number, name in enumerate(ACTIONS)}
_LONGEST = 40  # characters of a wrong action that are compared with the names


def read(text: str) -> int:
    """Return the number of the action that `text` names.

    One rule: the whole text is one action's name, in any case, with any white space around and between its words, and
    nothing else; no punctuation, no number of times, no second action. Letters are ASCII.

    Raises:
        InvalidAction: anything else; the message lists the names, offers the nearest and repeats nothing of the text,
            so that no marker in it can reach a later prompt as the world's words.
    """
    number = _NUMBER.get(text)
    if number is None and text.isascii():
        number = _NUMBER.get(" ".join(text.lower().split()))
    if number is None:
        near = difflib.get_close_matches(text[:_LONGEST].lower(), ACTIONS, n=1, cutoff=0.7)
        hint = f", did you mean {near[0]!r}?" if near else "."
        raise InvalidAction(f"Not an action{hint} Write exactly one of: {', '.join(ACTIONS)}.")
    return number


def sensible(state: GridState) -> list[int]:
    """Return the actions that can matter in a state, in the order of ACTIONS; the expert's is one of them.

    Turning always does. The others depend on what is ahead and in the hands, never on the instruction: "go forward"
    needs a cell to enter, "pick up" an object ahead and empty hands, "drop" full hands and an empty cell ahead,
    "toggle" a box or a door that obeys (a locked one only the key of its colour). "done", which moves nothing but has
    the instruction judged, is there when an object or a door is ahead, and while the hands hold something that the
    instruction does not know of yet: in levels that start with full hands, until any action has passed. Then "pick up"
    too is there where the instruction would take what is held for picked up just now (in no level of minigrid's).

    A "drop" that fails makes the instruction forget where objects lay before they were picked up. It is left out: more
    places only ever help, because a deed is done at any of them (strict orders, where one could hurt, are of doors).
    """
    level, cells, carry = state.level, state.cells, state.carry
    code = cells[state.front]
    waited = step(state, DONE)[0] if carry and not (state.solved or state.failed) else state
    chosen = [LEFT, RIGHT]
    if is_passable(code):
        chosen.append(FORWARD)
    if code >= THING and not carry or waited is not state and _counts(step(state, PICK_UP)[0], waited):
        chosen.append(PICK_UP)
    if code == EMPTY and carry:
        chosen.append(DROP)
    if code >= THING and level.kind(code).type == "box" or is_door(code) and _obeys(state, code):
        chosen.append(TOGGLE)
    if code >= THING or is_door(code) or waited is not state:
        chosen.append(DONE)
    return chosen


def _counts(after: GridState, waited: GridState) -> bool:
    """True when an action finished a part of the instruction that waiting leaves open."""
    return not after.failed and after.done != waited.done


def _obeys(state: GridState, code: int) -> bool:
    if door_state(code) != "locked":
        return True
    return state.carry != 0 and state.level.kind(state.carry)[:2] == ("key", color_of(state.level, code))
