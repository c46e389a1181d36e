"""Truth by the tree: forward enumeration of (task, state, turn) nodes level by level, then backward induction.

Exact where the world is deterministic. Elsewhere every action of every node is drawn `chance` times, independently at
each (state, action, turn), so that each value is an unbiased estimate; the draws also fall into parts, each with an
estimate of its own, whose spread gives the standard errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agentgym.fidelity.graph import DRAWN, ENDED, Draws, Floats, Graph, Ints
from agentgym.fidelity.menu_policy import MenuProbabilities
from agentgym.fidelity.record import MOST_PARTS, Answer, Question, TooManyNodes, ceiling_of, flat

# A node is episode << 32 | state; the episode (an own order of the menus) is 0 where it does not matter.
_EPISODE = 32
_STATE = (1 << _EPISODE) - 1


@dataclass
class _Level:
    """Nodes of one turn, sorted, and the actions whose values are needed: owner node, edge, probability."""

    nodes: Ints
    owner: Ints
    edge: Ints
    probability: Floats
    rows: Ints
    row_owner: Ints
    row_edge: Ints


@dataclass
class _Places:
    """Where the rows of a batch stand: state number, taken edge and episode code, one a row."""

    state: Ints
    edge: Ints
    episode: Ints
    seeds: list[int]


def solve(question: Question, graph: Graph, chance: int, max_nodes: int) -> Answer:
    """Return the truth of a markov menu policy.

    Raises:
        TooManyNodes: more than `max_nodes` nodes.
        FidelityError: the policy gives no menu_logprobs, or replay does not lead to the recorded states.
    """
    places = _replay(question, graph)
    policy = MenuProbabilities(question.policy, graph, places.seeds)
    tree = _Tree(question, graph, places, policy, chance)
    levels = list(tree.enumerate(max_nodes))
    return tree.induce(levels)


def _replay(question: Question, graph: Graph) -> _Places:
    batch = question.batch
    tasks, seeds, branches, turns = (batch[name].tolist() for name in ("task", "seed", "branch", "turn"))
    states, actions = batch["state"].tolist(), batch["action"].tolist()
    state, edge = np.empty(len(batch), np.int64), np.empty(len(batch), np.int64)
    openings: dict[tuple[str, int], int] = {}
    ends = batch.starts + batch.lengths
    for start, end in zip(batch.starts.tolist(), ends.tolist(), strict=True):
        number = ENDED
        for row in batch.order[start:end].tolist():
            if turns[row] == 0:
                place = (tasks[row], seeds[row])
                if place not in openings:
                    openings[place] = graph.opening(*place)
                number = openings[place]
            if number == ENDED or graph.keys[number] != states[row]:
                raise question.strayed(row)
            graph.open(np.array([number]))
            if turns[row] >= graph.limits(np.array([number]))[0]:
                raise question.strayed(row)
            state[row] = number
            edge[row] = graph.edge(number, actions[row])
            number = graph.follow(int(edge[row]), seeds[row], branches[row], turns[row])
    episodes = sorted(set(seeds))
    codes = {seed: code for code, seed in enumerate(episodes)}
    return _Places(state, edge, np.array([codes[seed] for seed in seeds], np.int64), episodes)


class _Tree:
    def __init__(
        self, question: Question, graph: Graph, places: _Places, policy: MenuProbabilities, chance: int
    ) -> None:
        self.question, self.graph, self.policy = question, graph, policy
        self.chance = chance
        self.parts = 0  # of the draws; stays 0 where no action has any
        self.nodes = 0
        episode = np.zeros_like(places.episode) if policy.stationary else places.episode
        self.row_node = episode << _EPISODE | places.state
        self.row_edge = places.edge

    # ---- forward ---------------------------------------------------------------------------------------------------

    def enumerate(self, max_nodes: int) -> Iterator[_Level]:
        """Yield the levels, turn 0 first."""
        row_turn = self.question.batch.turn
        reached = np.empty(0, np.int64)
        most = self._most(self.row_node)
        turn = 0
        while turn < most:
            rows = np.flatnonzero(row_turn == turn)
            nodes = np.unique(np.concatenate([reached, self.row_node[rows]]))
            self.nodes += len(nodes)
            if self.nodes > max_nodes:
                raise TooManyNodes(
                    f"the tree has more than max_nodes={max_nodes:,} nodes (passed at turn {turn} of {most}): "
                    "raise max_nodes, lower the world's max_turns, take fewer tasks, or use method='forks'"
                )
            level = self._level(nodes, rows, turn)
            reached = self._reached(level, turn)
            most = max(most, self._most(reached))  # other states than those of the rows may leave more time
            if self.question.progress is not None:
                self.question.progress(turn + 1, most)
            yield level
            turn += 1

    def _most(self, nodes: Ints) -> int:
        """Return the largest turn limit of these nodes."""
        return int(self.graph.limits(nodes & _STATE).max(initial=0))

    def _level(self, nodes: Ints, rows: Ints, turn: int) -> _Level:
        probability, edge, counts = self.policy(nodes >> _EPISODE, nodes & _STATE, turn)
        owner = np.repeat(np.arange(len(nodes)), counts)
        taken = probability > 0.0
        row_owner = np.searchsorted(nodes, self.row_node[rows])
        level = _Level(nodes, owner[taken], edge[taken], probability[taken], rows, row_owner, self.row_edge[rows])
        self.graph.look(np.concatenate([level.edge, level.row_edge]), turn)
        return level

    def _reached(self, level: _Level, turn: int) -> Ints:
        """Return the nodes of the next level: the states reached in which there is a turn left."""
        found = [np.empty(0, np.int64)]
        for owner, edge in ((level.owner, level.edge), (level.row_owner, level.row_edge)):
            child = self.graph.child(edge)
            episode = level.nodes[owner] >> _EPISODE << _EPISODE
            found.append((episode | child)[child >= 0])
            for index, drawn in self._drawn(edge, turn):
                if len(drawn.child) > 1:
                    self.parts = min(MOST_PARTS, self.chance)
                found.append(episode[index] | drawn.child[drawn.child >= 0])
        nodes = np.unique(np.concatenate(found))
        return nodes[self.graph.limits(nodes & _STATE) > turn + 1]

    def _drawn(self, edges: Ints, turn: int) -> Iterator[tuple[int, Draws]]:
        for index in np.flatnonzero(self.graph.child(edges) == DRAWN).tolist():
            yield index, self.graph.draws(int(edges[index]), turn, self.chance, self.question.seed)

    # ---- backward --------------------------------------------------------------------------------------------------

    def induce(self, levels: list[_Level]) -> Answer:
        """Return the answer; column 0 of all values takes every draw, the others one part of them each."""
        rows = len(self.row_node)
        value, q = np.zeros((rows, 1 + self.parts)), np.zeros((rows, 1 + self.parts))
        later, later_nodes = np.zeros((0, 1 + self.parts)), np.empty(0, np.int64)
        for turn in range(len(levels) - 1, -1, -1):
            level = levels[turn]
            worth = self._worth(level, level.owner, level.edge, turn, later, later_nodes)
            worth *= level.probability[:, None]
            now = np.zeros((len(level.nodes), worth.shape[1]))
            for column in range(worth.shape[1]):
                now[:, column] = np.bincount(level.owner, worth[:, column], minlength=len(now))
            value[level.rows] = now[level.row_owner]
            q[level.rows] = self._worth(level, level.row_owner, level.row_edge, turn, later, later_nodes)
            later, later_nodes = now, level.nodes
        return self._answer(value, q)

    def _worth(self, level: _Level, owner: Ints, edge: Ints, turn: int, later: Floats, later_nodes: Ints) -> Floats:
        """Return (edges, columns): what each action is worth at this turn."""
        episode = level.nodes[owner] >> _EPISODE
        child = self.graph.child(edge)
        paid: Floats = self.graph.paid(edge).sum(axis=0)
        worth: Floats = paid[:, None] + self._after(episode, child, turn, later, later_nodes)
        for index, draws in self._stacked(edge, turn):
            children, rewards = draws.child.ravel(), (draws.reward + draws.outcome).ravel()
            episodes = np.repeat(episode[index], draws.child.shape[1])
            each = rewards[:, None] + self._after(episodes, children, turn, later, later_nodes)
            worth[index] = self._mean(each.reshape(*draws.child.shape, -1))
        return worth

    def _stacked(self, edge: Ints, turn: int) -> Iterator[tuple[Ints, Draws]]:
        """Yield (where, draws as arrays of shape [edges, draws]) of the drawn edges, those of one draw apart."""
        drawn = list(self._drawn(edge, turn))
        for many in (False, True):
            chosen = [(index, draws) for index, draws in drawn if (len(draws.child) > 1) == many]
            if chosen:
                fields = ("child", "reward", "outcome")
                stacks = [np.stack([getattr(draws, field) for _, draws in chosen]) for field in fields]
                yield np.array([index for index, _ in chosen]), Draws(*stacks)

    def _mean(self, each: Floats) -> Floats:
        """Return [edges, columns] of [edges, draws, columns]: means; draw k belongs to part k modulo their number."""
        size = each.shape[1] // self.parts if each.shape[1] > 1 else 0
        mean: Floats = each.mean(axis=1)
        if size:
            part = np.arange(self.parts)
            split = each[:, : size * self.parts].reshape(len(each), size, self.parts, -1)
            mean[:, 1:] = split[:, :, part, 1 + part].mean(axis=1)
        return mean

    def _after(self, episode: Ints, child: Ints, turn: int, later: Floats, later_nodes: Ints) -> Floats:
        """Return (edges, columns): what follows a turn that leads to `child`; 0 where it ends the episode."""
        after = np.zeros((len(child), 1 + self.parts))
        there = np.flatnonzero(child >= 0)
        over = self.graph.limits(child[there]) <= turn + 1
        late, live = there[over], there[~over]
        after[late] = self.graph.timeouts(child[late])[:, None]  # paid with this very turn: not discounted
        if len(live):
            index = np.searchsorted(later_nodes, episode[live] << _EPISODE | child[live])
            after[live] = self.question.gamma * later[index]
        return after

    def _answer(self, value: Floats, q: Floats) -> Answer:
        advantage = q - value
        states = f"{len(self.graph):,} states"
        if not self.parts:
            ceiling = 0.0 if flat(advantage[:, 0]) else 1.0
            return Answer(value[:, 0], q[:, 0], np.zeros(len(value)), ceiling, self.nodes, f"exact; {states}")
        parts = advantage[:, 1:]
        stderr = parts.std(axis=1, ddof=1) / np.sqrt(self.parts)
        ceiling = ceiling_of(parts[:, ::2].mean(axis=1), parts[:, 1::2].mean(axis=1), advantage[:, 0])
        note = f"{self.chance} draws a noisy action and turn; {states}"
        return Answer(value[:, 0], q[:, 0], stderr, ceiling, self.nodes, note)
