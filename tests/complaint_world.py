# complaint_world.py
"""A dialogue world with a scripted user; docs/dialogue-world.md shows it."""

from dataclasses import dataclass, replace

from agentgym import AgentEnv, EndReason, Opening, Outcome, RewardSpec, Task, TaskPanel, Turn

REMEDIES = {"refund": "I want my money back.", "repair": "I want mine mended.", "replacement": "I want one that works."}
STAGES = ("angry", "calm", "told")
PAID = {"calm": "calmed", "told": "learned"}  # the reward for reaching a stage


@dataclass(frozen=True)
class Caller:
    wish: str  # what would help; the agent has to find out
    stage: str = "angry"
    patience: int = 3
    asked: str = ""  # what the caller said last


def answer(state, text, rng):
    """Return what the caller does about an agent's text: the next state, and whether the caller is content.

    A state machine: an apology calms, mostly; a question is answered by those who are calm; an offer is accepted by
    those who were asked, if it is one and the right one. All else costs patience.
    """
    words = set("".join(char if char.isalpha() else " " for char in text.lower()).split())
    offers = words & REMEDIES.keys()
    if state.stage == "told" and offers == {state.wish}:
        return replace(state, asked="Yes, thank you. Goodbye."), True
    if state.stage == "angry" and "sorry" in words and not offers:
        if rng.random() < 0.8:
            return replace(state, stage="calm", asked="Well. It broke on the first day."), False
        return replace(state, asked="You all say that."), False
    if state.stage == "calm" and "?" in text and not offers:
        return replace(state, stage="told", asked=REMEDIES[state.wish]), False
    return replace(state, patience=state.patience - 1, asked="That does not help me."), False


class Complaint(AgentEnv[Caller]):
    """Help a caller whose kettle broke."""

    panel = TaskPanel(
        "calls",
        {
            "train": [Task(f"patience{count}", {"patience": count}) for count in (2, 3)],
            "test": [Task("patience1", {"patience": 1})],
        },
    )
    max_turns = 12
    rewards = RewardSpec({"calmed": 0.1, "learned": 0.2})

    def initial(self, task, rng):
        state = Caller(rng.choice(sorted(REMEDIES)), patience=task.data["patience"], asked="My kettle is broken!")
        return Opening(state, state.asked, "You answer a shop's telephone. Find out what would help, and offer it.")

    def transition(self, state, action, rng):
        after, content = answer(state, action.text, rng)
        paid = {PAID[after.stage]: 1.0} if after.stage != state.stage else {}
        if content:
            return Turn(after, after.asked, paid, Outcome(True, 1.0), tag="gold")
        if after.patience == 0:
            left = Outcome(False, 0.0, EndReason.USER_LEFT, "out of patience")
            return Turn(after, "The caller hangs up.", paid, left, tag="error")
        return Turn(after, after.asked, paid, tag="message")

    def menu(self, state):
        offers = [f"I can offer you a {remedy}." for remedy in sorted(REMEDIES)]
        return ["I am sorry about that.", "What would you like us to do?", *offers]

    def expert(self, state):
        sorry, question, *_ = self.menu(state)
        return {"angry": sorry, "calm": question}.get(state.stage, f"I can offer you a {state.wish}.")

    def potential(self, state):
        return (STAGES.index(state.stage) + state.patience / 4) / 4

    def describe(self, state):
        known = REMEDIES[state.wish] if state.stage == "told" else f"The caller is {state.stage}."
        return f"{known} The caller said last: {state.asked}"

    def anchor(self, state):
        return state.stage, state.patience, self.describe(state)

    def secrets(self, state):
        return {"wish": state.wish}
