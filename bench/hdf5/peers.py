# Reads parts of HDF5 files with h5py and netCDF4-python, as peers.go asks for, and makes the files.
import json
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import h5py
import hdf5plugin
import netCDF4
import numpy as np

NETCDF4 = {
    "gzip": dict(compression="zlib", complevel=4, shuffle=True),
    "zstd-alone": dict(compression="zstd", complevel=3),  # which is not shuffled in any case
    "contiguous": dict(contiguous=True),
}
H5PY = {
    "zstd": dict(shuffle=True, **hdf5plugin.Zstd(clevel=3)),
    "blosc2": hdf5plugin.Blosc2(cname="zstd", clevel=5, filters=1),
}


def make(task):
    """Writes an array of a .npy file: with netCDF4-python, or with h5py if that has the filter."""
    data = np.load(task["npy"], mmap_mode="r")
    chunks = task["chunks"]
    if task["kind"] in H5PY:
        with h5py.File(task["path"], "w", track_order=True) as f:
            f.create_dataset("v", data=data, chunks=tuple(chunks), **H5PY[task["kind"]])
    else:
        with netCDF4.Dataset(task["path"], "w") as f:
            for i, n in enumerate(data.shape):
                f.createDimension("d%d" % i, n)
            o = dict(NETCDF4[task["kind"]])
            if task["kind"] != "contiguous":
                o["chunksizes"] = chunks
            v = f.createVariable("v", data.dtype, ["d%d" % i for i in range(data.ndim)], **o)
            step = max(1, 2**26 // data[0].nbytes) // chunks[0] * chunks[0] or chunks[0]
            for i in range(0, len(data), step):
                v[i : i + step] = data[i : i + step]
    return {}


OPEN = {}


def variable(library, path):
    """Returns the array of a file, which stays open."""
    if (library, path) not in OPEN:
        if library == "h5py":
            OPEN[library, path] = h5py.File(path, "r")["v"]
        else:
            f = netCDF4.Dataset(path)
            f.set_auto_maskandscale(False)
            OPEN[library, path] = f["v"]
            if not isinstance(f["v"].chunking(), str):
                # As h5py: by default it holds all places.
                f["v"].set_var_chunk_cache(8 << 20, 521, 0.75)
    return OPEN[library, path]


def halves(part):
    """Cuts a part along its longest dimension."""
    d = max(range(len(part)), key=lambda i: part[i].stop - part[i].start)
    middle = (part[d].start + part[d].stop) // 2
    cut = lambda a, b: part[:d] + (slice(a, b),) + part[d + 1 :]
    return d, cut(part[d].start, middle), cut(middle, part[d].stop)


POOL = ThreadPoolExecutor(2)


def read(task):
    v = variable(task["library"], task["path"])
    part = tuple(slice(a, b) for a, b in zip(task["start"], task["stop"]))
    began = time.perf_counter()
    if task["threads"] == 1 or task["library"] == "netCDF4":  # which crashes in several threads
        items = v[part]
    else:
        d, first, second = halves(part)
        items = np.empty([s.stop - s.start for s in part], v.dtype)
        middle = first[d].stop - part[d].start

        def one(half, at):
            items[(slice(None),) * d + (at,)] = v[half]

        list(POOL.map(one, (first, second), (slice(0, middle), slice(middle, None))))
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "sum": zlib.crc32(np.ascontiguousarray(items)) if task["check"] else 0}


print(json.dumps({"versions": f"h5py {h5py.__version__} (HDF5 {h5py.version.hdf5_version}), netCDF4 {netCDF4.__version__} (HDF5 {netCDF4.__hdf5libversion__}), numpy {np.__version__}"}), flush=True)
for line in sys.stdin:
    task = json.loads(line)
    try:
        answer = {"make": make, "read": read}[task["op"]](task)
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), flush=True)
