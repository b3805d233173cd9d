# The other side of onefile.go: python-blosc2 opens a file, zarr-python and xarray read it through
# references. Reads a JSON command per line and answers with one.
import json
import sys
import traceback
import warnings

import blosc2
import fsspec
import numpy as np
import xarray
import zarr
from zarr.storage import FsspecStore

warnings.simplefilter("ignore")


def boxed(a, start, stop):
    return np.ascontiguousarray(a[tuple(slice(i, k) for i, k in zip(start, stop))]).tobytes()


def check(c):
    want = np.frombuffer(open(c["want"], "rb").read(), np.dtype(c["dtype"])).reshape(c["shape"])
    box = boxed(want, c["start"], c["stop"])
    b = blosc2.open(c["path"])
    found = []
    if np.ascontiguousarray(b[:]).tobytes() != want.tobytes():
        found.append("python-blosc2: items differ")
    if boxed(b, c["start"], c["stop"]) != box:
        found.append("python-blosc2: a box differs")
    fs = fsspec.filesystem("reference", fo=c["refs"], asynchronous=True, remote_protocol="file")
    z = zarr.open_group(FsspecStore(fs, read_only=True), mode="r", zarr_format=2)["a"]
    if z.shape != want.shape or z.dtype != want.dtype or np.ascontiguousarray(z[...]).tobytes() != want.tobytes():
        found.append("zarr-python: items differ")
    if boxed(z, c["start"], c["stop"]) != box:
        found.append("zarr-python: a box differs")
    if c["xarray"]:
        d = xarray.open_dataset(c["refs"], engine="kerchunk", decode_cf=False, chunks={})["a"]
        if list(d.dims) != c["dims"]:
            found.append(f"xarray: dimensions {d.dims}")
        if np.ascontiguousarray(d.values.astype(want.dtype)).tobytes() != want.tobytes():
            found.append("xarray: items differ")
    return found


for line in sys.stdin:
    c = json.loads(line)
    try:
        if c.get("op") == "hello":
            answer = {"versions": f"blosc2 {blosc2.__version__}, zarr {zarr.__version__}, xarray {xarray.__version__}"}
        else:
            answer = check(c)
    except Exception as e:
        answer = {"error": repr(e), "trace": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
