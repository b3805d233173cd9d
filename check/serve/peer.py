# The other side of read.go and make.go: writes arrays with python-blosc2 and zarr-python, and reads
# what a server shows of arrays. Reads a JSON command per line and answers with one.
import json
import os
import sys
import tempfile
import traceback
import warnings

import blosc2
import dask.array
import fsspec
import numpy as np
import tensorstore
import xarray
import zarr
from zarr.storage import FsspecStore

warnings.simplefilter("ignore")
blosc2.set_nthreads(1)


def parsed(text):
    return np.dtype(eval(text)) if text[0] == "[" else np.dtype(text)


def items(c):
    return np.fromfile(c["want"], parsed(c["dtype"])).reshape(c["shape"])


def write_blosc2(c):
    s = c["spec"]
    split = [blosc2.SplitMode.ALWAYS_SPLIT, blosc2.SplitMode.NEVER_SPLIT, blosc2.SplitMode.AUTO_SPLIT][s["split"] - 1]
    filters = [blosc2.Filter(f) for f in s["filters"]]
    cparams = blosc2.CParams(codec=blosc2.Codec(s["codec"]), clevel=s["level"], filters=filters,
                             filters_meta=[0] * len(filters), splitmode=split, nthreads=1)
    o = {"chunks": tuple(s["chunks"]), "blocks": tuple(s["blocks"])} if s["level"] % 3 else {}
    a = blosc2.asarray(items(s), urlpath=c["path"], cparams=cparams, **o)
    if s["dims"]:
        a.schunk.vlmeta["_ARRAY_DIMENSIONS"] = s["dims"]
    for name, value in s["attributes"].items():
        a.schunk.vlmeta[name] = value
    return True


def write_zarr(c):
    s = c["spec"]
    a = items(s)
    z = zarr.create_array(c["path"], shape=a.shape, dtype=a.dtype, chunks=tuple(s["chunks"]), zarr_format=c["version"])
    z[...] = a
    return True


def same(got, want):
    got = np.asarray(got)
    return got.shape == want.shape and np.ascontiguousarray(got.astype(want.dtype, copy=False)).tobytes() == want.tobytes()


class Reader:
    def __init__(self, c):
        self.c, self.want = c, items(c)
        self.box = tuple(slice(i, k) for i, k in zip(c["start"], c["stop"]))
        self.d = self.want.dtype
        self.found, self.reads = [], []

    def compare(self, who, a):
        """Compares an array, whole and in part."""
        self.reads.append(who)
        if tuple(a.shape) != self.want.shape:
            self.found.append(f"{who}: shape {a.shape}")
        elif not same(a[...], self.want):
            self.found.append(f"{who}: items differ")
        elif self.box and not same(a[self.box], self.want[self.box]):
            self.found.append(f"{who}: a box differs")

    def attempt(self, who, run):
        try:
            run(who)
        except Exception as e:
            self.found.append(f"{who}: {e!r} {traceback.format_exc()[-900:]}")

    def run(self):
        for version in (2, 3):
            self.attempt(f"zarr-python v{version}", lambda who: self.array(who, version))
            self.attempt(f"zarr-python v{version} consolidated", lambda who: self.group(who, version, True))
            self.attempt(f"zarr-python v{version} group", lambda who: self.group(who, version, False))
            if self.d.names is None and self.d.kind != "V":
                self.attempt(f"xarray v{version}", lambda who: self.xarray(who, version))
            if self.d.names is None and self.d.kind not in "SUVMm":
                self.attempt(f"TensorStore v{version}", lambda who: self.tensorstore(who, version))
        if self.c["file"]:
            self.attempt("python-blosc2", self.remote)
            self.attempt("python-blosc2 download", self.download)
        if self.c["tree"]:
            self.attempt("python-blosc2 tree", self.tree)

    def open(self, version):
        return zarr.open_array(FsspecStore.from_url(self.c["zarr"], read_only=True), mode="r", zarr_format=version)

    def array(self, who, version):
        if self.d.names is not None and not self.want.shape:
            return  # zarr-python 3.1.6 fails at these
        z = self.open(version)
        self.compare(who, z)
        attributes = dict(z.attrs)
        dims = attributes.pop("_ARRAY_DIMENSIONS", None) if version == 2 else z.metadata.dimension_names
        if self.c["dims"] and list(dims) != self.c["dims"]:
            self.found.append(f"{who}: dimensions {dims}")
        attributes.pop("_FillValue", None)
        if attributes != (self.c["attributes"] or {}):
            self.found.append(f"{who}: attributes {attributes}")
        if self.want.shape and self.d.names is None:
            self.reads.append(f"dask v{version}")
            if not same(dask.array.from_zarr(z).compute(scheduler="synchronous"), self.want):
                self.found.append(f"dask v{version}: items differ")

    def group(self, who, version, consolidated):
        if self.d.names is not None and not self.want.shape:
            return
        store = FsspecStore.from_url(self.c["group"], read_only=True)
        g = zarr.open_group(store, mode="r", zarr_format=version, use_consolidated=consolidated)
        self.compare(who, g[self.c["member"]])
        names = [name for name, _ in g.members(max_depth=None)]
        if self.c["member"] not in names:
            self.found.append(f"{who}: not among the members {names}")

    def xarray(self, who, version):
        url, member = self.c["group"], self.c["member"]
        if "/" in member:
            url, member = url + "/" + os.path.dirname(member), os.path.basename(member)
        d = xarray.open_dataset(url, engine="zarr", zarr_format=version, consolidated=True, decode_cf=False, chunks={})[member]
        self.compare(who, d.values)
        if self.c["dims"] and list(d.dims) != self.c["dims"]:
            self.found.append(f"{who}: dimensions {d.dims}")

    def tensorstore(self, who, version):
        spec = {"driver": "zarr" if version == 2 else "zarr3", "kvstore": {"driver": "http", "base_url": self.c["zarr"] + "/"}}
        t = tensorstore.open(spec, open=True, read=True).result()
        self.compare(who, t.read().result()) if not self.box else self.parts(who, t)

    def parts(self, who, t):
        self.reads.append(who)
        if not same(t.read().result(), self.want):
            self.found.append(f"{who}: items differ")
        if not same(t[self.box].read().result(), self.want[self.box]):
            self.found.append(f"{who}: a box differs")

    # C-Blosc2 misreads slices of arrays with delta, even those of the whole array, of local files
    # too: such arrays are only opened.

    def remote(self, who):
        a = blosc2.open(self.c["file"], mode="r")
        self.reads.append(who)
        if self.c["delta"]:
            return
        if not same(a[()] if not self.box else a[:], self.want):
            self.found.append(f"{who}: items differ")
        if self.box and not same(a[self.box], self.want[self.box]):
            self.found.append(f"{who}: a box differs")

    def fetched(self, url, run):
        with tempfile.TemporaryDirectory() as dir:
            local = os.path.join(dir, os.path.basename(url))
            fsspec.filesystem("http").get(url, local)
            run(local)

    def download(self, who):
        def check(local):
            a = blosc2.open(local, mode="r")
            self.reads.append(who)
            if not self.c["delta"] and not same(a[()], self.want):
                self.found.append(f"{who}: items differ")
        self.fetched(self.c["file"], check)

    def tree(self, who):
        def check(local):
            a = blosc2.TreeStore(local, mode="r")["/" + self.c["leaf"]]
            self.reads.append(who)
            if not self.c["delta"] and not same(a[()], self.want):
                self.found.append(f"{who}: items differ")
        self.fetched(self.c["tree"], check)


def read(c):
    r = Reader(c)
    r.run()
    return {"Found": r.found, "Reads": r.reads}


def hello(c):
    return {"versions": f"zarr {zarr.__version__}, xarray {xarray.__version__}, dask {dask.__version__}, TensorStore, "
                        f"blosc2 {blosc2.__version__}, numpy {np.__version__}"}


for line in sys.stdin:
    try:
        command = json.loads(line)
        answer = {"hello": hello, "blosc2": write_blosc2, "zarr": write_zarr, "read": read}[command["op"]](command)
    except Exception as e:
        answer = {"error": repr(e), "trace": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
