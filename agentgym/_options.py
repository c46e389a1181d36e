"""What the command line takes: every command with its arguments."""

from __future__ import annotations

import argparse
from typing import Any

from agentgym.data import SETS

ABOUT = (
    "Command line: `agentgym list | play | check | new | bench | credit | train | rollout | replay | data | canary`."
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; `command` is the one chosen, None where none is."""
    made = argparse.ArgumentParser(prog="agentgym", description=ABOUT)
    made.add_argument("--traceback", action="store_true", help="show where an error was raised")
    commands = made.add_subparsers(dest="command")

    worlds = commands.add_parser("list", help="worlds, their panels, sizes, hashes, success of random choice")
    worlds.add_argument("--env", help="one world only")
    worlds.add_argument(
        "--quality", action="store_true", help="measure what the worlds promise of their tasks instead, for minutes"
    )

    play = commands.add_parser("play", help="play an episode yourself, or watch a policy")
    play.add_argument("env", help="world id, such as agentgym/BabyAI-v0")
    play.add_argument("--policy", choices=("expert", "random"), help="watch this policy instead of playing")
    play.add_argument("--task", help="task id; drawn by the seed where it is not given")
    play.add_argument("--seed", type=int, default=0)
    play.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="constructor argument of the world"
    )

    check = commands.add_parser("check", help="check that a world keeps the contract")
    check.add_argument("env", help="world id, such as module:me/World-v0")
    check.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="constructor argument")
    check.add_argument("--rule", action="append", default=[], metavar="NAME", help="this rule alone; repeatable")
    check.add_argument("--tasks", default="200", metavar="N|all", help="tasks looked at, spread over all splits (200)")
    check.add_argument("--panels", action="store_true", help="check every panel that the world offers")
    check.add_argument("--seed", type=int, default=0)
    check.add_argument("--action", action="append", default=[], metavar="TEXT", help="a valid action; repeatable")
    check.add_argument("--json", metavar="FILE", help="write the reports there, one line of JSON each")

    new = commands.add_parser(
        "new", help="begin a world of your own: a folder with a small one that keeps the contract"
    )
    new.add_argument("name", help="name of the package, such as my_world")
    new.add_argument("--tools", action="store_true", help="the agent calls tools instead of writing plain text")

    bench = commands.add_parser("bench", help="judge estimators by the true advantages and by what a policy learns")
    bench.add_argument("--budget", help="quick (minutes, the default) or standard (fidelity an hour, learning hours)")
    bench.add_argument("--envs", action="append", default=[], metavar="PANEL", help="panel or world id; repeatable")
    bench.add_argument(
        "--estimator", action="append", default=[], help="name, file.py:function, column:NAME or all, beside the others"
    )
    bench.add_argument("--only", action="store_true", help="run nothing but what --estimator names")
    bench.add_argument("--track", help="fidelity, learning or both (the default)")
    bench.add_argument("--seeds", type=int, help="learning runs of each estimator")
    bench.add_argument("--out", help="folder of the results; the first free runs/bench-N where not given")
    bench.add_argument("--resume", action="store_true", help="go on with the run in --out")
    bench.add_argument("--policy", help="what learns: menu (log-linear, the default) or lm (a language model)")
    bench.add_argument("--jobs", type=int, default=1, help="processes")
    _add_credit_command(commands)
    _add_train_command(commands)
    _add_log_commands(commands)
    _add_data_command(commands)
    _add_canary_command(commands)
    return made


def _add_credit_command(commands: Any) -> None:
    command = commands.add_parser("credit", help="credit the turns of recorded conversations and show one as a page")
    command.add_argument("log", help="file of rollouts: ours, or chat JSON of any program")
    command.add_argument("--estimator", action="append", default=[], help="name or file.py:function; repeatable")
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="[ESTIMATOR.]NAME=VALUE",
        help="option of an estimator, or of all",
    )
    command.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="NAME=ENTRY",
        help="where a rollout keeps messages, outcome, task …",
    )
    command.add_argument(
        "--tau", metavar="DATA", help="for runs of tau-bench or tau2: the set, or folder, of their data"
    )
    command.add_argument("--success-at", type=float, metavar="X", help="an outcome of X or more is a success")
    command.add_argument("--run", type=int, metavar="N", help="the run of a log of rollouts that holds several")
    command.add_argument("--rollout", type=int, metavar="N", help="the rollout shown, from 0, counted group by group")
    command.add_argument("--out", default="credit.html", metavar="FILE", help="page of the rollout (credit.html)")
    command.add_argument("--values", metavar="FILE", help="write the credit of every turn there, as JSON lines")


def _add_train_command(commands: Any) -> None:
    train = commands.add_parser("train", help="train a language model by GRPO with any estimator")
    train.add_argument("env", help="world id, such as agentgym/BabyAI-v0 or module:me/World-v0")
    train.add_argument("--estimator", default="grpo", help="name or file.py:function (grpo)")
    train.add_argument("--preset", default="cpu", help="cpu (a small model made for the world, the default) or gpu")
    train.add_argument("--out", required=True, metavar="DIR", help="folder of the run")
    train.add_argument("--resume", action="store_true", help="go on with the run in --out")
    train.add_argument("--tensorboard", action="store_true", help="write event files too (needs tensorboard)")
    train.add_argument("--seed", type=int, default=0)
    train.add_argument("--control", default="none", help="shuffled or zero advantages, which must not learn (none)")
    train.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="constructor argument")
    train.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the estimator")
    train.add_argument(
        "--config", action="append", default=[], metavar="NAME=VALUE", help="field of the training configuration"
    )


def _add_log_commands(commands: Any) -> None:
    rollout = commands.add_parser("rollout", help="play a policy and write its rollouts as chat JSON lines")
    rollout.add_argument("env", help="world id, such as agentgym/BabyAI-v0 or module:me/World-v0")
    rollout.add_argument("--policy", choices=("expert", "random", "noop"), default="expert")
    rollout.add_argument("--out", required=True, metavar="FILE", help="file of the rollouts, one line each")
    rollout.add_argument("--append", action="store_true", help="add to a file that exists already")
    rollout.add_argument("--tasks", type=int, metavar="N", help="the first N tasks of the split; all where not given")
    rollout.add_argument("--group-size", type=int, default=1, metavar="N", help="rollouts a task (1)")
    rollout.add_argument("--seed", type=int, default=0, help="of the first task; the next task has the next seed")
    rollout.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="constructor argument")

    replay = commands.add_parser("replay", help="play the rollouts of a file again; name the first differing byte")
    replay.add_argument("file", help="what agentgym rollout or collect(…, log=) wrote")


def _add_data_command(commands: Any) -> None:
    command = commands.add_parser("data", help="public data sets from folders of your own, and passages to search")
    deeds = command.add_subparsers(dest="deed", required=True, metavar="add|list|remove|index|serve")
    add = deeds.add_parser("add", help="check the files of a set and keep what plays under a name")
    add.add_argument("kind", help=", ".join(sorted(SETS)))
    add.add_argument("--from", dest="folder", required=True, metavar="DIR", help="folder of its files, only read")
    add.add_argument("--name", default="", metavar="ALIAS", help="what to call it; as the set where not given")
    deeds.add_parser("list", help="the sets that were added")
    remove = deeds.add_parser("remove", help="forget a set; its own files stay")
    remove.add_argument("name", help="what it was added as")
    index = deeds.add_parser("index", help="make passages ready to be searched; goes on where it was stopped")
    index.add_argument("name", nargs="?", default="", help="a set with passages, by what it was added as")
    index.add_argument("--from", dest="file", default="", metavar="FILE", help="or JSON lines of title and text")
    index.add_argument("--out", required=True, metavar="DIR", help="folder of the passages and their index")
    index.add_argument("--dense", default="", metavar="DIR", help="vectors too, by this sentence-transformers model")
    serve = deeds.add_parser("serve", help="answer Search-R1's /retrieve from indexed passages; Ctrl-C ends it")
    serve.add_argument("folder", help="what agentgym data index wrote")
    serve.add_argument("--host", default="127.0.0.1", help="what to listen on; 0.0.0.0 is all (default: %(default)s)")
    serve.add_argument("--port", type=int, default=8000, help="0 takes any that is free (default: %(default)s)")
    serve.add_argument("--retriever", default="bm25", help="bm25, dense or hybrid (default: %(default)s)")
    serve.add_argument(
        "--encoder", default="", metavar="MODULE:NAME", help="makes what embeds queries; or a model's folder"
    )
    serve.add_argument("--workers", type=int, default=1, metavar="N", help="processes that answer (default: 1)")


def _add_canary_command(commands: Any) -> None:
    command = commands.add_parser("canary", help="find out what a trainer drops; without arguments, what can be found")
    command.add_argument("records", nargs="*", metavar="FILE", help="rollouts that were trained on, as JSON lines")
    command.add_argument("--train", metavar="WHERE", help="or file.py:function, which trains in the world of an id")
    command.add_argument("--world", action="append", default=[], metavar="NAME", help="this one alone; repeatable")
    command.add_argument("--no-lessons", action="store_true", help="it trains too shortly to learn: judge the rest")
    command.add_argument("--json", metavar="FILE", help="write the report there too")
