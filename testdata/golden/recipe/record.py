"""Writes golden files and records the facts that MANIFEST.json lists about them."""

import hashlib
import os
import shutil

import blosc2
import numpy as np
from blosc2 import blosc2_ext

SPECIALS = {0: "data", 1: "zeros", 2: "nan", 3: "value", 4: "uninit"}


def sha(data):
    return hashlib.sha256(data).hexdigest()


class Recorder:
    """Collects cases; every file is opened again with the real library and compared before it is recorded."""

    def __init__(self, root):
        self.root = root
        self.cases = []

    def path(self, name):
        full = os.path.join(self.root, name)
        if os.path.isdir(full):
            shutil.rmtree(full)
        elif os.path.exists(full):
            os.remove(full)
        return full

    def path_of(self, name):
        return os.path.join(self.root, name)

    def add(self, case, **extra):
        case.update({k: v for k, v in extra.items() if v is not None})
        if any(c["name"] == case["name"] for c in self.cases):
            raise ValueError("two cases are called " + case["name"])
        self.cases.append(case)

    def files(self, name):
        """Size and hash of a file, or of each file of a directory."""
        full = os.path.join(self.root, name)
        if not os.path.isdir(full):
            data = open(full, "rb").read()
            return {"name": name, "size": len(data), "sha256": sha(data)}
        files = {}
        for entry in sorted(os.listdir(full)):
            data = open(os.path.join(full, entry), "rb").read()
            files[entry] = {"size": len(data), "sha256": sha(data)}
        return {"name": name, "size": sum(f["size"] for f in files.values()), "files": files}

    def frame(self, name, want, offset=None, oracle=True, handle=None, **extra):
        """Records a frame whose chunks decode to `want`. oracle=False: the real library cannot read it back right.

        handle is the super-chunk that wrote the file, for the few files that python-blosc2 writes but does not open.
        """
        case = {"kind": "frame", **self.files(name)}
        sc = handle or blosc2.open(os.path.join(self.root, name), mode="r", offset=offset or 0)
        case.update(schunk_facts(sc))
        known = sc.nchunks < 100000 and (oracle or not handle)
        kinds = [SPECIALS[i.special.value] for i in sc.iterchunks_info()] if known else None
        if oracle:
            got = b"".join(decode(sc, i, kinds[i]) for i in range(sc.nchunks))
            if got != want:
                raise RuntimeError(f"{name}: the library reads something else than was meant")
        if kinds is not None and set(kinds) != {"data"} and kinds:
            case["kinds"] = kinds
        case["decoded_size"], case["decoded_sha256"] = len(want), sha(want)
        if offset:
            case["offset"] = offset
        self.add(case, **extra)

    def array(self, name, want, uninit=False, oracle=True, **extra):
        """Records an array that reads as `want`, a numpy array."""
        case = {"kind": "b2nd", **self.files(name)}
        arr = blosc2.open(os.path.join(self.root, name), mode="r")
        if oracle and not uninit:
            got = arr[...]
            if got.dtype.itemsize != want.dtype.itemsize or got.shape != want.shape or got.tobytes() != want.tobytes():
                raise RuntimeError(f"{name}: the library reads something else than was meant")
        case.update(schunk_facts(arr.schunk))
        kinds = [SPECIALS[i.special.value] for i in arr.schunk.iterchunks_info()]
        if set(kinds) != {"data"} and kinds:
            case["kinds"] = kinds
        case["shape"], case["chunk_shape"], case["block_shape"] = list(arr.shape), list(arr.chunks), list(arr.blocks)
        case["dtype"] = stored_dtype(blosc2_ext.meta__getitem__(arr.schunk, "b2nd"))
        raw = np.ascontiguousarray(want).tobytes()
        case["decoded_size"], case["decoded_sha256"] = len(raw), sha(raw)
        self.add(case, **extra)

    def chunk(self, name, data, want, oracle=True, **extra):
        """Records one bare chunk that decodes to `want`."""
        with open(self.path(name), "wb") as f:
            f.write(data)
        if oracle:
            got = blosc2.decompress2(data) if len(want) else b""
            if got != want:
                raise RuntimeError(f"{name}: the library reads something else than was meant")
        case = {"kind": "chunk", **self.files(name), "decoded_size": len(want), "decoded_sha256": sha(want)}
        self.add(case, **extra)


def decode(sc, i, kind):
    """One chunk of a super-chunk; uninitialised ones count as zeros, which is what a reader should give."""
    if kind == "uninit":
        last = sc.nbytes - i * sc.chunksize
        return bytes(min(sc.chunksize, last))
    return sc.decompress_chunk(i)


def schunk_facts(sc):
    c = sc.cparams
    facts = {
        "typesize": sc.typesize, "chunk_count": sc.nchunks, "chunk_size": sc.chunksize, "nbytes": sc.nbytes, "block_size": sc.blocksize,
        "codec": int(getattr(c.codec, "value", c.codec)), "level": c.clevel, "split": c.splitmode.value,
        "filters": [[int(getattr(f, "value", f)), m & 0xFF] for f, m in zip(c.filters, c.filters_meta)],
        "sparse": not sc.contiguous,
    }
    fixed = {k: blosc2_ext.meta__getitem__(sc, k) for k in sc.meta.keys() if k != "b2nd"}
    variable = {k: raw_vlmeta(sc, k) for k in sc.vlmeta}
    if fixed:
        facts["meta"] = {k: {"size": len(v), "sha256": sha(v)} for k, v in fixed.items()}
    if variable:
        facts["vlmeta"] = {k: {"size": len(v), "sha256": sha(v)} for k, v in variable.items()}
    return facts


def stored_dtype(b2nd):
    """The dtype string as the b2nd metalayer holds it; python-blosc2 presents some dtypes differently."""
    at = 7 + 19 * b2nd[2]
    if b2nd[at] != 0xDB:
        raise RuntimeError("no dtype string where one is expected")
    size = int.from_bytes(b2nd[at + 1:at + 5], "big")
    return b2nd[at + 5:at + 5 + size].decode()


def raw_vlmeta(sc, name):
    return blosc2_ext.vlmeta.get_vlmeta(sc.vlmeta, name)
