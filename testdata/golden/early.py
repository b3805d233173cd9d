"""Writes the goldens called early-… with early versions of C-Blosc and C-Blosc2, and their lines of MANIFEST.json.

Each argument is a version, its shared library and, from 2.0.0a5 on, its header; or a version of python-caterva or python-blosc2 and a Python that has it:

    python testdata/golden/early.py 0.9.0=/opt/c090/libblosc.so 2.0.0a5=/opt/a5/libblosc.so,/opt/a5/blosc.h caterva0.7.3=/opt/caterva/bin/python

Run it with the Python that has blosc2 and numpy, which is asked whether today's library reads the same. It takes a C compiler for early/early.c. Files and
lines of versions that are not named stay as they are.
"""

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile

import blosc2
import numpy as np

sys.dont_write_bytecode = True

from generate import render
from recipe import data
from recipe.record import SPECIALS, Recorder, schunk_facts, sha

HERE = os.path.dirname(os.path.abspath(__file__))
CODECS = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")
SHUFFLES = ("plain", "shuffle", "bitshuffle")
GENERATIONS = {"2.0.0a5": 0, "2.0.0b1": 1, "2.0.0b2": 2, "2.0.0b5": 2}
LAYER, CONTENT, USER = "early", "bird", "metadata of the user"


def today(chunk, want):
    """Whether today's library reads a chunk."""
    try:
        return blosc2.decompress2(chunk) == want
    except (RuntimeError, ValueError):
        return False


class Old:
    """The interface that all versions have had, for chunks."""

    def __init__(self, rec, version, path):
        self.rec, self.version, self.lib = rec, version, ctypes.CDLL(path)
        self.sized = not version.startswith("0.")  # whether the room in the destination is stated
        if hasattr(self.lib, "blosc_init"):
            self.lib.blosc_init()

    def chunk(self, raw, typesize, shuffle, codec="blosclz", level=5, blocksize=0, tag="", **extra):
        if codec != "blosclz" and self.lib.blosc_set_compressor(codec.encode()) < 0:
            raise RuntimeError(f"C-Blosc {self.version} has no {codec}")
        # 0.8.0 has not, and blocks of 4 KiB for these levels
        if hasattr(self.lib, "blosc_set_blocksize"):
            self.lib.blosc_set_blocksize(ctypes.c_size_t(blocksize))
        out = ctypes.create_string_buffer(len(raw) + 1000)
        args = [level, shuffle, ctypes.c_size_t(typesize), ctypes.c_size_t(len(raw)), raw, out]
        size = self.lib.blosc_compress(*args, *([ctypes.c_size_t(len(out))] if self.sized else []))
        back = ctypes.create_string_buffer(len(raw) + 64)
        # 0.8.0 returns the size of the blocks, of which the last one may not be full.
        if size <= 0 or self.lib.blosc_decompress(out, back, ctypes.c_size_t(len(raw))) < len(raw) or back.raw[:len(raw)] != raw:
            raise RuntimeError(f"C-Blosc {self.version} does not read what it wrote: {codec}, items of {typesize}{tag}")
        if codec != "blosclz":
            self.lib.blosc_set_compressor(b"blosclz")
        record(self, f"{codec}-{SHUFFLES[shuffle]}-t{typesize}{tag}", out.raw[:size], raw, **extra)


def record(old, tag, chunk, raw, **extra):
    ok = today(chunk, raw)
    note = f"C-Blosc {old.version}, version {chunk[0]}" + ("" if ok else "; C-Blosc2 3.3.5 does not read it")
    if old.version in ("2.0.0b1", "2.0.0b2"):
        extra["old_bitshuffle"] = True
    old.rec.chunk(f"early-{old.version}-{tag}.chunk", chunk, raw, oracle=False, note=note, **extra)


def blosc1(rec, version, path):
    old = Old(rec, version, path)
    make = lambda kind, n, ts: data.make(kind, n, ts, data.rng("early"))
    for ts, shuffle in ((1, 0), (4, 0), (4, 1), (8, 1), (16, 1), (17, 1)):
        old.chunk(make("noisy" if shuffle else "text", 3000 // ts * ts, ts), ts, shuffle)
    old.chunk(make("ramp", 9000, 4), 4, 1, blocksize=2048, tag="-blocks")
    old.chunk(make("mixed", 9000, 4), 4, 1, blocksize=2048, tag="-mixed")
    old.chunk(make("runs", 3003, 1), 4, 1, tag="-ragged")
    if not old.sized:
        return
    old.chunk(make("random", 700, 4), 4, 1, tag="-stored")
    old.chunk(make("noisy", 700, 4), 4, 1, level=0, tag="-level0")
    old.chunk(make("text", 40, 1), 1, 0, tag="-small")
    if version == "1.1.4":
        return
    lacking = {"1.3.0": "zstd", "2.0.0a3": "snappy"}.get(version)
    for codec in CODECS:
        if codec == lacking:
            continue
        if version == "2.0.0a3" and codec == "zstd":  # a frame of Zstandard 0.5
            old.chunk(make("noisy", 3000, 4), 4, 1, codec, needs_feature="zstd-0.5")
            continue
        for shuffle in (0, 1) if version == "1.3.0" else (0, 1, 2):
            if codec == "blosclz" and shuffle < 2:
                continue
            old.chunk(make("noisy", 3000, 4), 4, shuffle, codec)
        if (version, codec) != ("1.3.0", "snappy"):  # which it does not read itself
            old.chunk(make("ramp", 9000, 8), 8, 1, codec, blocksize=2048, tag="-blocks")


class New:
    """The interface with parameters, for chunks and frames: early/early.c is compiled against the version's header."""

    def __init__(self, rec, version, path, header, scratch):
        self.rec, self.version, self.scratch = rec, version, scratch
        self.generation = GENERATIONS.get(version, 3)
        self.program = os.path.join(scratch, "early")
        path = os.path.abspath(path)
        subprocess.run(["cc", "-w", "-O1", f"-DGENERATION={self.generation}", f'-DHEADER="{os.path.basename(header)}"', "-I" + os.path.dirname(header),
                        "-o", self.program, os.path.join(HERE, "early", "early.c"), path, "-Wl,-rpath," + os.path.dirname(path)], check=True)

    def run(self, kind, file, raw, codec, level, ts, blocksize, chunksize, filters, use_dict=False, rest=()):
        """Returns what the program complained of: that what it read back is not what it wrote."""
        source = os.path.join(self.scratch, "data")
        with open(source, "wb") as f:
            f.write(raw)
        number = {"zstd": 5}.get(codec, CODECS.index(codec))
        args = [kind, file, source, number, level, ts, blocksize, chunksize, ",".join(f"{f}:{m}" for f, m in filters), int(use_dict), *rest]
        done = subprocess.run([self.program] + [str(a) for a in args], capture_output=True, text=True, check=True)
        return done.stderr

    def chunk(self, tag, raw, codec, ts, filters, level=5, blocksize=0, use_dict=False, want=None):
        file = os.path.join(self.scratch, "chunk")
        complaint = self.run("chunk", file, raw, codec, level, ts, blocksize, 0, filters, use_dict)
        if complaint and want is None:
            raise RuntimeError(f"C-Blosc2 {self.version}: {tag}: {complaint}")
        record(self, tag, open(file, "rb").read(), raw if want is None else want)

    def frame(self, tag, raw, codec, ts, filters, chunksize, level=5, blocksize=0, sparse=False, rest=(), use_dict=False):
        name = f"early-{self.version}-{tag}.b2frame"
        path = self.rec.path(name)
        complaint = self.run("sframe" if sparse else "frame", path, raw, codec, level, ts, blocksize, chunksize, filters, use_dict, rest)
        if complaint:
            raise RuntimeError(f"C-Blosc2 {self.version}: {tag}: {complaint}")
        case = {"kind": "frame", **self.rec.files(name)}
        try:
            sc = blosc2.open(path, mode="r")
            case.update(schunk_facts(sc))
            kinds = [SPECIALS[i.special.value] for i in sc.iterchunks_info()]
            if set(kinds) - {"data"}:
                case["kinds"] = kinds
            ok = b"".join(sc.decompress_chunk(i) for i in range(sc.nchunks)) == raw
        except RuntimeError:
            ok = False
            # What a reader can know: no beta states the blocks or how they are split, nor the first
            # one any filter.
            slots = [[1, 0]] if self.generation == 1 else [list(f) for f in filters]
            case.update({
                "typesize": ts, "chunk_count": -(-len(raw) // chunksize), "chunk_size": chunksize if raw else 0, "nbytes": len(raw), "block_size": 0,
                "codec": CODECS.index(codec), "level": level, "split": 1, "filters": [[0, 0]] * (6 - len(slots)) + slots, "sparse": sparse,
            })
            if rest:
                case["meta"] = {rest[0]: {"size": len(rest[1]), "sha256": sha(rest[1].encode())}}
            if len(rest) > 2:
                case["vlmeta"] = {"usermeta": {"size": len(rest[2]), "sha256": sha(rest[2].encode())}}
        case["decoded_size"], case["decoded_sha256"] = len(raw), sha(raw)
        self.rec.add(case, note=f"C-Blosc2 {self.version}" + ("" if ok else "; C-Blosc2 3.3.5 does not read it"), hostile=bool(rest) or None)


def blosc2_chunks(new):
    make = lambda kind, n, ts: data.make(kind, n, ts, data.rng("early"))
    for codec in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") if new.generation < 3 else ("blosclz", "zstd"):
        new.chunk(f"{codec}-shuffle-t4", make("noisy", 3000, 4), codec, 4, [(1, 0)])
        new.chunk(f"{codec}-plain-t4-blocks", make("text", 9000, 4), codec, 4, [(0, 0)], blocksize=2048)
        new.chunk(f"{codec}-bitshuffle-t8-blocks", make("ramp", 9000, 8), codec, 8, [(2, 0)], blocksize=2048)
        new.chunk(f"{codec}-runs-t4", make("runs", 9000, 4), codec, 4, [(1, 0)], blocksize=1024)
    new.chunk("lz4-delta-shuffle-t4", make("ramp", 9000, 4), "lz4", 4, [(3, 0), (1, 0)], blocksize=2048)
    new.chunk("zstd-delta-t8", make("ramp", 9000, 8), "zstd", 8, [(3, 0)], blocksize=2048)
    floats = make("float", 3000, 4)
    new.chunk("lz4-trunc-shuffle-t4", floats, "lz4", 4, [(4, 9), (1, 0)], want=data.truncate(floats, 4, 9))
    new.chunk("lz4-shuffle-t3", make("noisy", 3000, 3), "lz4", 3, [(1, 0)])
    new.chunk("blosclz-mixed-t4", make("mixed", 9000, 4), "blosclz", 4, [(1, 0)], blocksize=2048)
    new.chunk("blosclz-stored-t4", make("random", 700, 4), "blosclz", 4, [(1, 0)])
    new.chunk("blosclz-level0-t4", make("noisy", 700, 4), "blosclz", 4, [(1, 0)], level=0)
    new.chunk("lz4-zeros-t4", bytes(4000), "lz4", 4, [(1, 0)])
    new.chunk("zstd-dict-t4", make("text", 24_000, 4), "zstd", 4, [(0, 0)], blocksize=1600, use_dict=True)
    new.chunk("zstd-small-t1", make("text", 40, 1), "zstd", 1, [(0, 0)])


def blosc2_frames(new):
    make = lambda kind, n, ts: data.make(kind, n, ts, data.rng("early"))
    rest = (LAYER, CONTENT) if new.generation == 1 else (LAYER, CONTENT, USER)
    new.frame("lz4", make("noisy", 3400, 4), "lz4", 4, [(1, 0)], 1200)
    new.frame("zstd-meta", make("noisy", 3400, 4), "zstd", 4, [(1, 0)], 1200, rest=rest)
    new.frame("blosclz-delta", make("ramp", 9000, 8), "blosclz", 8, [(3, 0), (1, 0)], 4000, blocksize=1600)
    new.frame("zlib-runs", make("runs", 9000, 4), "zlib", 4, [(2, 0)], 4000)
    new.frame("lz4hc-empty", b"", "lz4hc", 4, [(1, 0)], 4000)
    new.frame("lz4-many", make("ramp", 6400, 4), "lz4", 4, [(1, 0)], 64)
    new.frame("lz4-zeros", bytes(6000), "lz4", 4, [(1, 0)], 2000)
    if new.generation == 3:
        new.frame("zstd-sparse", make("noisy", 3400, 4), "zstd", 4, [(1, 0)], 1200, sparse=True, rest=rest)


def arrays(rec, version, python, scratch):
    """What early/arrays.py writes. Caterva has no dtypes: cairn says how many bytes an item has."""
    subprocess.run([python, os.path.join(HERE, "early", "arrays.py"), scratch], check=True)
    numbers, old = (np.arange(600, dtype="<i4") * 3 % 1009).reshape(20, 30), version.startswith("caterva")
    whats = {"data": numbers, "data-sparse": numbers}
    whats["full"] = np.full((20, 30), b"\x01\x02\x03", "S3") if old else np.full((20, 30), 7, "<i2")
    whats["zeros"] = np.zeros((20, 30), "<f8")
    for what, want in whats.items():
        name = f"early-{version}-{what}.b2nd"
        path = rec.path(name)
        shutil.move(os.path.join(scratch, what), path)
        sc = blosc2.open(path, mode="r")
        case = {"kind": "b2nd", **rec.files(name), **schunk_facts(getattr(sc, "schunk", sc))}
        case.get("meta", {}).pop("caterva", None)
        kinds = [SPECIALS[i.special.value] for i in getattr(sc, "schunk", sc).iterchunks_info()]
        if set(kinds) != {"data"}:
            case["kinds"] = kinds
        case.update({"shape": [20, 30], "chunk_shape": [8, 12], "block_shape": [4, 5], "dtype": f"|S{want.itemsize}" if old else want.dtype.str,
                     "decoded_size": want.nbytes, "decoded_sha256": sha(want.tobytes())})
        rec.add(case, note=f"{'python-' if old else ''}{version}")


def main():
    rec = Recorder(HERE)
    manifest = json.load(open(os.path.join(HERE, "MANIFEST.json")))
    versions = dict(a.split("=", 1) for a in sys.argv[1:])
    mine = tuple(f"early-{v}-" for v in versions)
    rec.cases = [c for c in manifest["cases"] if not c["name"].startswith(mine)]
    for entry in os.listdir(HERE):
        if entry.startswith(mine):
            rec.path(entry)  # removes what there is
    for version, where in versions.items():
        path, _, header = where.partition(",")
        with tempfile.TemporaryDirectory() as scratch:
            if version.startswith(("caterva", "python-blosc2")):
                arrays(rec, version, path, scratch)
                continue
            if not header:
                blosc1(rec, version, path)
                continue
            new = New(rec, version, path, header, scratch)
            blosc2_chunks(new)
            if new.generation > 0:
                blosc2_frames(new)
    rec.cases.sort(key=lambda c: c["name"])
    manifest["cases"] = rec.cases
    with open(os.path.join(HERE, "MANIFEST.json"), "w") as f:
        f.write(render(manifest))
    print(f"{sum(c['name'].startswith(mine) for c in rec.cases)} cases")


if __name__ == "__main__":
    main()
