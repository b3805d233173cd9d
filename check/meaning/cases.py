# Stands before groups.py, kinds.py, names.py, regrid.py, space.py, stats.py and windows.py when
# main.go runs these: what they import, how they run programs and count, and the loop over cases,
# which each ends with.
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import pandas as pd
import xarray as xr

warnings.simplefilter("ignore")
done, failures = {}, []


def run(*args, code=0):
    r = subprocess.run(list(map(str, args)), capture_output=True, text=True)
    if r.returncode != code:
        raise AssertionError(f"{' '.join(map(str, args))}: exit {r.returncode}: {r.stderr[:400]}")


def count(what):
    done[what] = done.get(what, 0) + 1


def judge(case, salt):
    """Judges the cases of a theme, each with a folder and a generator of its own."""
    for k in range(opts.cases):
        if opts.case >= 0 and k != opts.case:
            continue
        with tempfile.TemporaryDirectory() as dir:
            try:
                case(pathlib.Path(dir), np.random.default_rng([opts.seed, k, salt]))
            except Exception as e:
                failures.append(f"case {k}: {type(e).__name__}: {e}"[:1000])
                print(failures[-1], file=sys.stderr)
                if opts.case >= 0:
                    shutil.copytree(dir, "failed-case", dirs_exist_ok=True)
    print(json.dumps({"done": done, "failures": len(failures)}))
    sys.exit(1 if failures or not done else 0)


parser = argparse.ArgumentParser()
parser.add_argument("--cairn", required=True)
parser.add_argument("--cases", type=int, default=100)
parser.add_argument("--case", type=int, default=-1)
parser.add_argument("--seed", type=int, default=1)
opts = parser.parse_args()
