"""Writes the golden files of this directory with the real C-Blosc2, and MANIFEST.json with the facts about them.

Run it with a Python that has blosc2 and numpy:

    python testdata/golden/generate.py

Those called early-… are early.py's, and stay as they are. Everything is seeded by the names of the cases and runs on one thread, so a second run with the same versions writes the same bytes.
"""

import json
import os
import platform
import shutil
import sys

import blosc2
import numpy as np

sys.dont_write_bytecode = True  # keep this directory free of caches

from recipe import arrays, blocks, chunks, defects, everywhere, frames, mutated, oddities, plugins, zfp
from recipe.record import Recorder

SUFFIXES = (".b2frame", ".b2nd", ".chunk")
EARLY = "early-"


def clear(root):
    for entry in os.listdir(root):
        if entry.endswith(SUFFIXES) and not entry.startswith(EARLY):
            full = os.path.join(root, entry)
            shutil.rmtree(full) if os.path.isdir(full) else os.remove(full)


def main():
    root = os.path.dirname(os.path.abspath(__file__))
    blosc2.set_nthreads(1)
    clear(root)
    rec = Recorder(root)
    with open(os.path.join(root, "MANIFEST.json")) as f:
        rec.cases = [c for c in json.load(f)["cases"] if c["name"].startswith(EARLY)]
    for module in (frames, mutated, arrays, chunks, plugins, zfp, blocks, defects, oddities, everywhere):
        module.run(rec)
    rec.cases.sort(key=lambda c: c["name"])
    manifest = {
        "generator": "python testdata/golden/generate.py",
        "python_blosc2": blosc2.__version__, "c_blosc2": blosc2.blosclib_version.split()[0], "numpy": np.__version__,
        "python": platform.python_version(), "machine": platform.machine(), "cases": rec.cases,
    }
    with open(os.path.join(root, "MANIFEST.json"), "w") as f:
        f.write(render(manifest))
    total = sum(c["size"] for c in rec.cases)
    print(f"{len(rec.cases)} cases, {total} bytes")


def render(manifest):
    """JSON with one case per line, so that a change of one golden is a change of one line."""
    head = {k: v for k, v in manifest.items() if k != "cases"}
    lines = ",\n".join("  " + json.dumps(c, sort_keys=True) for c in manifest["cases"])
    return json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + lines + "\n ]\n}\n"


if __name__ == "__main__":
    main()
