# The other side of main.go with -page: runs the commands of docs/climate.md in a folder with the
# files of the demo, and what the page says that users of CDO, NCO and xarray type in another one,
# and compares the results.
import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import xarray as xr

warnings.simplefilter("ignore")


def recipes(text):
    """Yields the title of each part with a table, its commands, and the lines of the table."""
    for part in re.split(r"\n(?=#+ )", text):
        lines = dict(re.findall(r"^\| (CDO|NCO|xarray) \| `(.*)` \|$", part, re.M))
        commands = re.findall(r"^\$ (cairn .*)$", part, re.M)
        if lines and commands:
            yield part.splitlines()[0].strip("# "), commands, {k: v.replace("\\|", "|") for k, v in lines.items()}


def shell(line, folder):
    r = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True)
    if r.returncode:
        raise AssertionError(f"{line}: exit {r.returncode}: {(r.stderr or r.stdout)[-400:]}")


def written(line):
    """The last file that a line names: the one that it writes."""
    words = shlex.split(line)
    if "-o" in words:
        return words[words.index("-o") + 1]
    return words[-1]


def fields(ds):
    """The variables of a result that are data: numbers with the axes of the planet."""
    coordinates = set(ds.coords) | {"elevation", "region", "climatology_bnds"}
    return {
        k: v for k, v in ds.data_vars.items()
        if k not in coordinates and not k.endswith(("_bnds", "_bounds")) and v.dtype.kind in "fiub" and v.size > 1
    }


def compare(ours, theirs):
    if isinstance(theirs, xr.DataArray):
        theirs = theirs.to_dataset(name=theirs.name or "result")
    a, b = fields(ours), fields(theirs)
    if len(a) == 1 and len(b) == 1:
        b = dict(zip(a, b.values()))
    if not b or not set(b) <= set(a):
        raise AssertionError(f"variables {sorted(a)}, want {sorted(b)}")

    for name, want in b.items():
        got, want = a[name], want.squeeze()
        got = got.squeeze()
        if set(want.dims) == set(got.dims):
            want = want.transpose(*got.dims)
        if got.shape != want.shape:
            raise AssertionError(f"{name} has shape {got.dims} {got.shape}, want {want.dims} {want.shape}")
        x, y = got.values.astype("f8"), want.values.astype("f8")
        if not np.allclose(x, y, rtol=2e-5, atol=2e-4, equal_nan=True):
            raise AssertionError(f"{name} differs by up to {np.nanmax(np.abs(x - y)):.4g}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cairn", required=True)
    p.add_argument("--page", required=True)
    args = p.parse_args()

    failed = compared = 0
    left = set()  # programs that are not there
    text = pathlib.Path(args.page).read_text()
    with tempfile.TemporaryDirectory() as top:
        ours, theirs = pathlib.Path(top, "planet"), pathlib.Path(top, "others")
        bin = pathlib.Path(top, "bin")
        bin.mkdir()
        (bin / "cairn").symlink_to(os.path.abspath(args.cairn))
        os.environ["PATH"] = f"{bin}:{os.environ['PATH']}"
        shell("cairn demo -q -out planet", top)
        theirs.mkdir()
        (theirs / "daily.nc").symlink_to(ours / "daily.nc")
        ds = xr.open_dataset(ours / "daily.nc")

        for title, commands, lines in recipes(text):
            try:
                result = None
                for line in commands:
                    shell(line, ours)
                    if not line.startswith(("cairn view", "cairn head", "cairn stats")):
                        result = written(line)
                got = xr.open_dataset(ours / result, decode_timedelta=False)
            except Exception as e:
                failed += 1
                print(f"{title}: {e}")
                continue

            for who, line in lines.items():
                if who != "xarray" and not shutil.which(line.split()[0]):
                    left.add(line.split()[0])
                    continue
                try:
                    if who == "xarray":
                        want = eval(line, {"ds": ds, "xr": xr, "np": np})
                    else:
                        shell(line.replace("cdo ", "cdo -s -O ", 1) if who == "CDO" else line, theirs)
                        want = xr.open_dataset(theirs / written(line), decode_timedelta=False)
                    compare(got, want)
                    compared += 1
                except Exception as e:
                    failed += 1
                    print(f"{title}, {who}: {type(e).__name__ if not isinstance(e, AssertionError) else ''} {e}")
    print(json.dumps({"compared": compared, "failed": failed, "not there": sorted(left)}))
    sys.exit(failed > 0 or compared < 20)


main()
