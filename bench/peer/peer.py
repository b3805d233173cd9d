"""The Python side of the benchmark: one JSON request and one JSON answer per line.

    peer.py THREADS      the most threads of the libraries that set this once, for a whole process

Times are seconds of the fastest repetition. A library that is not installed is not among "versions", and takes no part.
"""

import json
import os
import shutil
import sys
import time

for name in "RAYON_NUM_THREADS", "BLOSC_NTHREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS":
    os.environ[name] = sys.argv[1] if len(sys.argv) > 1 else "1"

import numpy as np

import arrays
import compute
import convert
from arrays import libraries

data = None  # the loaded array
opened = {}  # what each library has open, by name


def load(r):
    global data
    data = np.fromfile(r["path"], dtype=np.dtype(r["dtype"])).reshape(r["shape"])
    return {"size": data.nbytes}


def frames(r):
    """All of the data through a super-chunk of python-blosc2 in memory."""
    cparams, dparams = arrays.b2_params(r)
    raw = data.reshape(-1).view(np.uint8)
    step = r["chunk"]
    pieces = [raw[i : i + step] for i in range(0, len(raw), step)]
    back = np.empty_like(raw)
    goals = [back[i : i + step] for i in range(0, len(raw), step)]
    clock = time.thread_time if r["threads"] == 1 else time.perf_counter
    best = [[1e9] * len(pieces), [1e9] * len(pieces)]
    for _ in range(r["reps"]):
        schunk = arrays.blosc2.SChunk(chunksize=step, cparams=cparams, dparams=dparams, contiguous=False)
        works = (lambda i: schunk.append_data(pieces[i])), (lambda i: schunk.decompress_chunk(i, goals[i]))
        for work, times in zip(works, best):
            for i in range(len(pieces)):
                t0 = clock()
                work(i)
                times[i] = min(times[i], clock() - t0)
    if not np.array_equal(raw, back):
        raise ValueError("the data came back changed")
    return {"seconds": [sum(times) for times in best], "size": schunk.cbytes}


def forget(r):
    """Closes and removes what a library has in its file or directory."""
    if r["library"] in opened:
        libraries[r["library"]].close(opened.pop(r["library"]))
    if os.path.isdir(r["path"]):
        shutil.rmtree(r["path"])
    elif os.path.exists(r["path"]):
        os.remove(r["path"])


def stored(path):
    """The bytes of a file, or of all files of a directory."""
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, names in os.walk(path) for f in names)


def array_write(r):
    """Writes the data to a new array, which stays open for array-read and array-put."""
    library, best = libraries[r["library"]], None
    for _ in range(r["reps"]):
        forget(r)
        t0 = time.perf_counter()
        library.write(r, data)
        t = time.perf_counter() - t0
        best = t if best is None else min(best, t)
    opened[r["library"]] = library.open(r)
    return {"seconds": [best], "size": stored(r["path"])}


def array_read(r):
    """Reads boxes, one after the other; the mean of the fastest repetitions of each."""
    library, a = libraries[r["library"]], opened[r["library"]]
    keys = [tuple(slice(b, e) for b, e in zip(start, stop)) for start, stop in zip(r["starts"], r["stops"])]
    best = [1e9] * len(keys)
    for _ in range(r["reps"]):
        for i, key in enumerate(keys):
            t0 = time.perf_counter()
            got = library.read(a, key)
            best[i] = min(best[i], time.perf_counter() - t0)
            if not np.array_equal(got, data[key]):
                raise ValueError("a box came back changed")
    return {"seconds": [sum(best) / len(best)], "size": 0}


def store_write(r):
    """Writes the data to a Zarr store or an HDF5 file for store-read."""
    (arrays.zarr_store if r["format"] == "zarr" else arrays.hdf5_store)(r, data)
    return {"seconds": [], "size": stored(r["path"])}


def store_read(r):
    """array-read of what store-write wrote, which stays open until another one is read."""
    if opened.get("store " + r["library"]) != r["path"]:
        opened[r["library"]] = libraries[r["library"]].open(r | {"mode": "r"})
        opened["store " + r["library"]] = r["path"]
    return array_read(r)


def reads_passes(r):
    """Opens a file with the library's defaults and reads boxes, as many times as there are passes: seconds of a box in each."""
    library, best = libraries[r["library"]], None
    keys = [tuple(slice(b, e) for b, e in zip(start, stop)) for start, stop in zip(r["starts"], r["stops"])]
    for _ in range(r["reps"]):
        a, times, got = library.open(r | {"mode": "r", "defaults": True}), [], None
        for _ in range(r["passes"]):
            t0 = time.perf_counter()
            for key in keys:
                got = None
                got = library.read(a, key)
            times.append((time.perf_counter() - t0) / len(keys))
        library.close(a)
        if not np.array_equal(got, data[keys[-1]]):
            raise ValueError("a box came back changed")
        best = [min(p) for p in zip(best or times, times)]
    return {"seconds": best, "size": 0}


def reads_write(r):
    arrays.written(r["library"], r["path"], data, json.loads(r["options"]))
    return {"seconds": [], "size": stored(r["path"])}


def array_put(r):
    """Writes the beginning of the data to a box."""
    library, a, best = libraries[r["library"]], opened[r["library"]], 1e9
    key = tuple(slice(b, e) for b, e in zip(r["starts"][0], r["stops"][0]))
    shape = [s.stop - s.start for s in key]
    piece = data.reshape(-1)[: int(np.prod(shape))].reshape(shape)
    for _ in range(r["reps"]):
        t0 = time.perf_counter()
        library.put(a, key, piece)
        best = min(best, time.perf_counter() - t0)
    if not np.array_equal(library.read(a, key), piece):
        raise ValueError("the box came back changed")
    return {"seconds": [best], "size": 0}


def array_boxes(r):
    """Writes boxes, one after the other, again and again; the mean time of one. Each gets the items of the others in turn."""
    library, a = libraries[r["library"]], opened[r["library"]]
    keys = [tuple(slice(b, e) for b, e in zip(start, stop)) for start, stop in zip(r["starts"], r["stops"])]
    pieces = [np.ascontiguousarray(data[key]) for key in keys]
    t0 = time.perf_counter()
    for rep in range(r["reps"]):
        for i, key in enumerate(keys):
            library.put(a, key, pieces[(i + rep) % len(pieces)])
    took = (time.perf_counter() - t0) / (r["reps"] * len(keys))
    for i, key in enumerate(keys):
        if not np.array_equal(library.read(a, key), pieces[(i + r["reps"] - 1) % len(pieces)]):
            raise ValueError("a box came back changed")
    return {"seconds": [took], "size": 0}


def written():
    """How many bytes this process has written to files, 0 where the system does not tell."""
    try:
        with open("/proc/self/io") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("wchar"))
    except OSError:
        return 0


def array_append(r):
    """Appends the rows of the data in batches to an empty array."""
    library = libraries[r["library"]]
    forget(r)
    before, t0 = written(), time.perf_counter()
    a = library.create(r, (0, *data.shape[1:]), data.dtype)
    for i in range(0, len(data), r["batch"]):
        a = library.append(a, data[i : i + r["batch"]]) or a
        if r["visible"]:
            library.finish(a)
    library.close(a)
    t, wrote = time.perf_counter() - t0, written() - before
    opened[r["library"]] = library.open(r)
    if not np.array_equal(library.read(opened[r["library"]], ...), data):
        raise ValueError("the rows came back changed")
    forget(r)
    return {"seconds": [t / len(data)], "size": wrote}


def compute_timed(r):
    """Does an operation of compute.py or convert.py. A result in memory is written to a file as float64."""
    f, best = compute.libraries[r["library"]][r["op"]], 1e9
    r["compressor"] = compute.zarr_compressor(r)
    for _ in range(r["reps"]):
        t0 = time.perf_counter()
        result = f(r)
        best = min(best, time.perf_counter() - t0)
    if result is not None:
        np.asarray(result[...] if getattr(result, "shape", ()) else result, dtype=np.float64).tofile(os.path.join(r["dir"], r["library"] + ".result"))
    return {"seconds": [best], "size": 0}


commands = {"load": load, "frames": frames, "array-write": array_write, "array-read": array_read, "array-put": array_put, "array-boxes": array_boxes,
            "store-write": store_write, "store-read": store_read, "reads-passes": reads_passes, "reads-write": reads_write,
            "array-append": array_append, "compute": compute_timed, "netcdf": compute.netcdf, "converted": convert.converted,
            "computes": lambda r: {"libraries": [k for k, ops in compute.libraries.items() if r["op"] in ops]},
            "versions": lambda r: {"versions": [f"{k} {v}" for k, v in (arrays.versions | compute.versions).items()] + ["Python " + sys.version.split()[0]]}}

# Libraries may print; only answers go to the real standard output.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = commands[request["do"]](request)
    except Exception as e:  # whatever it is, the run reports it and goes on to stop
        answer = {"error": f"{type(e).__name__}: {e}"}
    answers.write(json.dumps(answer) + "\n")
    answers.flush()
