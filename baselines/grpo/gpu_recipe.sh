#!/usr/bin/env bash
# One model of more than 100 million parameters, made from a configuration, warm-started on expert episodes and trained with four
# estimators on BabyAI, within nine minutes on one GPU, without a network. From a checkout:
#
#   baselines/grpo/gpu_recipe.sh WHEELS=path/to/wheels OUT=runs/gpu
#
# Settings, as arguments or in the environment:
#   TOTAL_SECONDS  of everything, from the first line on (510; toy: 150)
#   SIZE           100m (a GPU) or toy (the CPU); TOY=1 is SIZE=toy
#   OUT            folder of the results (runs/gpu or runs/toy)
#   WHEELS         folder of wheels for what the Python lacks of gymnasium, minigrid and their needs
#   PYTHON         the Python that has torch and transformers (python3)
#   CONFIG         fields of the training configuration that differ, such as "lr=1e-4 rollouts=64"
set -euo pipefail

for word in "$@"; do
  case "$word" in
    TOTAL_SECONDS=* | SIZE=* | TOY=* | OUT=* | WHEELS=* | PYTHON=* | CONFIG=*) declare "$word" ;;
    *) echo "gpu_recipe: what is '$word'? Settings are TOTAL_SECONDS, SIZE, TOY, OUT, WHEELS, PYTHON, CONFIG, each NAME=VALUE" >&2; exit 1 ;;
  esac
done
[ "${TOY:-0}" = 1 ] && SIZE=toy
SIZE=${SIZE:-100m}
case "$SIZE" in
  100m) TOTAL_SECONDS=${TOTAL_SECONDS:-510} OUT=${OUT:-runs/gpu} ;;
  toy) TOTAL_SECONDS=${TOTAL_SECONDS:-150} OUT=${OUT:-runs/toy} ;;
  *) echo "gpu_recipe: SIZE is 100m or toy, not '$SIZE'" >&2; exit 1 ;;
esac
case "$TOTAL_SECONDS" in '' | *[!0-9]*) echo "gpu_recipe: TOTAL_SECONDS is a whole number, not '$TOTAL_SECONDS'" >&2; exit 1 ;; esac
PYTHON=${PYTHON:-python3} WHEELS=${WHEELS:-} CONFIG=${CONFIG:-}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

command -v "$PYTHON" >/dev/null || { echo "missing: no $PYTHON: PYTHON=path/to/python3.12" >&2; exit 2; }
if [ -n "$WHEELS" ] && [ ! -d "$WHEELS" ]; then echo "missing: WHEELS=$WHEELS is no folder" >&2; exit 2; fi
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "missing: $PYTHON is $("$PYTHON" -V), 3.11 to 3.13 is needed: PYTHON=path/to/python3.12" >&2; exit 2; }
wanted=$("$PYTHON" -P "$root/baselines/grpo/recipe_check.py" "$SIZE" "$WHEELS")

mkdir -p "$OUT"
site=
if [ -n "$wanted" ]; then
  site=$(mktemp -d)
  trap 'rm -rf "$site"' EXIT
  # --target looks at nothing that is installed already, hence --no-deps and the names that are missing
  # shellcheck disable=SC2086
  PIP_ROOT_USER_ACTION=ignore "$PYTHON" -m pip install -q --disable-pip-version-check --no-index --no-deps --no-compile --find-links "$WHEELS" --target "$site" $wanted
fi
export PYTHONPATH="${site:+$site:}$root${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 TOKENIZERS_PARALLELISM=false PYGAME_HIDE_SUPPORT_PROMPT=1
left=$((TOTAL_SECONDS - SECONDS))
# in the background, so that a signal reaches it at once and what it has is written
# shellcheck disable=SC2086
"$PYTHON" -m agentgym.baselines.grpo.recipe --size "$SIZE" --seconds "$left" --out "$OUT" -- $CONFIG &
child=$!
trap 'kill -TERM "$child" 2>/dev/null || true' TERM INT
status=0
wait "$child" || status=$?
while kill -0 "$child" 2>/dev/null; do status=0; wait "$child" || status=$?; done
exit "$status"
