"""Files that need more than the core of the format: readers either have it or must say that they do not."""

import blosc2
import numpy as np

from . import data
from .frames import cparams, write
from .zfp import number


def run(rec):
    raw = data.make("noisy", 4000, 4, data.rng("bytedelta"))
    write(rec, "needs-bytedelta.b2frame", [raw], cparams("lz4", filters=[(1, 0), (35, 4)], typesize=4))
    rec.frame("needs-bytedelta.b2frame", raw, needs_filter=35)
    masked = (np.frombuffer(raw, "<i4") & ~np.int32(15)).tobytes()
    write(rec, "needs-int-trunc.b2frame", [raw], cparams("lz4", filters=[(36, 28), (1, 0)], typesize=4))
    rec.frame("needs-int-trunc.b2frame", masked, needs_filter=36)
    arr = np.arange(64 * 64, dtype="|u1").reshape(64, 64)
    p = cparams(32, filters="none", typesize=1)
    p.codec_meta = 4
    blosc2.asarray(arr, chunks=(32, 32), blocks=(16, 16), urlpath=rec.path("needs-ndlz.b2nd"), mode="w", cparams=p)
    rec.array("needs-ndlz.b2nd", arr, needs_codec=32)
    ndlz(rec)
    cells(rec)
    blocks_of_any_length(rec)


def ndlz(rec):
    """Cells that repeat each other whole and in rows, cells of one value, and cells that do not end with the block."""
    y, x = np.indices((75, 70))
    arr = np.where(y < 20, x % 7 + y % 3 * 7, np.where(x < 30, y // 9, (x // 5 * 3 + y * (y % 4 == 1) * x) % 251)).astype("|u1")
    for side in (4, 8):
        name = f"ndlz-{side}.b2nd"
        p = cparams(32, filters="none", typesize=1)
        p.codec_meta = side
        blosc2.asarray(arr, chunks=(75, 40), blocks=(37, 40), urlpath=rec.path(name), mode="w", cparams=p, dparams=blosc2.DParams(nthreads=1))
        rec.array(name, arr, needs_codec=32, hostile=side == 4)


def cells(rec):
    """Blocks in the order of cells, and floats that are the means of theirs. Cells end with the blocks, blocks with the array."""
    wide = np.dtype([("a", "<i4"), ("b", "<f8"), ("s", "S3")])
    plan = [
        ("ndcell-1d.b2nd", "<i4", (500,), (400,), (130,), 32, 5), ("ndcell-2d.b2nd", "<f8", (19, 22), (19, 20), (9, 10), 32, 4),
        ("ndcell-3d.b2nd", "<i2", (10, 9, 11), (10, 9, 11), (5, 9, 7), 32, 3), ("ndcell-4d.b2nd", wide, (6, 7, 5, 6), (6, 7, 5, 6), (6, 4, 5, 3), 32, 2),
        ("ndmean-1d-f4.b2nd", "<f4", (500,), (400,), (130,), 33, 5), ("ndmean-2d-f8.b2nd", "<f8", (19, 22), (19, 20), (9, 10), 33, 4),
        ("ndmean-3d-f4.b2nd", "<f4", (10, 9, 11), (10, 9, 11), (5, 4, 11), 33, 5), ("ndmean-4d-f8.b2nd", "<f8", (6, 7, 5, 6), (6, 7, 5, 6), (6, 4, 5, 3), 33, 3),
    ]
    for name, dtype, shape, chunks, blocks, number_of_filter, side in plan:
        values = number(shape)
        arr = values.astype(dtype)
        if dtype is wide:
            arr = np.zeros(shape, wide)
            arr["a"], arr["b"] = values * 8, values
        p = cparams("lz4", filters=[(number_of_filter, side), (1, 0)], typesize=arr.dtype.itemsize)
        out = blosc2.asarray(arr, chunks=chunks, blocks=blocks, urlpath=rec.path(name), mode="w", cparams=p, dparams=blosc2.DParams(nthreads=1))
        got = out[...]
        if number_of_filter == 32 and got.tobytes() != arr.tobytes():
            raise RuntimeError(f"{name}: the library does not read what it wrote")
        rec.array(name, got, needs_filter=number_of_filter, hostile=len(shape) == 3)


def blocks_of_any_length(rec):
    """A batch array: each block of a chunk has a length of its own."""
    name = "needs-vl-blocks.b2frame"
    batches = blosc2.BatchArray(items_per_block=4, urlpath=rec.path(name), mode="w", contiguous=True, cparams=cparams("zstd"))
    batches.append([{"a": i, "t": "x" * i} for i in range(30)])
    batches.append(list(range(10)))
    sc = blosc2.open(rec.path_of(name), mode="r").schunk
    rec.frame(name, b"".join(sc.decompress_chunk(i) for i in range(sc.nchunks)), handle=sc, needs_feature="vl-blocks")
