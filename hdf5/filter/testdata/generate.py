"""Writes chunks.jsonl: chunks as h5py, hdf5plugin and PyTables store them, with their filters.

    python generate.py      (h5py==3.16.0 hdf5plugin==7.1.0 tables==3.11.1 numpy==2.4.6)

Each line is a chunk: its name, its filters (id and parameters), its mask, its bytes in the file, and
the bytes of its items, deflated. The last two are in base64.
"""

import base64
import json
import os
import tempfile
import zlib

import h5py
import hdf5plugin
import numpy as np
import tables
from h5py import h5z

rng = np.random.default_rng(7)
out = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "chunks.jsonl"), "w")
path = os.path.join(tempfile.mkdtemp(), "x.h5")


def walk(shape, dtype, step=3):
    """Returns numbers that differ little from their neighbours."""
    n = int(np.prod(shape))
    return (np.cumsum(rng.integers(-step, step + 1, n)) + 100).reshape(shape).astype(dtype)


def keep(name, d, at=None):
    """Writes the chunk at an offset of a dataset."""
    at = at or (0,) * len(d.shape)
    mask, raw = d.id.read_direct_chunk(at)
    plist = d.id.get_create_plist()
    filters = []
    for i in range(plist.get_nfilters()):
        number, _, values, _ = plist.get_filter(i)
        filters.append([number, [int(v) for v in values]])
    items = np.zeros(d.chunks, d.dtype)
    if d.fillvalue is not None:
        items[...] = d.fillvalue
    box = tuple(slice(o, min(o + c, s)) for o, c, s in zip(at, d.chunks, d.shape))
    part = d[box]
    items[tuple(slice(0, n) for n in part.shape)] = part
    out.write(json.dumps({
        "name": name, "filters": filters, "mask": mask,
        "stored": base64.b64encode(raw).decode(),
        "items": base64.b64encode(zlib.compress(items.tobytes(), 9)).decode(),
    }) + "\n")


def write(name, data, at=None, **kw):
    kw.setdefault("chunks", data.shape)
    with h5py.File(path, "w") as f:
        f.create_dataset("x", data=data, **kw)
    with h5py.File(path, "r") as f:
        keep(name, f["x"], at)


def plugin(name, data, filt, **kw):
    write(name, data, compression=filt.filter_id, compression_opts=filt.filter_options, **kw)


i4, f8, u2 = walk((20, 50), "<i4"), walk((20, 30), "<f8") / 8, walk((3000,), "<u2")
write("deflate", i4, compression=9)
write("deflate shuffle", f8, compression=1, shuffle=True)
write("deflate shuffle fletcher32", i4, compression=4, shuffle=True, fletcher32=True)
write("deflate of noise", rng.integers(0, 256, 300).astype("u1"), compression=4, shuffle=True)
write("fletcher32 odd", rng.integers(0, 256, 301).astype("u1"), fletcher32=True)
write("fletcher32 long", rng.integers(0, 256, 5000).astype("u1"), fletcher32=True)
write("shuffle of compounds", np.array([(i, i / 2, b"ab%d" % i) for i in range(77)], "<i2,<f8,S5"), shuffle=True)
write("lzf", u2, compression="lzf")
write("lzf of zeros", np.zeros(3000, "<i8"), compression="lzf")
write("lzf shuffle", f8, compression="lzf", shuffle=True)

for dtype in ("<i1", "<u1", "<i2", ">u2", "<i4", ">i4", "<u8", ">i8"):
    data = walk((30, 17), dtype)
    write("scaleoffset " + dtype, data, scaleoffset=0, fillvalue=None)
    data[3, 4:9] = 77
    write("scaleoffset fill " + dtype, data, scaleoffset=0, fillvalue=77)
write("scaleoffset 5 bits", walk((90,), "<i4") % 32, scaleoffset=5)
write("scaleoffset wide", np.array([-2**31, 2**31 - 1, 5, -7], "<i4"), scaleoffset=0)
write("scaleoffset wide big", np.array([-2**31, 2**31 - 1, 5, -7], ">i4"), scaleoffset=0)
write("scaleoffset all equal", np.full(100, 42, "<i4"), scaleoffset=0)
write("scaleoffset all fill", np.full(100, 42, "<i4"), scaleoffset=0, fillvalue=42)
for dtype in ("<f4", ">f4", "<f8", ">f8"):
    data = (walk((30, 17), "f8") / 7).astype(dtype)
    write("scaleoffset 3 digits " + dtype, data, scaleoffset=3)
    data[5, 3:8] = -999
    write("scaleoffset 2 digits fill " + dtype, data, scaleoffset=2, fillvalue=-999)
    write("scaleoffset 1 digit, before deflate " + dtype, data, scaleoffset=1, compression=6)


def nbit(name, kind, data):
    """Writes data with the filter nbit and a type of fewer bits."""
    with h5py.File(path, "w") as f:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(data.shape)
        plist.set_filter(h5z.FILTER_NBIT, h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple(data.shape)
        d = h5py.h5d.create(f.id, b"x", kind, space, plist)
        d.write(space, space, data)
    with h5py.File(path, "r") as f:
        d = f["x"]
        keep(name, d)


def narrow(base, precision, offset):
    kind = base.copy()
    kind.set_precision(precision)
    kind.set_offset(offset)
    return kind


nbit("nbit 19 of i4", narrow(h5py.h5t.STD_I32LE, 19, 0), walk((40, 9), "<i4"))
nbit("nbit 13 of u2 big", narrow(h5py.h5t.STD_U16BE, 13, 0), walk((200,), ">u2"))
nbit("nbit all of i4", h5py.h5t.STD_I32LE, walk((40,), "<i4"))
pair = h5py.h5t.create(h5py.h5t.COMPOUND, 16)
pair.insert(b"a", 0, narrow(h5py.h5t.STD_I32LE, 18, 0))
pair.insert(b"b", 4, h5py.h5t.py_create(np.dtype("S3")))
pair.insert(b"c", 8, narrow(h5py.h5t.STD_U64BE, 33, 0))
memory = np.dtype({"names": ["a", "b", "c"], "formats": ["<i4", "S3", ">u8"], "offsets": [0, 4, 8], "itemsize": 16})
data = np.zeros(60, memory)
data["a"], data["b"], data["c"] = walk((60,), "i4") - 90, b"xyz", np.arange(60) << 27
nbit("nbit of compounds", pair, data)

for lib in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
    for shuffle in (0, 1, 2):
        plugin(f"blosc {lib} {shuffle}", i4, hdf5plugin.Blosc(cname=lib, clevel=5, shuffle=shuffle))
for lib in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
    plugin(f"blosc2 {lib}", walk((2500,), "<f4"), hdf5plugin.Blosc2(cname=lib, clevel=5, filters=1))
plugin("blosc2 bitshuffle", walk((2500,), "<i8"), hdf5plugin.Blosc2(cname="lz4", clevel=9, filters=2))
plugin("blosc2 delta", walk((2500,), "<i8"), hdf5plugin.Blosc2(cname="zstd", clevel=1, filters=3))
plugin("lz4", i4, hdf5plugin.LZ4())
plugin("lz4 blocks", walk((40, 77), "<i2"), hdf5plugin.LZ4(nbytes=1000))
plugin("lz4 of noise", rng.integers(0, 256, 3000).astype("u1"), hdf5plugin.LZ4(nbytes=999))
plugin("zstd", f8, hdf5plugin.Zstd(clevel=7))
write("zstd shuffle fletcher32", i4, shuffle=True, fletcher32=True, **hdf5plugin.Zstd(clevel=3))
for lib in ("none", "lz4", "zstd"):
    plugin(f"bitshuffle {lib}", walk((4999,), "<i4"), hdf5plugin.Bitshuffle(cname=lib))
    plugin(f"bitshuffle {lib} of few", walk((19,), "<i8"), hdf5plugin.Bitshuffle(cname=lib))
    plugin(f"bitshuffle {lib} blocks", walk((1001,), "<u2"), hdf5plugin.Bitshuffle(nelems=64, cname=lib))
    plugin(f"bitshuffle {lib} bytes", walk((1001,), "<i1"), hdf5plugin.Bitshuffle(cname=lib))
plugin("bzip2", i4, hdf5plugin.BZip2(blocksize=9))
write("lzf before deflate", np.zeros(2000, "<i8"), compression="lzf")


def pytables(name, data, complib, **kw):
    with tables.open_file(path, "w") as f:
        f.create_carray("/", "x", obj=data, chunkshape=data.shape, filters=tables.Filters(complib=complib, **kw))
    with h5py.File(path, "r") as f:
        keep(name, f["x"])


for lib in ("zlib", "bzip2", "blosc", "blosc:lz4", "blosc2", "blosc2:zstd", "blosc2:lz4"):
    pytables("tables " + lib, walk((37, 41), "<i4"), lib, complevel=5)
pytables("tables blosc2 3-d", walk((13, 17, 11), "<f8"), "blosc2:lz4", complevel=5, shuffle=True)
pytables("tables blosc2 bitshuffle", walk((130, 64), "<u2"), "blosc2:zstd", complevel=5, bitshuffle=True)
out.close()

# szip, appended so that the numbers above stay as they were drawn.
steps = np.cumsum(rng.integers(-3, 4, (13, 70)), axis=1)
rare = (rng.random((13, 70)) < 0.02) * rng.integers(0, 120, (13, 70))
for coder in ("nn", "ec"):
    for dtype in ("|u1", "<i2", ">i2", "<i4", ">f4", "<f8"):
        write(f"szip {coder} {dtype}", steps.astype(dtype), compression="szip", compression_opts=(coder, 16), chunks=(5, 33))
    write(f"szip {coder} of zeros", np.zeros((9, 4000), "<u2"), compression="szip", compression_opts=(coder, 8))
    write(f"szip {coder} of few", rare.astype("<i2"), compression="szip", compression_opts=(coder, 4))
    write(f"szip {coder} of noise", rng.integers(0, 256, (9, 40)).astype("|u1"), compression="szip",
          compression_opts=(coder, 32), shuffle=True)
