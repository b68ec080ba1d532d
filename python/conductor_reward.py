"""Rewards of a Tutti environment for verl and TRL. One file, standard library only.

Start the environment first (`tutti rl serve`), and name it where it is not on this machine:

    export TUTTI_RL_URL=http://10.0.0.5:7879

verl:  reward.custom_reward_function.path=.../conductor_reward.py   (compute_score)
TRL:   trl grpo --reward_funcs conductor_reward.conductor_reward    (with this folder on PYTHONPATH)

A reward is 0.0 for what is no workflow, 0.5 for one whose answer is wrong, 1.0 for a right one. Where there is
none (workers down, money spent), the server's number for failures is returned and a line goes to standard error.
Only a server that cannot be reached raises: a training on made-up rewards would be worse than none.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

DEFAULT_URL = "http://127.0.0.1:7879"
TRIES = 5


def compute_score(data_source, solution_str, ground_truth, extra_info=None, url=None, **_):
    """For verl: every answer has the same keys, and all of them are floats."""
    result = _ask([_to_item(solution_str, ground_truth)], url)[0]
    return {
        "score": float(result["reward"]),
        "valid": float(result["valid"]),
        "right": float(result["right"]),
        "failed": float(result["failure"] is not None),
        "calls": float(result["calls"]),
        "cost_usd": float(result["cost_usd"]),
    }


def conductor_reward(prompts=None, completions=(), label=None, **_):
    """For TRL: one float for each completion; the column `label` of the dataset comes by its name."""
    labels = [None] * len(completions) if label is None else label
    items = [_to_item(completion, own) for completion, own in zip(completions, labels)]
    return [float(result["reward"]) for result in _ask(items, None)]


def _to_item(completion, label):
    return {"completion": _to_text(completion), "label": label}


def _to_text(completion):
    """A text, or the messages that a conversational dataset gives."""
    if isinstance(completion, str):
        return completion
    return "".join(message.get("content") or "" for message in completion)


def _ask(items, url):
    if not items:
        return []
    address = (url or os.environ.get("TUTTI_RL_URL") or DEFAULT_URL).rstrip("/") + "/rl/score"
    timeout = float(os.environ.get("TUTTI_RL_TIMEOUT_S") or 300)
    body = json.dumps({"items": items}).encode()
    # What was asked before is joined or kept at the server: asking again costs nothing.
    for attempt in range(TRIES):
        request = urllib.request.Request(address, body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                results = json.load(response)["results"]
            break
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise RuntimeError(f"{address}: {error.code} {error.read().decode(errors='replace')}") from None
            problem = error
        except (OSError, ValueError) as error:
            problem = error
        if attempt == TRIES - 1:
            raise RuntimeError(f"{address} gives no reward after {TRIES} tries: {problem}")
        time.sleep(min(2**attempt, 10))
    for result in results:
        if result["failure"] is not None:
            print(f"conductor_reward: no true reward ({result['failure']}): {result['why']}", file=sys.stderr)
    return results


if __name__ == "__main__":
    # python3 conductor_reward.py LABEL < completion.txt
    if len(sys.argv) != 2:
        sys.exit("usage: python3 conductor_reward.py LABEL < COMPLETION")
    print(json.dumps(compute_score("tutti", sys.stdin.read(), sys.argv[1])))
