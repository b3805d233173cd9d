"""Records what the real C-Blosc2 does to its files, for the replay test of crashes.

    python record.py

needs a C compiler, blosc2 and numpy; it writes ../cblosc2-*.trace.gz. Each trace is made by a process of its own, under recorder.c.
"""

import ctypes
import gzip
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ITEMS = 256  # per chunk, of 4 bytes


class Marked:
    """Marks what happens in a with block as one action of the trace."""

    def __init__(self):
        self.recorder = ctypes.CDLL(os.environ["LD_PRELOAD"])

    def __call__(self, name):
        self.recorder.record_begin(name.encode())
        return self

    def __enter__(self):
        return self

    def __exit__(self, *failed):
        self.recorder.record_end()


def record_frame(action, path, contiguous):
    import blosc2
    import numpy as np

    rng = random.Random(8)

    def data():
        values = np.arange(ITEMS, dtype=np.int32) * rng.randrange(1, 99)
        noisy = rng.randrange(ITEMS * 3 // 4)
        values[:noisy] = [rng.getrandbits(31) for _ in range(noisy)]
        return values

    with action("create"):
        s = blosc2.SChunk(
            chunksize=ITEMS * 4, urlpath=path, contiguous=contiguous,
            cparams=blosc2.CParams(codec=blosc2.Codec.LZ4, typesize=4, nthreads=1), dparams=blosc2.DParams(nthreads=1))
    layers = []
    todo = ["append"] * 24 + ["vlmeta_add"] * 2 + ["vlmeta_update"] * 4 + ["update"] * 24 + ["insert"] * 8
    todo += ["append_zeros"] * 3 + ["delete"] * 8 + ["reorder"] + ["append"] * 5 + ["vlmeta_delete"]
    for kind in todo:
        values, at = data(), rng.randrange(s.nchunks) if s.nchunks else 0
        text = bytes(rng.getrandbits(8) for _ in range(rng.randrange(200, 900)))
        with action(kind):
            if kind == "append":
                s.append_data(values)
            elif kind == "update":
                s.update_data(at, values, copy=True)
            elif kind == "insert":
                s.insert_data(at, values, copy=True)
            elif kind == "delete":
                s.delete_chunk(at)
            elif kind == "append_zeros":
                s.append_data(values * 0)
            elif kind == "reorder":
                order = list(range(s.nchunks))
                rng.shuffle(order)
                s.reorder_offsets(np.array(order, dtype=np.int64))
            elif kind == "vlmeta_add":
                layers.append(f"layer{len(layers)}")
                s.vlmeta[layers[-1]] = text
            elif kind == "vlmeta_update":
                s.vlmeta[rng.choice(layers)] = text
            elif kind == "vlmeta_delete":
                del s.vlmeta[layers.pop()]


def record_array(action, path):
    import blosc2
    import numpy as np

    rng = random.Random(9)
    with action("create"):
        a = blosc2.zeros(
            (32, 64), dtype=np.int32, chunks=(16, 32), blocks=(8, 16), urlpath=path, contiguous=True,
            cparams=blosc2.CParams(codec=blosc2.Codec.LZ4, nthreads=1), dparams=blosc2.DParams(nthreads=1))
    todo = ["set_slice", "grow"] * 10 + ["set_slice"] + ["append"] * 4 + ["shrink"] * 5
    for kind in todo:
        rows, columns = a.shape
        with action(kind):
            if kind == "set_slice":
                top, left = rng.randrange(rows // 2), rng.randrange(columns // 2)
                box = (min(rows - top, 24), columns - left)
                a[top:top + box[0], left:] = np.array([rng.getrandbits(12) for _ in range(box[0] * box[1])], dtype=np.int32).reshape(box)
            elif kind == "grow":
                a.resize((rows + rng.randrange(4, 24), columns))
            elif kind == "append":
                # What b2nd_append does; Python has it for one dimension only.
                a.resize((rows + 24, columns))
                a[rows:] = np.array([rng.getrandbits(12) for _ in range(24 * columns)], dtype=np.int32).reshape(24, columns)
            elif kind == "shrink":
                a.resize((rows - rng.randrange(4, 24), columns))


def child(kind):
    path = os.path.join(os.environ["RECORD_ROOT"], "f.b2frame")
    action = Marked()
    if kind == "b2nd":
        record_array(action, path)
    else:
        record_frame(action, path, kind == "cframe")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        recorder = os.path.join(tmp, "recorder.so")
        subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", recorder, HERE / "recorder.c", "-ldl"], check=True)
        for kind in ("cframe", "sframe", "b2nd"):
            root, out = os.path.join(tmp, kind), os.path.join(tmp, kind + ".trace")
            os.mkdir(root)
            env = dict(os.environ, LD_PRELOAD=recorder, RECORD_ROOT=root, RECORD_OUT=out, BLOSC_NTHREADS="1")
            subprocess.run([sys.executable, __file__, kind], env=env, check=True)
            name = HERE.parent / f"cblosc2-{kind}.trace.gz"
            with open(out, "rb") as f:
                name.write_bytes(gzip.compress(f.read(), 9, mtime=0))
            print(name.name, name.stat().st_size)


if __name__ == "__main__":
    child(sys.argv[1]) if len(sys.argv) > 1 else main()
