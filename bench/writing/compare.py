#!/usr/bin/env python3
"""Compares cairn with other writers of NetCDF-4 and HDF5, on .npy files with three dimensions.

    pip install numpy h5py hdf5plugin netCDF4          and NCO, CDO and nccopy for -rows verbs
    (cd bench && go build -o side ./writing && go run . -write DIR -seed N -size 268435456 -kinds …)
    compare.py -side SIDE -cairn CAIRN -dir SCRATCH -out rows.csv [-rows write,planes,verbs,append] ARRAY.npy…
    compare.py -tables rows.csv

All take turns within a round, and another begins in each; the tables have medians of ratios within
rounds. The libraries write from memory and read into the same memory again and again, and are
loaded already; programs start anew. The peers have one thread, and so has cairn, or two. What each has written is read by
h5py, and must equal the source. On /dev/shm nobody waits for a disk. Elsewhere cairn does, and
-sync makes the peers do the same.
"""

import argparse
import collections
import csv
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

FIELDS = "rows what data threads peer round seconds bytes".split()

# what cairn calls the filters, by the names of the rows
FILTERS = {
    "deflate 4": [(2, None), (1, [4])],
    "zstd 3": [(2, None), (32015, [3])],
    "zstd 3 alone": [(32015, [3])],
    "lz4": [(2, None), (32004, [0])],
    "blosc2 zstd 5": [(32026, None)],
    "blosc2 lz4 5": [(32026, None)],
    "none": [],
}


class Side:
    """The Go side."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("the Go side has failed")
        return float(answer)


def chunks_of(a):
    """Chunks of about 1 MiB, short along the first axis."""
    out = [1] + [min(n, 128) for n in a.shape[1:]]
    out[0] = max(1, min(a.shape[0], (1 << 20) // (a.itemsize * int(np.prod(out[1:])))))
    return out


def filters_of(what, a, chunks):
    out = []
    for number, params in FILTERS[what]:
        if number == 2:
            params = [a.itemsize]
        elif number == 32026:
            codec = 5 if "zstd" in what else 1
            params = [2, 2, a.itemsize, int(np.prod(chunks)) * a.itemsize, 5, 1, codec]
        out.append({"ID": number, "Params": params})
    return out


def seconds(do):
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


class Contest:
    def __init__(self, args):
        self.args = args
        self.side = Side(args.side)
        new = not os.path.exists(args.out)
        self.file = open(args.out, "a", newline="")
        self.out = csv.writer(self.file)
        if new:
            self.out.writerow(FIELDS)

    def take_turns(self, rows, what, data, contenders, check=None):
        """contenders are pairs of (peer, threads) and a function that returns seconds."""
        got = collections.defaultdict(list)
        for turn in range(self.args.rounds):
            order = contenders[turn % len(contenders):] + contenders[:turn % len(contenders)]
            for (peer, threads), do in order:
                path = os.path.join(self.args.dir, "out.nc")
                if os.path.exists(path):
                    os.remove(path)
                took = do()
                size = os.path.getsize(path) if os.path.exists(path) else 0
                if turn == 0 and check is not None:
                    check(path, peer)
                got[peer, threads].append(took)
                self.out.writerow([rows, what, data, threads, peer, turn, f"{took:.6f}", size])
        self.file.flush()
        ours = [k for k in got if k[0] == "cairn"]
        for o in ours:
            ratios = {p: statistics.median(b / a for a, b in zip(got[o], t))
                      for (p, _), t in got.items() if p != "cairn"}
            text = ", ".join(f"{p} {r:.2f}" for p, r in ratios.items())
            print(f"{rows:7} {what:28} {data:12} {o[1]} threads {statistics.median(got[o]):8.4f} s  {text}", flush=True)


def settle(args, path):
    if args.sync:
        fd = os.open(path, os.O_RDWR)
        os.fsync(fd)
        os.close(fd)


def writers(c, a, what, chunks):
    """Contenders that write an array."""
    import h5py
    import hdf5plugin
    import netCDF4
    path = os.path.join(c.args.dir, "out.nc")
    names = ["d%d" % i for i in range(a.ndim)]
    h5 = {
        "deflate 4": dict(compression="gzip", compression_opts=4, shuffle=True),
        "zstd 3": dict(shuffle=True, **hdf5plugin.Zstd(clevel=3)),
        "zstd 3 alone": dict(**hdf5plugin.Zstd(clevel=3)),
        "lz4": dict(shuffle=True, **hdf5plugin.LZ4()),
        "blosc2 zstd 5": dict(**hdf5plugin.Blosc2(cname="zstd", clevel=5, filters=1)),
        "blosc2 lz4 5": dict(**hdf5plugin.Blosc2(cname="lz4", clevel=5, filters=1)),
        "none": {},
    }[what]
    # netCDF4-python shuffles before zlib alone, whatever it is told
    nc = {"deflate 4": dict(compression="zlib", complevel=4, shuffle=True),
          "zstd 3 alone": dict(compression="zstd", complevel=3), "none": {}}.get(what)

    def h5py_write():
        with h5py.File(path, "w") as f:
            f.create_dataset("a", data=a, chunks=tuple(chunks), **h5)
        settle(c.args, path)

    def netcdf_write():
        with netCDF4.Dataset(path, "w") as f:
            for name, n in zip(names, a.shape):
                f.createDimension(name, n)
            f.createVariable("a", a.dtype, names, chunksizes=chunks, **nc)[...] = a
        settle(c.args, path)

    filters = filters_of(what, a, chunks)
    out = []
    for threads in (1, 2):
        out.append((("cairn", threads), lambda threads=threads: c.side.ask(
            Do="write", Path=path, NetCDF=nc is not None, Filters=filters, Chunks=chunks, Threads=threads)))
    out.append((("h5py", 1), lambda: seconds(h5py_write)))
    if nc is not None:
        out.append((("netCDF4", 1), lambda: seconds(netcdf_write)))
    return out


def equal_to(a, name="a"):
    import h5py
    import hdf5plugin  # noqa: F401, filters

    def check(path, peer):
        with h5py.File(path) as f:
            got = f[name][...]
        if got.shape != a.shape or got.tobytes() != a.astype(got.dtype).tobytes():
            sys.exit(f"{peer} has written other items")
    return check


def write_rows(c, name, array):
    a = np.load(array)
    c.side.ask(Do="load", Array=array)
    chunks = chunks_of(a)
    for what in c.args.filters.split(","):
        c.take_turns("write", what, name, writers(c, a, what, chunks), equal_to(a))


def plane_rows(c, name, array):
    """Planes, boxes and all of a contiguous dataset that h5py has written."""
    import h5py
    a = np.load(array)
    path = os.path.join(c.args.dir, "planes.h5")
    with h5py.File(path, "w") as f:
        f.create_dataset("a", data=a)

    def boxes(axis, count=16):
        for i in range(count):
            at = a.shape[axis] * i // count
            yield [at if d == axis else 0 for d in range(a.ndim)], \
                  [at + 1 if d == axis else n for d, n in enumerate(a.shape)]
    edge = min(50, *a.shape)
    corners = [[(n - edge) * i // 16 for n in a.shape] for i in range(16)]
    cubes = [(at, [n + edge for n in at]) for at in corners]
    whole = [([0] * a.ndim, list(a.shape))]
    ops = {f"planes along axis {d}": list(boxes(d)) for d in range(a.ndim)}
    ops.update({"boxes of 50": cubes, "whole": whole})
    for op, places in ops.items():
        starts, stops = [list(p[0]) for p in places], [list(p[1]) for p in places]
        keys = [tuple(slice(s, e) for s, e in zip(*p)) for p in places]

        def h5py_read():
            with h5py.File(path) as f:
                d = f["a"]
                into = np.empty_like(d[keys[0]])

                def loop():
                    for k in keys:
                        d.read_direct(into, k)
                return seconds(loop)
        out = [(("cairn", threads), lambda threads=threads: min(c.side.ask(
            Do="read", Path=path, Starts=starts, Stops=stops, Threads=threads) for _ in range(5))) for threads in (1, 2)]
        out.append((("h5py", 1), lambda: min(h5py_read() for _ in range(5))))
        c.take_turns("planes", op, name, out)
    os.remove(path)


def verb_rows(c, name, array):
    """Whole files by the command, beside NCO, CDO and nccopy."""
    import netCDF4
    a = np.load(array)
    path, out = (os.path.join(c.args.dir, n) for n in ("in.nc", "out.nc"))
    second = os.path.join(c.args.dir, "second.nc")
    chunks = chunks_of(a)

    def write(to, first):
        with netCDF4.Dataset(to, "w") as f:
            for d, n in zip(("time", "y", "x"), a.shape):
                f.createDimension(d, None if d == "time" else n)
                v = f.createVariable(d, "f8", (d,))
                v[:] = np.arange(n) + (first if d == "time" else 0)
                v.units = "days since 2000-01-01" if d == "time" else "1"
            v = f.createVariable("a", a.dtype, ("time", "y", "x"), chunksizes=chunks, compression="zlib",
                                 complevel=4, shuffle=True)
            v[...] = a
    write(path, 0)
    write(second, a.shape[0])

    lo, hi = a.shape[0] // 4, a.shape[0] * 3 // 4
    aligned = lo // chunks[0] * chunks[0], hi // chunks[0] * chunks[0]
    other = [min(a.shape[0], 4 * chunks[0])] + [max(1, n // 2) for n in chunks[1:]]
    spec = ",".join(f"{d}/{n}" for d, n in zip(("time", "y", "x"), other))
    level = ["-4", "-L", "4"]

    def nco_slab(a, b):
        return ["ncks", "-O", *level, "-d", f"time,{a},{b - 1}", path, out]

    def cdo_slab(a, b):
        return ["cdo", "-s", "-O", "-f", "nc4", "-z", "zip_4", f"-seltimestep,{a + 1}/{b}", path, out]
    cases = {
        "copy": (["copy", path, out], {"nccopy": ["nccopy", path, out], "ncks": ["ncks", "-O", *level, path, out],
                                       "cdo": ["cdo", "-s", "-O", "-f", "nc4", "-z", "zip_4", "copy", path, out]}),
        "copy -s": (["copy", "-s", f"time[{lo}:{hi}]", path, out],
                    {"ncks": nco_slab(lo, hi), "cdo": cdo_slab(lo, hi)}),
        "copy -s, whole chunks": (["copy", "-s", f"time[{aligned[0]}:{aligned[1]}]", path, out],
                                  {"ncks": nco_slab(*aligned), "cdo": cdo_slab(*aligned)}),
        "copy -chunks": (["copy", "-chunks", ",".join(map(str, other)), path, out],
                         {"nccopy": ["nccopy", "-c", spec, path, out],
                          "ncks": ["ncks", "-O", *level, "--cnk_dmn", f"time,{other[0]}", "--cnk_dmn", f"y,{other[1]}",
                                   "--cnk_dmn", f"x,{other[2]}", path, out]}),
        "reduce mean": (["reduce", "-op", "mean", "-axis", "time", path, out],
                        {"ncra": ["ncra", "-O", *level, path, out],
                         "cdo": ["cdo", "-s", "-O", "-f", "nc4", "-z", "zip_4", "timmean", path, out]}),
        "concat": (["concat", "-axis", "time", path, second, out],
                   {"ncrcat": ["ncrcat", "-O", *level, path, second, out],
                    "cdo": ["cdo", "-s", "-O", "-f", "nc4", "-z", "zip_4", "mergetime", path, second, out]}),
    }

    def run(command, threads=1):
        env = {**os.environ, "GOMAXPROCS": str(threads), "OMP_NUM_THREADS": "1"}
        took = seconds(lambda: subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL))
        settle(c.args, out)
        return took
    asked = c.args.verbs.split("/") if c.args.verbs else list(cases)
    for op in asked:
        ours, theirs = cases[op]
        contenders = [(("cairn", t), lambda t=t, ours=ours: run([c.args.cairn, *ours], t)) for t in (1, 2)]
        contenders += [((peer, 1), lambda command=command: run(command)) for peer, command in theirs.items()]
        if op.startswith("copy -s"):
            part = a[lo:hi] if op == "copy -s" else a[slice(*aligned)]
        else:
            part = {"concat": np.concatenate([a, a]) if op == "concat" else None}.get(op, a)
        c.take_turns("verbs", op, name, contenders, None if op == "reduce mean" else equal_to(part))
    os.remove(path)
    os.remove(second)


def append_rows(c, name, array):
    """Rows of 1 kB, each committed or flushed, to a dataset that has none, in chunks of 64 rows."""
    import h5py
    a = np.load(array)
    n = 1024 // a.itemsize
    a = np.ascontiguousarray(a.reshape(-1)[:c.args.appended * n].reshape(-1, n))
    flat = os.path.join(c.args.dir, "rows.npy")
    np.save(flat, a)
    c.side.ask(Do="load", Array=flat)
    path = os.path.join(c.args.dir, "out.nc")
    rows = len(a)

    for what, keep in {"chunks": {}, "deflate 4": dict(compression="gzip", compression_opts=4, shuffle=True)}.items():
        def empty(**more):
            with h5py.File(path, "w", **more) as f:
                f.create_dataset("a", (0, n), a.dtype, maxshape=(None, n), chunks=(64, n), **keep)

        def theirs(**more):
            empty(**more)
            with h5py.File(path, "r+", **more) as f:
                d = f["a"]

                def do():
                    for i in range(rows):
                        d.resize(i + 1, axis=0)
                        d[i] = a[i]
                        f.flush()
                        if c.args.sync:
                            os.fsync(fd)
                fd = os.open(path, os.O_RDWR)
                took = seconds(do)
                os.close(fd)
            return took

        def ours(netcdf):
            empty()
            return c.side.ask(Do="append", Path=path, NetCDF=netcdf, Rows=rows, Threads=1)
        c.take_turns("append", what, name, [(("cairn", 1), lambda: ours(False)), (("h5py", 1), theirs),
                                            (("h5py latest", 1), lambda: theirs(libver="latest"))], equal_to(a))
    os.remove(flat)


def tables(path):
    """Medians over rounds of the ratios within them, and their geometric means."""
    times = collections.defaultdict(dict)
    for r in csv.DictReader(open(path)):
        times[r["rows"], r["what"], r["data"]].setdefault((r["peer"], r["threads"]), []).append(float(r["seconds"]))
    means = collections.defaultdict(list)
    print("| | | threads | seconds | against | times as fast |\n|---|---|---:|---:|---|---:|")
    for (rows, what, data), got in times.items():
        for (peer, threads), ours in got.items():
            if peer != "cairn":
                continue
            for (other, _), theirs in got.items():
                if other == "cairn":
                    continue
                ratio = statistics.median(b / a for a, b in zip(ours, theirs))
                means[rows, what, threads, other].append(ratio)
                print(f"| {rows} {what} | {data} | {threads} | {statistics.median(ours):.4g} | {other} | {ratio:.2f} |")
    print("\n| | threads | against | mean | worst |\n|---|---:|---|---:|---:|")
    for (rows, what, threads, other), all_of in means.items():
        print(f"| {rows} {what} | {threads} | {other} | {statistics.geometric_mean(all_of):.2f} | {min(all_of):.2f} |")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("arrays", nargs="*", metavar="ARRAY.npy")
    for name in ("side", "cairn", "out", "tables", "verbs"):
        p.add_argument("-" + name)
    p.add_argument("-dir", default=".")
    p.add_argument("-rows", default="write,planes,verbs,append")
    p.add_argument("-filters", default=",".join(FILTERS))
    p.add_argument("-rounds", type=int, default=3)
    p.add_argument("-appended", type=int, default=2000)
    p.add_argument("-sync", action="store_true")
    args = p.parse_args()
    if args.tables:
        tables(args.tables)
        return

    c = Contest(args)
    for array in args.arrays:
        name = os.path.basename(array).removesuffix(".npy")
        for rows in args.rows.split(","):
            {"write": write_rows, "planes": plane_rows, "verbs": verb_rows, "append": append_rows}[rows](c, name, array)


main()
