"""Writes carriers.b2z, the store of arrays that stand for remote ones, with the real library: python store/testdata/carriers.py

It takes blosc2, h5py, zarr and fsspec. Each source that python-blosc2 has is kept in memory, where fsspec finds it: a frame, an HDF5 file, a Zarr array and
an archive. Of each there is a leaf without items, one with a part that was fetched, and one with everything.
"""

import io
import os
import shutil
import tempfile

import blosc2
import fsspec
import h5py
import numpy as np
import zarr

HERE = os.path.dirname(os.path.abspath(__file__))
blosc2.set_nthreads(1)
DATA = np.arange(100, dtype="i4").reshape(10, 10)


def sources(root):
    """Puts the sources into memory, and returns their addresses and what selects the array in each."""
    memory = fsspec.filesystem("memory")
    memory.pipe("/c/a.b2nd", blosc2.asarray(DATA, chunks=(5, 5), blocks=(5, 5)).to_cframe())
    h5 = io.BytesIO()
    with h5py.File(h5, "w", libver="latest") as f:
        f.create_dataset("d", data=DATA, chunks=(5, 5), compression="gzip", track_times=False)
    memory.pipe("/c/a.h5", h5.getvalue())
    folder = os.path.join(root, "a.zarr")
    zarr.open_array(folder, mode="w", shape=DATA.shape, chunks=(5, 5), dtype="i4")[:] = DATA
    for at, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(at, name)
            memory.pipe("/c/" + os.path.relpath(full, root), open(full, "rb").read())
    archive = os.path.join(root, "a.b2z")
    with blosc2.TreeStore(archive, mode="w") as store:
        store["/g/a"] = blosc2.asarray(DATA, chunks=(5, 5), blocks=(5, 5))
    memory.pipe("/c/a.b2z", open(archive, "rb").read())
    return {"b2nd": ("a.b2nd", None), "hdf5": ("a.h5", "d"), "zarr": ("a.zarr", None), "b2z": ("a.b2z", "/g/a")}


def main():
    root = tempfile.mkdtemp()
    directory = os.path.join(root, "s.b2d")
    with blosc2.TreeStore(directory, mode="w") as store:
        store["/array"] = DATA
    for name, (url, dataset) in sources(root).items():
        os.makedirs(os.path.join(directory, name))
        for part, region in {"none": None, "some": (slice(0, 3), slice(0, 3)), "all": ()}.items():
            array = blosc2.RemoteArray("memory://c/" + url, dataset=dataset, cache_policy=blosc2.CachePolicy.MEMORY)
            if region is not None:
                array[region]
            array.save(os.path.join(directory, name, part + ".b2nd"), include_cache=region is not None)
    path = os.path.join(HERE, "carriers.b2z")
    with blosc2.TreeStore(directory, mode="r") as store:
        store.to_b2z(filename=path, overwrite=True)
    os.chmod(path, 0o644)
    shutil.rmtree(root)


main()
