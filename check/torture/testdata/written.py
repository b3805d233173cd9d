"""Counts the bytes that C-Blosc2 writes for a change of a frame, as the system counts them, and how long the file is in the end: what BenchmarkWritten of package frame
counts here, with the same chunks.

    python written.py
"""

import os
import tempfile

import blosc2
import numpy as np

CHUNK, COUNT = 64 << 10, 100
blosc2.set_nthreads(1)


def written():
    with open("/proc/self/io") as f:
        return int(next(line for line in f if line.startswith("wchar")).split()[1])


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))


def chunk(rng, change, i):
    data = np.zeros(CHUNK, dtype=np.uint8)
    noise = CHUNK // 2 + 8 * i if change == "update other size" else CHUNK
    data[:noise] = rng.integers(0, 256, noise)
    return data


def changes(frame, rng, change):
    for i in range(COUNT):
        data = chunk(rng, change, i)
        if change == "append":
            frame.append_data(data)
        else:
            frame.update_data(i, data, False)


for contiguous in (True, False):
    for change in ("append", "update", "update other size"):
        with tempfile.TemporaryDirectory() as directory:
            path, rng = os.path.join(directory, "f.b2frame"), np.random.default_rng(1)
            frame = blosc2.SChunk(chunksize=CHUNK, urlpath=path, contiguous=contiguous, mode="w", cparams={"codec": blosc2.Codec.ZSTD, "clevel": 5, "typesize": 1})
            if change != "append":
                changes(frame, rng, "append")
            before = written()
            changes(frame, rng, change)
            print(f"{change}, contiguous={contiguous}: {(written() - before) / COUNT:.0f} B a change, {size(path)} B in the end")
