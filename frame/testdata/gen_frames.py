"""Makes the frames in testdata/c with the real library, through python-blosc2.

Run it with the python that has python-blosc2: python gen_frames.py
The frames here were made with python-blosc2 4.14.1 (C-Blosc2 3.3.5), on x86-64.
"""

import os
import shutil

import blosc2
import numpy as np

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "c")
shutil.rmtree(here, ignore_errors=True)
os.makedirs(here)


def schunk(name, chunksize=400, contiguous=True, **cparams):
    params = {"typesize": 4, "nthreads": 1} | cparams
    return blosc2.SChunk(
        urlpath=os.path.join(here, name), contiguous=contiguous, mode="w", chunksize=chunksize,
        cparams=params, dparams={"nthreads": 1},
    )


def ramp(n, start=0):
    return np.arange(start, start + n, dtype="i4")


# No chunk at all.
s = schunk("empty.b2frame")
del s

# One chunk and two metalayers of variable length, one of them with an empty text.
s = schunk("vlmeta.b2frame")
s.append_data(ramp(100))
s.vlmeta["greeting"] = "hello"
s.vlmeta["void"] = ""
del s

# A special chunk between others: the index is stored.
s = schunk("three.b2frame")
s.append_data(ramp(100))
s.append_data(np.zeros(100, dtype="i4"))
s.append_data(ramp(100, 7))
del s

# Enough chunks for a compressed index of two blocks, with a short last one. Most are special, to
# keep the file small.
s = schunk("many.b2frame", chunksize=64)
for i in range(2100):
    s.append_data(np.full(16, i if i % 50 == 0 else 0, dtype="i4"))
s.append_data(ramp(5))
del s

# Chunks of different sizes.
s = schunk("variable.b2frame")
for n in (100, 50, 120, 100):
    s.append_data(ramp(n))
del s

# Special chunks only, the last one short: the index is a repeated value.
s = schunk("fill.b2frame", chunksize=4000, typesize=8)
s.fill_special(1200, blosc2.SpecialValue.NAN)
del s

# Other parameters: every field of the header that they reach.
s = schunk(
    "params.b2frame", codec=blosc2.Codec.LZ4HC, clevel=3, blocksize=80, typesize=8,
    filters=[blosc2.Filter.DELTA, blosc2.Filter.BITSHUFFLE], filters_meta=[0, 0],
    splitmode=blosc2.SplitMode.NEVER_SPLIT,
)
s.append_data(np.arange(50))
del s

# A directory.
s = schunk("sparse.b2frame", contiguous=False)
for k in range(3):
    s.append_data(ramp(100, k))
s.append_data(np.zeros(100, dtype="i4"))
s.vlmeta["greeting"] = "hello"
del s

# What C-Blosc2 leaves after inserting, updating, deleting and reordering: dead bytes, chunks out of
# order.
s = schunk("mutated.b2frame")
for k in range(6):
    s.append_data(ramp(100, k))
s.insert_data(2, ramp(100, 50), copy=True)
s.update_data(4, ramp(100, 60), copy=True)
s.delete_chunk(1)
s.delete_chunk(5)
s.reorder_offsets(np.array([4, 2, 0, 1, 3], dtype="i8"))
del s

# All chunks deleted: the sizes in the header are history.
s = schunk("deleted.b2frame")
s.append_data(ramp(100))
s.delete_chunk(0)
del s

# An array: a fixed metalayer.
a = blosc2.zeros((100,), dtype="f4", chunks=(10,), urlpath=os.path.join(here, "b2nd.b2nd"), mode="w",
                 cparams={"nthreads": 1}, dparams={"nthreads": 1})
del a
