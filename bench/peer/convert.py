"""Conversions and copies of the workload "verbs". Every function gets the request, and leaves its result in a file: the name of the
library, with the extension of the format.

What has no file format of its own takes two libraries: python-blosc2 stands behind the readers and writers of Zarr, which are
zarr-python, zarr-python with the codecs of zarrs, and TensorStore.
"""

import os
import shutil

import numpy as np

import arrays
import compute
from compute import operation


def path(r, name):
    return os.path.join(r["dir"], name)


def box(r):
    return tuple(slice(b, e) for b, e in zip(r["start"], r["stop"]))


def fresh(r, ext):
    """Removes the result of the last round."""
    name = path(r, r["library"] + ext)
    if os.path.isdir(name):
        shutil.rmtree(name)
    elif os.path.exists(name):
        os.remove(name)
    return name


if arrays.blosc2:
    blosc2 = arrays.blosc2
    name = "python-blosc2"

    def b2_storage(r):
        cparams, dparams = arrays.b2_params(r)
        return dict(urlpath=fresh(r, ".b2nd"), contiguous=True, chunks=r["chunks"], blocks=r["blocks"], cparams=cparams, dparams=dparams)

    def b2_source(r):
        return blosc2.open(path(r, "a.b2nd"), mode="r", dparams=dict(nthreads=r["threads"]))

    @operation(name, "npy to b2nd")
    def _(r):
        blosc2.asarray(np.load(path(r, "a.npy")), **b2_storage(r))

    @operation(name, "b2nd to npy")
    def _(r):
        np.save(fresh(r, ".npy"), b2_source(r)[...])

    @operation(name, "copy a selection")
    def _(r):
        # faster than slice(), which copies block by block
        blosc2.asarray(b2_source(r)[box(r)], **b2_storage(r))

    @operation(name, "copy into other chunks")
    def _(r):
        b2_source(r).copy(**(b2_storage(r) | dict(chunks=r["other chunks"], blocks=r["other blocks"])))

    @operation(name, "copy with another codec")
    def _(r):
        b2_source(r).copy(**b2_storage(r | {"codec": r["other codec"]}))


# Stores of Zarr have the codec that cairn writes: Blosc with Zstandard, level 5.
def zarr_python(name, library):
    def open_store(r, version):
        return library.open(r | {"path": path(r, f"a{version}.zarr"), "mode": "r"})[...]

    def create_store(r, version, a):
        library.configure(r)
        shuffle = "shuffle" if r["typesize"] > 1 else "noshuffle"
        if version == 2:
            codec = arrays.numcodecs.Blosc("zstd", 5, int(shuffle == "shuffle"))
        else:
            codec = arrays.BloscCodec(cname="zstd", clevel=5, shuffle=shuffle, typesize=r["typesize"])
        arrays.zarr.create_array(
            store=fresh(r, ".zarr"), shape=a.shape, dtype=a.dtype, chunks=r["chunks"], compressors=codec, filters=None, zarr_format=version
        )[...] = a

    zarr_operations(name, open_store, create_store)


def tensorstore(name, library):
    def open_store(r, version):
        return library.read(library.open(r | {"path": path(r, f"a{version}.zarr"), "version": version}), ...)

    def create_store(r, version, a):
        spec = library.spec(r | {"path": fresh(r, ".zarr"), "version": version})
        shuffle = int(r["typesize"] > 1)
        if version == 2:
            codec = {"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": shuffle, "blocksize": 0}
            metadata = {"shape": a.shape, "chunks": r["chunks"], "dtype": a.dtype.str, "compressor": codec}
        else:
            blosc = {"cname": "zstd", "clevel": 5, "shuffle": ["noshuffle", "shuffle"][shuffle], "typesize": r["typesize"], "blocksize": 0}
            codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "blosc", "configuration": blosc}]
            grid = {"name": "regular", "configuration": {"chunk_shape": r["chunks"]}}
            metadata = {"shape": a.shape, "data_type": a.dtype.name, "chunk_grid": grid, "codecs": codecs}
        arrays.ts.open(spec | {"metadata": metadata}, create=True).result().write(a).result()

    zarr_operations(name, open_store, create_store)


def zarr_operations(name, open_store, create_store):
    """Registers the conversions of a library, given functions that read and write a store as a NumPy array."""
    for version, codec in (2, "blosc"), (3, "zstd"):

        def read(r, version=version):
            blosc2.asarray(open_store(r, version), **b2_storage(r))

        def write(r, version=version):
            create_store(r, version, b2_source(r)[...])

        operation(name, f"Zarr {version} {codec} to b2nd")(read)
        operation(name, f"b2nd to Zarr {version}")(write)


if arrays.blosc2:
    for name, library in arrays.libraries.items():
        if name in ("zarr-python", "zarrs"):
            zarr_python(name, library)
        elif name == "TensorStore":
            tensorstore(name, library)

if compute.xarray:
    xarray = compute.xarray
    name = "xarray"

    def lazy(r, **kw):
        return xarray.open_zarr(path(r, "ab.zarr"), consolidated=False, **kw)["a"]

    def store(r, lazy, codec):
        import numcodecs

        lazy.encoding = {}
        compressor = numcodecs.Blosc(cname=codec, clevel=r["level"], shuffle=numcodecs.Blosc.SHUFFLE)
        chunks = [c[0] for c in lazy.chunks]
        task = lazy.to_dataset(name="a").to_zarr(
            fresh(r, ".zarr"), compute=False, consolidated=False, zarr_format=2, encoding={"a": {"compressors": compressor, "chunks": chunks}}
        )
        compute.compute(r, task)

    @operation(name, "copy a selection")
    def _(r):
        part = lazy(r, chunks={})[box(r)]
        store(r, part.chunk(dict(zip(part.dims, r["chunks"]))), r["codec"])

    @operation(name, "copy into other chunks")
    def _(r):
        a = lazy(r, chunks={})
        store(r, a.chunk(dict(zip(a.dims, r["other chunks"]))), r["codec"])

    @operation(name, "copy with another codec")
    def _(r):
        store(r, lazy(r, chunks={}), r["other codec"])


def items(name):
    """All items of a file."""
    ext = os.path.splitext(name)[1]
    if ext == ".npy":
        return np.load(name)
    if ext == ".b2nd":
        return arrays.blosc2.open(name, mode="r")[...]
    if ext == ".zarr":
        a = arrays.zarr.open(name, mode="r")
        return (a if isinstance(a, arrays.zarr.Array) else a["a"])[...]
    return compute.xarray.open_dataset(name, engine="scipy")["a"].values


def converted(r):
    """Compares files with what NumPy makes of the source, and their dtype."""
    want = np.load(path(r, "a.npy"))
    if r["op"] == "copy a selection":
        want = want[box(r)]
    for name in r["files"]:
        full = path(r, name)
        if not os.path.exists(full):  # xarray's copies are Zarr stores
            full = os.path.splitext(full)[0] + ".zarr"
        got = items(full)
        if got.dtype.newbyteorder("=") != want.dtype or got.shape != want.shape or not np.array_equal(got, want):
            raise ValueError(f"{name} differs from the source: {got.dtype} {got.shape}")
    return {}
