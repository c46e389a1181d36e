"""DialogueEnv: a dialogue world as a PettingZoo AEC environment of two speakers, on the world's own core.

agent_0 acts as in the world. When what it does is said to the user, the world's transition is run once to see what the
user would say by the rules; then it is user_0's turn, which reads its card, what it heard and that draft; and with
user_0's words the world takes its step. So both views play one and the same episode.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import gymnasium
from gymnasium.spaces import Dict, Space
from pettingzoo import AECEnv

from agentgym.action import ToolCall
from agentgym.envs.pettingzoo import WORLDS
from agentgym.envs.pettingzoo.puppet import OneJudgement, Puppet, said
from agentgym.errors import AgentGymError, StepAfterEnd, unknown
from agentgym.rng import TurnRng
from agentgym.space import UnicodeText
from agentgym.turn import TurnInfo, copy_json
from agentgym.user import Draft, Said, Scene

AGENT: Final = "agent_0"
USER: Final = "user_0"
MOST: Final = 16_384
"""Characters of a card, of what user_0 hears, and of what it says."""

MODES: Final = ("human", "ansi")
OVER: Final = "{}: the episode is over, or was never started; call reset() first"

Action: TypeAlias = str | ToolCall | Said | Mapping[str, Any] | None
Gain: TypeAlias = Callable[[TurnInfo, float], float]
"""From the info of a turn and agent_0's reward to user_0's reward."""

_NOTHING: Final = Draft("")


class SpeakerError(AgentGymError):
    """Somebody spoke when it was the other's turn; the message names both."""


class DialogueEnv(AECEnv[str, dict[str, str], Any]):  # type: ignore[misc]  # PettingZoo ships no types
    """A dialogue world, seen by both of its speakers.

    Args:
        name: PettingZoo's name of this environment, such as "sales_v0", a key of WORLDS. The world's class has the
            argument `user` and the method `card`.
        gain: what user_0 is paid.
        render_mode: None, "ansi" (`render` returns the talk) or "human" (`render` writes it to standard output).
        arguments: of the world.

    Raises:
        TypeError: `user` among the arguments: user_0 is the user.
        ValueError: an unknown render mode, or a bad argument of the world.
    """

    def __init__(
        self, name: str, gain: Gain, render_mode: str | None = None, arguments: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in MODES:
            raise ValueError(unknown("render mode", render_mode, MODES))
        if arguments is not None and "user" in arguments:
            raise TypeError(f"{name} takes no user=: user_0 says what the user says")
        self.metadata = {"name": name, "render_modes": list(MODES), "is_parallelizable": False, "render_fps": 4}
        self.render_mode = render_mode
        self.possible_agents = [AGENT, USER]
        self.agents: list[str] = []
        self._gain, self._puppet = gain, Puppet()
        made: Any = gymnasium.make(WORLDS[name], disable_env_checker=True, user=self._puppet, **arguments or {})
        self.world = made.unwrapped
        if getattr(self.world, "judge", None) is not None:
            self.world.judge = OneJudgement(self.world.judge)
        self._make_spaces()

    def _make_spaces(self) -> None:
        seen: dict[str, Space[Any]] = {name: UnicodeText(MOST) for name in ("card", "heard", "draft", "choices")}
        self.observation_spaces = {AGENT: Dict({"text": UnicodeText(self.world.max_observation)}), USER: Dict(seen)}
        self.action_spaces = {AGENT: UnicodeText(self.world.max_action), USER: UnicodeText(MOST)}

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations; always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> UnicodeText:
        """Return the space of an agent's actions, texts; always the same object."""
        return self.action_spaces[agent]

    # ---- PettingZoo ------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start an episode; the world's first words are said, and agent_0 is to speak.

        Args:
            seed: as in the world's `reset`.
            options: as in the world's `reset`. One called "options" is passed over: PettingZoo's own tests pass it.
        """
        passed = {name: value for name, value in (options or {}).items() if name != "options"}
        self._puppet.listen()
        observation, info = self.world.reset(seed=seed, options=passed)
        self._text, self._info = observation, info
        self._pending: str | ToolCall | None = None
        self._scene, self._draft = Scene(self.world.card(self.world.state)), _NOTHING
        self._lines: tuple[tuple[str, str], ...] = ((USER, observation),)
        self.agents = list(self.possible_agents)
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self.agent_selection = self._speaker = AGENT
        self._tell()

    def step(self, action: Action) -> None:
        """Let the selected agent act.

        Args:
            action: of agent_0, what the world takes: a text or a ToolCall. Of user_0, its words (see `puppet.said`). A
                mapping with one key, {"user_0": words}, names its speaker. None for an agent whose episode is over.

        Raises:
            SpeakerError: it is the other's turn: by the mapping, by the action's type, or because `agent_selection` was
                changed from outside.
            StepAfterEnd: no episode was started, or nobody is left to speak.
            TypeError: the action is none of these; None for an agent that is to speak.
            ValueError: not None for an agent whose episode is over.
        """
        if not self.agents:
            raise StepAfterEnd(OVER.format(self.metadata["name"]))
        agent = self.agent_selection
        if self.terminations.get(agent) or self.truncations.get(agent):
            self._was_dead_step(action)
            return
        spoken = self._own(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if agent == USER:
            self._answered(said(spoken, self._draft))
        else:
            self._acted(spoken)
        self._accumulate_rewards()

    def _own(self, action: Action) -> Any:
        """Return the action, having checked that it is the speaker's own."""
        if self.agent_selection != self._speaker:
            raise self._out_of_turn(self.agent_selection)
        spoken: Any = action
        if isinstance(action, Mapping):
            if len(action) != 1 or not self.action_spaces.keys() & action.keys():
                raise TypeError(f"an action that names its speaker is {{{USER!r}: words}}, not {action!r:.80}")
            ((speaker, spoken),) = action.items()
            if speaker != self._speaker:
                raise self._out_of_turn(speaker)
        if isinstance(spoken, Said if self._speaker == AGENT else ToolCall):
            raise self._out_of_turn(USER if self._speaker == AGENT else AGENT)
        if not isinstance(spoken, str | Said | ToolCall):
            raise TypeError(f"{self._speaker} is to speak: an action is a text, not {spoken!r:.80}")
        return spoken

    def _out_of_turn(self, speaker: str) -> SpeakerError:
        where = f"{self.metadata['name']}, turn {self._info['turn']}"
        return SpeakerError(f"{where}: it is {self._speaker}'s turn to speak, not {speaker}'s")

    def _acted(self, action: str | ToolCall) -> None:
        """Do what agent_0 does, at once where nobody has to answer it."""
        self._puppet.listen()
        moment = self._info
        self.world.apply(self.world.state, action, TurnRng(moment["seed"], moment["branch"], moment["turn"]))
        asked = self._puppet.asked
        if asked is None:
            self._step(action)
            return
        self._scene, self._draft = asked
        self._pending = action
        self.agent_selection = self._speaker = USER
        self._tell()

    def _answered(self, words: Said) -> None:
        """Let the world take its step, with the user's words in it."""
        self._puppet.listen(words)
        action, self._pending = self._pending, None
        self._step(action)

    def _step(self, action: Any) -> None:
        text, reward, over, cut, info = self.world.step(action)
        messages = info["messages"]
        self._lines += ((AGENT, _shown(messages[0])), (USER if self._puppet.asked else "tool", text))
        if self._puppet.asked:
            scene = self._puppet.asked[0]
            self._scene = Scene(self.world.card(self.world.state), (*scene.messages, ("user", text)))
        self._text, self._info, self._draft = text, info, _NOTHING
        self._puppet.listen()
        self.rewards = {AGENT: float(reward), USER: float(self._gain(info, reward))}
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, cut)
        self.agent_selection = self._speaker = AGENT
        self._tell()

    def _tell(self) -> None:
        """Make the infos of this moment anew: the world's record for agent_0, and for user_0 what its card may see."""
        draft, talk = self._draft, [{"role": role, "content": text} for role, text in self._scene.messages]
        mine = {
            "turn": self._info["turn"], "act": draft.act, "facts": list(draft.facts), "choices": list(draft.choices),
            "messages": talk,
        }  # fmt: skip
        self.infos = {AGENT: copy_json(self._info), USER: mine}

    def observe(self, agent: str) -> dict[str, str]:
        """Return what an agent can read now; every value is a text.

        agent_0: `text`, the world's last observation. user_0: its `card`, what it `heard` last, and, when it is to
        speak, the `draft` of its answer and the `choices` of other acts, parted by blanks.
        """
        if agent == AGENT:
            return {"text": self._text}
        if agent != USER:
            raise KeyError(unknown("agent", agent, self.possible_agents))
        heard = next((text for role, text in reversed(self._scene.messages) if role == "assistant"), "")
        seen = {"card": self._scene.card, "heard": heard, "draft": self._draft.text}
        return {name: text[:MOST] for name, text in seen.items()} | {"choices": " ".join(self._draft.choices)}

    @property
    def asked(self) -> tuple[Scene, Draft]:
        """What user_0 is asked for, as a `UserSimulator` takes it: `env.step(user.speak(*raw.asked, rng))`.

        Raises:
            SpeakerError: it is not user_0's turn.
        """
        if self.agents and self._speaker == USER:
            return self._scene, self._draft
        raise SpeakerError(f"{self.metadata['name']}: user_0 is not asked for anything now")

    def render(self) -> str | None:
        """Return the talk so far as text, or write it to standard output in the mode "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"{self.metadata['name']} was made without a render mode: nothing is rendered")
            return None
        text = "\n".join(f"{who}: {line}" for who, line in self._lines)
        text = "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def close(self) -> None:
        """Close the world."""
        self.world.close()

    # ---- moments ---------------------------------------------------------------------------------------------------

    def fork(self, n: int = 1) -> list[DialogueEnv]:
        """Return `n` independent copies at this moment, whoever's turn it is."""
        copies = []
        for world in self.world.fork(n):
            fresh = object.__new__(DialogueEnv)
            fresh.__dict__.update(self.__dict__)
            fresh.world, fresh._puppet = world, Puppet()
            world.user = fresh._puppet
            fresh._make_spaces()
            fresh.agents = list(self.agents)
            for name in ("rewards", "_cumulative_rewards", "terminations", "truncations"):
                setattr(fresh, name, dict(getattr(self, name)))
            fresh.infos = copy_json(self.infos)
            copies.append(fresh)
        return copies


def _shown(message: Mapping[str, Any]) -> str:
    """Return a message of agent_0 as a spectator reads it."""
    calls = [call["function"] for call in message.get("tool_calls", ())]
    return str(message["content"]) + "".join(f"{call['name']}{call['arguments']}" for call in calls)
