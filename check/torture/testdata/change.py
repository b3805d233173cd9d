"""Changes frames without the lock, as told on stdin, one JSON list per line: ["keep", PATH] opens a frame and keeps it open, ["do", PATH, WHAT] changes one, by the
handle that was kept if there is one. Answers {}, or {"error": what went wrong}.
"""

import json
import sys

import blosc2
import numpy as np

blosc2.set_nthreads(1)
kept = {}


def items(n):
    return np.random.default_rng(n).integers(0, 1 << 62, 512)


CHANGES = {
    "append": lambda f: f.append_data(items(100)),
    "insert": lambda f: f.insert_data(1, items(200), False),
    "replace": lambda f: f.update_data(1, items(300), False),
    "delete": lambda f: f.delete_chunk(0),
    "value": lambda f: f.vlmeta.__setitem__("v", "other"),
    "layer": lambda f: f.meta.__setitem__("m", b"54321"),
}


def obey(verb, path, what=None):
    if verb == "keep":
        kept[path] = blosc2.open(path, mode="a")
    else:
        CHANGES[what](kept.pop(path, None) or blosc2.open(path, mode="a"))
    return {}


for line in sys.stdin:
    try:
        print(json.dumps(obey(*json.loads(line))), flush=True)
    except Exception as e:
        print(json.dumps({"error": f"{type(e).__name__}: {e}"}), flush=True)
