# Converts the variable v of an HDF5 file to a Blosc2 file, as convert.go asks for:
#   convert.py whole|slabs IN OUT THREADS CHUNKS
import sys

import blosc2
import h5py
import hdf5plugin  # noqa: F401  (registers the filters)

way, source, target, threads, chunks = sys.argv[1:]
chunks = tuple(int(n) for n in chunks.split(","))
blosc2.set_nthreads(int(threads))
o = dict(urlpath=target, mode="w", chunks=chunks, cparams=blosc2.CParams(codec=blosc2.Codec.ZSTD, clevel=5, nthreads=int(threads)))
with h5py.File(source, "r") as f:
    v = f["v"]
    if way == "whole":
        blosc2.asarray(v[...], **o)
    else:
        a = blosc2.empty(v.shape, v.dtype, **o)
        step = chunks[0]
        for i in range(0, len(v), step):
            a[i : i + step] = v[i : i + step]
