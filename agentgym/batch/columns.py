"""The columns of a TurnBatch: every name, its kind, what it means, and how its values are read and checked.

Kinds and what a row gives (what the batch keeps stands behind the arrow; all of it is read-only):

=========== ============================================================ =======================================
id          any hashable: str, int, tuple … (None and nan are refused)   object array
int         an int below 2**63                                           int64 array
float       a finite float or int                                        float64 array
bool        True or False (0 and 1 are read as such)                     bool array
str         a text                                                       object array of str
strs        a list of texts                                              object array of tuples of str
dict        a dict of finite floats                                      `FloatMaps`
ints        a list of ints, of any length (one a token)                  `Ragged` of int64
floats      a list of finite floats, of any length                       `Ragged` of float64
bools       a list of booleans, of any length                            `Ragged` of bool
matrix      a list of equally long lists of finite floats                `Ragged` of float64 with shapes
=========== ============================================================ =======================================
"""

from __future__ import annotations

from dataclasses import dataclass

REQUIRED = ("group", "trajectory", "turn")
STATES = (
    "state",
    "next_state",
    "anchor",
)  # share one vocabulary of codes: a next_state can be looked up among the anchors
TOKENS = (
    "token_ids",
    "token_logprobs",
    "teacher_logprobs",
    "token_mask",
)  # one entry a token of the turn: equal lengths
VALUES = (
    "value",
    "bootstrap_value",
    "value_low",
    "value_high",
    "value_term",
)  # what is still to be earned: they hold for the rewards that they were estimated with
BLANK = {"tag": "", "channel": "", "subgoal": "", "plan": ()}
"""Columns in which a turn that has none is written down as such; what stands there then."""
CHANCE = (
    *("step_score", "critique", "switch", "tool_result", "safe"),
    *("logprob", "menu_logprobs", "token_ids", "token_logprobs"),
)
"""Columns that worlds and policies give or leave out turn by turn, and that have no value for "none"."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column a record may hold: its name, its kind (module docstring) and its meaning in one line."""

    name: str
    kind: str
    about: str


_TABLE = """
group id | rollouts that started alike and are compared with each other; required
trajectory id | the rollout inside its group (the same id in another group is another rollout); required
turn int | 0, 1, 2 … without gaps inside a rollout; required
task id | id of the task played
seed int | seed of the episode
branch int | branch of the draws: 0 as played, others in continuations
prefix id | id of the snapshot that the turn was sampled from
state id | hash of the state before acting
next_state id | hash of the state after the turn
anchor id | hash of what the agent can tell apart before acting; step groups compare it
turn_reward float | the named rewards of the turn under the world's own weights
outcome_reward float | reward of the whole rollout, 0 except on its last turn
components dict | the named rewards of the turn, raw
success bool | did the rollout succeed; the same on all of its turns
terminated bool | over by the world's rules, on the last turn only
truncated bool | cut by a limit, on the last turn only
end_reason str | why the rollout ended, "" while running
valid bool | was the action valid
kind str | kind of the turn, such as "plan"
tag str | class of the turn, for reward calibration
tool_result bool | did the environment answer this turn's action with a tool result
potential float | potential of the state before acting
next_potential float | potential of the state after the turn
step_score float | score of the turn's result in [0, 1]
critique float | -1, 0 or +1
channel str | channel that the critique speaks about
switch bool | does a new subgoal begin with this turn
subgoal str | subgoal pursued
value_low float | value of the state for the action level
value_high float | value of the state for the subgoal level
value_term float | value of ending the subgoal
value float | value of the state before acting
bootstrap_value float | value after the last turn of a truncated rollout (not read on other turns)
observation str | what the agent read before acting
action str | what the agent wrote
logprob float | mean log-probability of the turn's tokens under the policy
tokens int | number of tokens generated in the turn, at least 0
hindsight_logprob float | mean log-probability of the same tokens under the hindsight prompt
hindsight_table floats | h_k: probability of the action given the state k turns later, k = 1, 2 …
menu strs | the actions that were on offer
menu_logprobs floats | log-probability of each entry of the menu
menu_hindsight_logprobs matrix | samples × menu: log-probability under each hindsight prompt
plan strs | the plan written in this turn, [] on others
gold_plan strs | the plan that it is compared with, [] on others
plan_similarity matrix | predicted × gold: cosine similarity of plan steps, [] on turns without a plan
revision_ok bools | for every sibling reference: did the revised rollout succeed
revision str | the revised text of the turn
rubric_scores floats | score of the response under each rubric
rubric_relevance matrix | rubrics × tokens: how much each token matters for each rubric
log_safe float | log-probability that the turn is safe
safe bool | did the turn keep the rules; a label of the whole rollout stands on every turn
cost float | true cost of the turn, where it is known
entropy float | mean entropy of the policy over the turn's tokens
milestone id | milestone that the turn belongs to
ref_logprob float | mean log-probability of the turn's tokens under the reference model
masked_logprob float | the same under the policy with the last observation masked
token_ids ints | ids of the tokens generated in the turn
token_logprobs floats | their log-probabilities under the policy
teacher_logprobs floats | their log-probabilities under the teacher
token_mask bools | which of them count
revision_token_ids ints | token ids of the revision
"""

COLLECTED = "give it in every row, add it with batch.with_columns, or have collect ask for it (signals=, estimators=)"
ORIGINS = {
    "turn_reward": (
        "give it in every row ('rewards' in chat logs), add it with batch.with_columns, or, where outcomes are all "
        'that is known, estimate with rewards="outcome", which most estimators know'
    ),
    "outcome_reward": "give it in every row ('outcome' in chat logs), or add it with batch.with_columns",
    "value": (
        "play with collect(branching=Vine()) of agentgym.branching, which fills it from fresh continuations, or "
        "evaluate a value function on the states of the record, and add the result with batch.with_columns"
    ),
    "bootstrap_value": (
        "collect cannot record it: evaluate a value function on the states after the last turns, and add the result "
        "with batch.with_columns"
    ),
    "hindsight_logprob": (
        "collect cannot record it: play as agentgym.baselines.hindsight.HindsightPolicy(policy) and use its "
        "with_hindsight(batch) for menu policies; with a language model score each action again under a prompt that "
        "tells how the rollout ended, and add the result with batch.with_columns"
    ),
    "log_safe": (
        "collect cannot record it: agentgym.baselines.learned.safety.SafetyEstimator learns it from the column safe "
        '(learn, then with_log_safe), or give it in every row; where true costs are known, costs="true" reads cost'
    ),
    "rubric_relevance": (
        "collect records it where the world speaks of rubrics; agentgym.baselines.learned.relevance.RelevanceModel "
        "learns from labels which turns a rubric is about (learn, then with_relevance), or give it in every row"
    ),
    "teacher_logprobs": (
        "collect cannot record it: agentgym.baselines.learned.teacher.with_teacher scores the tokens of the trainer's "
        "rollouts under another model, or give it in every row"
    ),
    "menu_hindsight_logprobs": (
        "collect cannot record it: play as agentgym.baselines.hindsight.HindsightPolicy(policy) and use its "
        "with_hindsight(batch) for menu policies; with a language model "
        "agentgym.baselines.grpo.reflection.with_reflection scores the menu with and without feedback"
    ),
    "hindsight_table": "count it: batch.with_columns(hindsight_table=agentgym.credit.hindsight_table(batch))",
    "revision_ok": (
        "collect cannot record it: agentgym.baselines.revision.with_revisions(batch, policy) plays the failed rollouts "
        "again with each successful sibling as a reference"
    ),
}
"""How to come by a missing column: the rule, and the columns for which it would be no help."""


def _read(line: str) -> Column:
    head, about = line.split(" | ", 1)
    name, kind = head.split()
    return Column(name, kind, about)


COLUMNS: dict[str, Column] = {column.name: column for column in map(_read, _TABLE.strip().split("\n"))}
