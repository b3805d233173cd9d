"""Plans of rechunker and Cubed: reads JSON lines from standard input, and writes a line for each.

A plan is a list of copies. Each reads boxes of a shape from a store with chunks of another shape,
and writes them to a store with chunks of a third shape.
"""

import json
import sys
import warnings

import cubed
import numpy as np
from cubed.core.ops import _rechunk_plan
from rechunker.algorithm import rechunking_plan

warnings.simplefilter("ignore")


def rechunker(q):
    """The copies that rechunker.rechunk makes: at most two."""
    read, between, write = rechunking_plan(
        q["shape"], q["from"], q["to"], q["itemsize"], q["memory"], True, True)
    if read == write or read == between:
        return [(write, q["to"])]
    return [(read, between), (write, q["to"])]


def of_cubed(q):
    """The copies that cubed.rechunk makes, whose workers may have the memory."""
    spec = cubed.Spec(allowed_mem=q["memory"], reserved_mem=0)
    x = cubed.zeros(tuple(q["shape"]), chunks=tuple(q["from"]), dtype=np.dtype(f"V{q['itemsize']}")
                    if q["itemsize"] not in (1, 2, 4, 8) else f"u{q['itemsize']}", spec=spec)
    return list(_rechunk_plan(x, tuple(q["to"])))


def attempt(plan, q):
    try:
        return {"copies": [[[int(n) for n in shape] for shape in copy] for copy in plan(q)]}
    except Exception as err:
        return {"error": str(err).split("\n")[0]}


for line in sys.stdin:
    q = json.loads(line)
    print(json.dumps({"rechunker": attempt(rechunker, q), "cubed": attempt(of_cubed, q)}), flush=True)
