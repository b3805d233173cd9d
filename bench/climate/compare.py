#!/usr/bin/env python3
"""Compares cairn with CDO and xarray on daily fields in NetCDF: climate's usual sums.

    pip install numpy netCDF4 xarray dask flox bottleneck            and CDO
    compare.py -make DIR -gib 2 -seed N
    compare.py -cairn CAIRN -dir DIR -out rows.csv [-rows monthly,climatology,…] [-files plain.nc,…]
    compare.py -tables rows.csv

A file has the temperature of N days on a grid of one degree as float32: a yearly cycle, weather
that stays for some days, and noise. plain.nc is contiguous, chunks.nc has chunks of 16 days without
compression, deflate.nc the same with shuffle and deflate 1, packed.nc int16. Programs take turns
within a round and start anew; each has one thread, or two. What cairn writes must be close to what
CDO writes, and xarray. On /dev/shm nobody waits for a disk. The tables have medians of ratios
within rounds, and the most memory that a process had. Areas weigh in CDO's coarsening, which is not
compared.
"""

import argparse
import collections
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time

FIELDS = "row file peer threads round seconds bytes".split()
PEERS = "cairn cdo xarray".split()

# what cairn, CDO and xarray do for each row
ROWS = {
    "monthly": (["reduce", "-op", "mean", "-by", "month"], ["monmean"], "d.t.resample(time='MS').mean()"),
    "climatology": (["reduce", "-op", "mean", "-by", "month-of-year"], ["ymonmean"], "d.t.groupby('time.month').mean()"),
    "anomaly": (["calc", "-o", "OUT", "t - clim(t, 'month-of-year')", "t=IN::t"],
                ["-ymonsub", "IN", "-ymonmean"],
                "d.t.groupby('time.month') - d.t.groupby('time.month').mean()"),
    "maximum": (["reduce", "-op", "max", "-axis", "time"], ["timmax"], "d.t.max('time')"),
    "deviation": (["reduce", "-op", "std", "-axis", "time"], ["timstd"], "d.t.std('time')"),
    "rolling": (["reduce", "-op", "mean", "-window", "time=30"], ["runmean,30"],
                "d.t.rolling(time=30).mean().isel(time=slice(29, None))"),
    "fieldmean": (["reduce", "-op", "mean", "-weights", "area", "-axis", "lat,lon"], ["fldmean"],
                  "d.t.weighted(np.cos(np.deg2rad(d.lat))).mean(('lat', 'lon'))"),
    "coarsen": (["reduce", "-op", "mean", "-every", "lat=4,lon=4"], ["gridboxmean,4,4"],
                "d.t.coarsen(lat=4, lon=4).mean()"),
    "regrid": (["regrid", "-to", "r144x72"], ["remapbil,r144x72"], None),
}

XARRAY = """
import sys, dask, numpy as np, xarray as xr
dask.config.set(scheduler='threads', num_workers=int(sys.argv[3]))
d = xr.open_dataset(sys.argv[1], chunks={'time': 64}, decode_timedelta=False)
(%s).to_dataset(name='t').to_netcdf(sys.argv[2])
"""


def fields(seed, days, ny=180, nx=360):
    import numpy as np
    rng = np.random.default_rng(seed)
    lat = np.linspace(-89.5, 89.5, ny)
    base = (288 - 40 * np.sin(np.deg2rad(lat)) ** 2)[:, None] + 5 * np.cos(np.deg2rad(2 * np.arange(nx)))[None]
    yearly = 15 * np.sin(np.deg2rad(lat))[:, None]
    weather = np.zeros((ny // 10 + 1, nx // 10 + 1), "f4")
    y, x = np.linspace(0, ny // 10 - 1e-3, ny), np.linspace(0, nx // 10 - 1e-3, nx)
    j, i = y.astype(int), x.astype(int)
    v, u = (y - j)[:, None].astype("f4"), (x - i)[None].astype("f4")
    for day in range(days):
        weather = 0.85 * weather + 2 * rng.standard_normal(weather.shape, dtype="f4")
        south, north = weather[j], weather[j + 1]
        south = south[:, i] * (1 - u) + south[:, i + 1] * u
        north = north[:, i] * (1 - u) + north[:, i + 1] * u
        noise = 0.3 * rng.standard_normal((ny, nx), dtype="f4")
        season = yearly * np.cos(2 * np.pi * (day - 200) / 365.2425)
        yield (base + season + south * (1 - v) + north * v + noise).astype("f4")


def make(args):
    """Writes the files of one seed."""
    import netCDF4
    import numpy as np
    ny, nx = 180, 360
    days = int(args.gib * 2**30) // (4 * ny * nx)
    kinds = {"plain.nc": dict(contiguous=True), "chunks.nc": dict(chunksizes=(16, ny, nx)),
             "deflate.nc": dict(chunksizes=(16, ny, nx), zlib=True, complevel=1, shuffle=True),
             "packed.nc": dict(contiguous=True)}
    wanted = args.files.split(",") if args.files else list(kinds)
    files, variables = [], []
    for name in wanted:
        f = netCDF4.Dataset(os.path.join(args.make, name), "w")
        axes = {"time": (np.arange(days) + 0.5, "days since 1979-01-01"),
                "lat": (np.linspace(-89.5, 89.5, ny), "degrees_north"), "lon": (np.arange(nx) + 0.5, "degrees_east")}
        for axis, (values, units) in axes.items():
            f.createDimension(axis, len(values))
            a = f.createVariable(axis, "f8", (axis,))
            a.standard_name = {"lat": "latitude", "lon": "longitude"}.get(axis, axis)
            a.units, a[:] = units, values
        packed = name == "packed.nc"
        t = f.createVariable("t", "i2" if packed else "f4", ("time", "lat", "lon"), fill_value=-32768 if packed else 1e20,
                             **kinds[name])
        t.units = "K"
        t.set_auto_maskandscale(False)
        if packed:
            t.scale_factor, t.add_offset = 0.005, 270.0
        files.append(f)
        variables.append(t)

    part, at = [], 0
    for day, field in enumerate(fields(args.seed, days)):
        part.append(field)
        if len(part) < 64 and day + 1 < days:
            continue
        items = np.stack(part)
        for t in variables:
            short = t.dtype.kind == "i"
            t[at:at + len(part)] = np.rint((items - 270) / 0.005).clip(-32000, 32000).astype("i2") if short else items
        at, part = at + len(part), []
    for f in files:
        f.close()


def command(args, row, peer, threads, path, out):
    """What a peer runs, or None if it cannot."""
    ours, cdo, python = ROWS[row]
    if peer == "cairn":
        if "OUT" in ours:
            return [args.cairn] + [out if a == "OUT" else a.replace("IN", path) for a in ours]
        return [args.cairn, *ours, path, out]
    if peer == "cdo":
        return ["cdo", "-s", "-O", "-b", "F32", "-P", str(threads), *[path if a == "IN" else a for a in cdo], path, out]
    return python and [args.python, "-c", XARRAY % python, path, out, str(threads)]


def run(line, threads, out):
    """Returns seconds and bytes of memory."""
    if os.path.exists(out):
        os.remove(out)
    env = {**os.environ, "GOMAXPROCS": str(threads), "OMP_NUM_THREADS": str(threads)}
    with tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen(line, env=env, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        if status:
            errors.seek(0)
            sys.exit(f"failed: {' '.join(line)}\n{errors.read().decode(errors='replace')}")
    return seconds, usage.ru_maxrss * 1024


def skipped(f):
    """How many days have no whole window, if they are there: the others have no NaN."""
    import numpy as np
    t = f["t"]
    return 29 if t.ndim == 3 and len(t) > 29 and np.ma.getmaskarray(np.ma.masked_invalid(t[:29])).all() else 0


def values(f):
    """Yields the items of the variable t in slabs, as floats, from south to north."""
    import numpy as np
    t = f["t"]
    first = skipped(f)
    lat = f["lat"][:] if "lat" in t.dimensions else []
    turned = len(lat) > 1 and lat[0] > lat[-1]
    for at in range(first, len(t), 64) if t.ndim == 3 else [0]:
        a = t[at:at + 64] if t.ndim == 3 else t[...]
        a = np.ma.filled(a.astype("f8"), np.nan)
        yield a[:, ::-1] if turned else a


def equal(row, ours, path, peer):
    import netCDF4
    import numpy as np
    # CDO takes the areas of cells, xarray here the cosine of latitude; CDO deviates in float32
    bound = 0.02 if row == "regrid" else 0.001 if row == "fieldmean" else 2e-4
    with netCDF4.Dataset(ours) as f, netCDF4.Dataset(path) as g:
        shapes = [tuple(n for n in (len(h["t"]) - skipped(h), *h["t"].shape[1:]) if n > 1) for h in (f, g)]
        if shapes[0] != shapes[1]:
            sys.exit(f"{row}: the shapes of cairn and {peer} differ: {shapes}")
        if f["t"].ndim != g["t"].ndim:  # dimensions of one item
            both = [(np.concatenate([*values(f)]).squeeze(), np.concatenate([*values(g)]).squeeze())]
        else:
            both = zip(values(f), values(g), strict=True)
        for a, b in both:
            if not np.allclose(a, b, rtol=1e-5, atol=bound, equal_nan=True):
                sys.exit(f"{row}: cairn and {peer} differ: {np.nanmax(np.abs(a - b))}")


def compare(args):
    new = not os.path.exists(args.out)
    with open(args.out, "a", newline="") as file:
        sheet = csv.writer(file)
        if new:
            sheet.writerow(FIELDS)
        for name in args.files.split(","):
            for row in args.rows.split(","):
                contest(args, name, row, sheet)
                file.flush()


def contest(args, name, row, sheet):
    path = os.path.join(args.dir, name)
    contenders = [(peer, threads) for peer in args.peers.split(",") for threads in (1, 2)
                  if (peer != "cdo" or threads == 1) and command(args, row, peer, threads, path, "")]
    got = collections.defaultdict(list)
    for turn in range(args.rounds):
        for peer, threads in contenders[turn % len(contenders):] + contenders[:turn % len(contenders)]:
            out = os.path.join(args.dir, f"out-{peer}.nc")
            seconds, memory = run(command(args, row, peer, threads, path, out), threads, out)
            got[peer, threads].append((seconds, memory))
            sheet.writerow([row, name, peer, threads, turn, f"{seconds:.6f}", memory])
        if turn == 0:
            for peer in {p for p, _ in contenders} - {"cairn"}:
                judge(args, row, peer)
    for peer, _ in contenders:
        out = os.path.join(args.dir, f"out-{peer}.nc")
        if os.path.exists(out):
            os.remove(out)
    text = ", ".join(f"{p} {t}: {statistics.median(s for s, _ in v):.3f} s {max(m for _, m in v) >> 20} MiB"
                     for (p, t), v in got.items())
    print(f"{row} {name}: {text}", flush=True)


def judge(args, row, peer):
    """Compares outputs in a process of its own: a child begins with the peak memory of this one."""
    if (row, peer) == ("coarsen", "cdo"):
        return  # CDO weighs by area
    files = [os.path.join(args.dir, f"out-{p}.nc") for p in ("cairn", peer)]
    subprocess.run([args.python, __file__, "-judge", row, *files, peer], check=True)


def tables(path):
    rows = collections.defaultdict(lambda: collections.defaultdict(dict))
    memory = collections.defaultdict(int)
    for r in csv.DictReader(open(path)):
        key = r["row"], r["file"]
        rows[key][r["peer"], r["threads"]][r["round"]] = float(r["seconds"])
        memory[key, r["peer"], r["threads"]] = max(memory[key, r["peer"], r["threads"]], int(r["bytes"]))

    print("| row | file | threads | seconds | CDO is × | xarray is × | MiB | CDO | xarray |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for key, got in rows.items():
        for threads in ("1", "2"):
            ours = got.get(("cairn", threads))
            if not ours:
                continue
            cells = [*key, threads, f"{statistics.median(ours.values()):.2f}"]
            peers = [("cdo", "1"), ("xarray", threads)]
            for p in peers:
                both = [theirs / ours[n] for n, theirs in got.get(p, {}).items() if n in ours]
                cells.append(f"{statistics.median(both):.2f}" if both else "–")
            for p in [("cairn", threads), *peers]:
                cells.append(str(memory[(key, *p)] >> 20) if memory[(key, *p)] else "–")
            print("| " + " | ".join(cells) + " |")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-make", metavar="DIR", help="write the files")
    p.add_argument("-gib", type=float, default=2)
    p.add_argument("-seed", type=int, default=1)
    p.add_argument("-cairn")
    p.add_argument("-python", default=sys.executable, help="with xarray")
    p.add_argument("-dir")
    p.add_argument("-out")
    p.add_argument("-rows", default=",".join(ROWS))
    p.add_argument("-files", default="")
    p.add_argument("-peers", default=",".join(PEERS))
    p.add_argument("-rounds", type=int, default=3)
    p.add_argument("-judge", nargs=4, help=argparse.SUPPRESS)
    p.add_argument("-tables", metavar="CSV", help="print tables of rows")
    args = p.parse_args()
    if args.tables:
        tables(args.tables)
    elif args.judge:
        equal(*args.judge)
    elif args.make:
        make(args)
    else:
        args.files = args.files or "plain.nc,deflate.nc"
        compare(args)


if __name__ == "__main__":
    main()
