"""How often a served Conductor writes a valid workflow, and how often its team is right.

    python3 valid_share.py test.jsonl http://127.0.0.1:8000/v1 conductor-7b

Asks the model (anything that speaks chat completions: vLLM, SGLang, llama-server) every prompt of a file of
`tutti rl export`, has each reply performed by `tutti rl serve` (TUTTI_RL_URL), and prints shares with their 95 %
intervals. Run it for the full weights and for the quantised ones: if the intervals of the valid share part, the
quantisation has cost the model its format. Standard library only.
"""

import json
import math
import os
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from conductor_reward import compute_score

AT_ONCE = 16
MAX_NEW_TOKENS = 1024


def write_plan(base_url, model, messages):
    body = {"model": model, "messages": messages, "temperature": 0, "max_tokens": MAX_NEW_TOKENS}
    headers = {"content-type": "application/json"}
    if os.environ.get("OPENAI_API_KEY"):
        headers["authorization"] = "Bearer " + os.environ["OPENAI_API_KEY"]
    address = base_url.rstrip("/") + "/chat/completions"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=600) as response:
        return json.load(response)["choices"][0]["message"]["content"] or ""


def interval(hits, count):
    """Wilson's: right for shares near 0 and 1 too."""
    z, share = 1.96, hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def main(file, base_url, model):
    with open(file, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        plans = pool.map(lambda row: write_plan(base_url, model, row["prompt"]), rows)
        scores = list(pool.map(lambda pair: compute_score("", pair[0], pair[1]["label"]), zip(plans, rows)))
    kept = [score for score in scores if not score["failed"]]
    if not kept:
        sys.exit("no reply got a true reward: see what the server logs")
    for name in ("valid", "right"):
        hits = sum(score[name] for score in kept)
        low, high = interval(hits, len(kept))
        print(f"{name} {100 * hits / len(kept):.1f} % ({100 * low:.1f} – {100 * high:.1f}) of {len(kept)}")
    if len(kept) < len(scores):
        print(f"{len(scores) - len(kept)} without a true reward, not counted")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python3 valid_share.py test.jsonl BASE_URL MODEL")
    main(*sys.argv[1:])
