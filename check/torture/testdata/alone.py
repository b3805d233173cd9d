"""Shows that readers of the C library are refused now and then beside its own writer, all with the lock: nothing of cairn is running.

    python alone.py SECONDS

One process replaces chunks, which become longer and shorter, and two read a block or a chunk at a time; first contiguous, then sparse. Prints how many reads there were and how
many of them failed. docs/format/frame.md#lock says why they do.
"""

import multiprocessing
import os
import sys
import tempfile
import time

import blosc2
import numpy as np

ROWS, BLOCK, CHUNK, COLUMNS = 64, 4, 16, 64


def write(path, end):
    blosc2.set_nthreads(1)
    array, n = blosc2.open(path, mode="a", locking=True), 0
    while time.monotonic() < end:
        at = n % (ROWS // CHUNK) * CHUNK
        array[at:at + CHUNK] = np.arange(CHUNK * COLUMNS).reshape(CHUNK, COLUMNS) // (1 + n % 7) + n
        n += 1
        time.sleep(0.0005)


def read(path, end, out):
    blosc2.set_nthreads(1)
    array, reads, refused = blosc2.open(path, mode="r", locking=True), 0, 0
    while time.monotonic() < end:
        at = reads * BLOCK % ROWS
        try:
            array[at:at + BLOCK]
        except RuntimeError:
            refused += 1
        reads += 1
    out.put((reads, refused))


def main(seconds):
    spawn = multiprocessing.get_context("spawn")
    for contiguous in (True, False):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "a.b2nd")
            array = blosc2.zeros((ROWS, COLUMNS), dtype=np.int64, chunks=(CHUNK, COLUMNS), blocks=(BLOCK, COLUMNS), urlpath=path,
                                 contiguous=contiguous, cparams={"codec": blosc2.Codec.LZ4})
            array[...] = 1
            del array
            out, end = spawn.Queue(), time.monotonic() + seconds
            everybody = [spawn.Process(target=write, args=(path, end))] + [spawn.Process(target=read, args=(path, end, out)) for _ in range(2)]
            for p in everybody:
                p.start()
            counts = [out.get() for _ in range(2)]
            for p in everybody:
                p.join()
            print("contiguous" if contiguous else "sparse", "reads:", sum(c[0] for c in counts), "refused:", sum(c[1] for c in counts))


if __name__ == "__main__":
    main(float(sys.argv[1]))
