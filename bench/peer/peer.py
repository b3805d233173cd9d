"""The Python side of the benchmark: python-blosc2, zarr-python and h5py, one JSON request and one JSON answer per line.

Times are seconds of the fastest repetition. A library that is not installed is reported by "versions" and takes no part.
"""

import json
import os
import sys
import time

import numpy as np

libraries = {"numpy": np.__version__}
try:
    import blosc2

    libraries["python-blosc2"] = blosc2.__version__
except ImportError:
    blosc2 = None
try:
    import numcodecs
    import zarr
    from zarr.codecs import BloscCodec

    libraries["zarr-python"] = zarr.__version__
    libraries["numcodecs"] = numcodecs.__version__
except ImportError:
    zarr = None
try:
    import h5py

    libraries["h5py"] = h5py.__version__
    libraries["HDF5"] = h5py.version.hdf5_version
except ImportError:
    h5py = None

data = None  # the loaded array
arrays = {}  # by library


def fastest(reps, work):
    best = None
    for _ in range(reps):
        t0 = time.perf_counter()
        work()
        t = time.perf_counter() - t0
        best = t if best is None else min(best, t)
    return best


def b2_params(r):
    codec = blosc2.Codec[r["codec"].upper()]
    name = {"shuffle": "SHUFFLE", "bitshuffle": "BITSHUFFLE", "none": "NOFILTER"}[r["filter"]]
    filters = [blosc2.Filter.NOFILTER] * 5 + [blosc2.Filter[name]]
    cparams = dict(codec=codec, clevel=r["level"], typesize=r["typesize"], nthreads=r["threads"], filters=filters, filters_meta=[0] * 6)
    return cparams, dict(nthreads=r["threads"])


def load(r):
    global data
    data = np.fromfile(r["path"], dtype=np.dtype(r["dtype"])).reshape(r["shape"])
    arrays.clear()
    return {"size": data.nbytes}


def frames(r):
    """All of the data through a super-chunk in memory."""
    cparams, dparams = b2_params(r)
    raw = data.reshape(-1).view(np.uint8)
    step = r["chunk"]
    pieces = [raw[i : i + step] for i in range(0, len(raw), step)]
    back = np.empty_like(raw)
    goals = [back[i : i + step] for i in range(0, len(raw), step)]
    best = [None, None]
    for _ in range(r["reps"]):
        t0 = time.perf_counter()
        schunk = blosc2.SChunk(chunksize=step, cparams=cparams, dparams=dparams, contiguous=False)
        for p in pieces:
            schunk.append_data(p)
        t1 = time.perf_counter()
        for i, g in enumerate(goals):
            schunk.decompress_chunk(i, g)
        t2 = time.perf_counter()
        best = [t if b is None else min(b, t) for b, t in zip(best, (t1 - t0, t2 - t1))]
    if not np.array_equal(raw, back):
        raise ValueError("the data came back changed")
    return {"seconds": best, "size": schunk.cbytes}


def write_blosc2(r):
    cparams, dparams = b2_params(r)
    arrays["blosc2"] = blosc2.asarray(data, chunks=r["chunks"], blocks=r["blocks"], cparams=cparams, dparams=dparams)


def write_zarr(r):
    zarr.config.set({"threading.max_workers": r["threads"]})
    numcodecs.blosc.set_nthreads(r["threads"])
    filters = {"shuffle": "shuffle", "bitshuffle": "bitshuffle", "none": "noshuffle"}
    codec = BloscCodec(cname=r["codec"], clevel=r["level"], shuffle=filters[r["filter"]], typesize=r["typesize"])
    store = zarr.storage.MemoryStore()
    a = zarr.create_array(store=store, shape=data.shape, dtype=data.dtype, chunks=r["chunks"], compressors=codec, filters=None)
    a[...] = data
    arrays["zarr"] = a


def array_write(r):
    write = {"blosc2": write_blosc2, "zarr": write_zarr}[r["library"]]
    t = fastest(r["reps"], lambda: write(r))
    a = arrays[r["library"]]
    return {"seconds": [t], "size": a.schunk.cbytes if r["library"] == "blosc2" else a.nbytes_stored()}


def box(r):
    return tuple(slice(a, b) for a, b in zip(r["start"], r["stop"]))


def array_read(r):
    a, key = arrays[r["library"]], box(r)
    return {"seconds": [fastest(r["reps"], lambda: a[key])], "size": 0}


def array_put(r):
    a, key = arrays[r["library"]], box(r)
    shape = [s.stop - s.start for s in key]
    piece = data.reshape(-1)[: int(np.prod(shape))].reshape(shape)

    def put():
        a[key] = piece

    t = fastest(r["reps"], put)
    if not np.array_equal(a[key], piece):
        raise ValueError("the box came back changed")
    return {"seconds": [t], "size": 0}


def rows_blosc2(r):
    """Appends row by row. What is in the file after each row is all there is to a commit."""
    cparams, dparams = b2_params(r)
    a = blosc2.empty((0, data.shape[1]), dtype=data.dtype, chunks=r["chunks"], blocks=r["blocks"], cparams=cparams,
                     dparams=dparams, urlpath=r["path"], contiguous=not r["sparse"], mode="w")
    for i, row in enumerate(data):
        a.resize((i + 1, data.shape[1]))
        a[i] = row


def rows_h5py(r):
    """The same with as much memory for open chunks as cairn has, and the fastest of the built-in codecs."""
    commit = len(data) // r["commits"]
    with h5py.File(r["path"], "w") as f:
        a = f.create_dataset("a", (0, data.shape[1]), dtype=data.dtype, maxshape=(None, data.shape[1]), chunks=tuple(r["chunks"]),
                             compression="lzf", shuffle=True, rdcc_nbytes=16 << 20)
        for i, row in enumerate(data):
            a.resize(i + 1, axis=0)
            a[i] = row
            if (i + 1) % commit == 0:
                f.flush()


def read_h5py(path):
    with h5py.File(path, "r") as f:
        return f["a"][...]


def written():
    """How many bytes this process has written to files, 0 where the system does not tell."""
    try:
        with open("/proc/self/io") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("wchar"))
    except OSError:
        return 0


def rows(r):
    append, read = {"python-blosc2": (rows_blosc2, lambda path: blosc2.open(path)[...]), "h5py": (rows_h5py, read_h5py)}[r["library"]]
    before, t0, used = written(), time.perf_counter(), time.process_time()
    append(r)
    used, t, wrote = time.process_time() - used, time.perf_counter() - t0, written() - before
    if not np.array_equal(read(r["path"]), data):
        raise ValueError("the rows came back changed")
    return {"seconds": [t / len(data), used / len(data)], "size": wrote}


commands = {"load": load, "frames": frames, "array-write": array_write, "array-read": array_read, "array-put": array_put, "rows": rows,
            "versions": lambda r: {"versions": [f"{k} {v}" for k, v in libraries.items()] + ["Python " + sys.version.split()[0]]}}

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
