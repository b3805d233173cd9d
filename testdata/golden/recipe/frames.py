"""Plain frames: a covering set of parameters, odd sizes, sparse directories, metalayers, embedded frames."""

import os

import blosc2

from . import data

F = blosc2.Filter
CODECS = {"blosclz": 0, "lz4": 1, "lz4hc": 2, "zlib": 4, "zstd": 5}
FILTERS = {
    "none": [(0, 0)],
    "shuffle": [(0, 0)] * 5 + [(1, 0)],
    "bitshuffle": [(2, 0)],
    "delta": [(3, 0)],
    "delta-shuffle": [(3, 0), (1, 0)],
    "delta-bitshuffle": [(0, 0), (3, 0), (0, 0), (2, 0)],
    "shuffle-delta": [(1, 0), (3, 0)],
    "trunc-shuffle": [(0, 0)] * 4 + [(4, 9), (1, 0)],
    "trunc-negative": [(4, 256 - 12)],
    "shuffle-stride4": [(1, 4)],
    "shuffle-twice": [(1, 2), (1, 0)],
}


def cparams(codec="zstd", level=5, filters="shuffle", typesize=1, split=3, blocksize=0, use_dict=False):
    chain = FILTERS[filters] if isinstance(filters, str) else filters
    chain = chain + [(0, 0)] * (6 - len(chain))
    signed = [m - 256 if m > 127 else m for _, m in chain]
    return blosc2.CParams(
        codec=blosc2.Codec(CODECS.get(codec, codec)), clevel=level, typesize=typesize, nthreads=1, blocksize=blocksize,
        splitmode=blosc2.SplitMode(split), filters=[F(f) for f, _ in chain], filters_meta=signed, use_dict=use_dict)


def write(rec, name, chunks, params, sparse=False, chunksize=None, meta=None):
    """Writes a frame of the given chunks and returns the open super-chunk."""
    path = rec.path(name)
    size = chunksize or max([len(c) for c in chunks] + [params.typesize])
    sc = blosc2.SChunk(chunksize=size, cparams=params, dparams=blosc2.DParams(nthreads=1), urlpath=path, mode="w",
                       contiguous=not sparse, meta=meta)
    for c in chunks:
        sc.append_data(c)
    return sc


def covering(rec):
    """Codec × filter × item size × split mode × level × data, every pair of them."""
    factors = {
        "codec": list(CODECS), "filters": list(FILTERS), "typesize": [1, 2, 3, 4, 7, 8, 12, 16, 24, 255, 300],
        "split": [1, 2, 3, 4], "level": [0, 1, 2, 5, 9], "kind": list(data.KINDS) + ["float"], "blocks": ["auto", "many"],
    }

    def allowed(r):
        if r["filters"].startswith("trunc"):
            return r["typesize"] in (4, 8) and r["kind"] == "float"
        return r["kind"] != "float" or r["typesize"] in (4, 8)

    for i, r in enumerate(data.pairwise(factors, allowed, seed=20)):
        ts = r["typesize"]
        name = f"cover-{i:03d}-{r['codec']}-{r['filters']}-t{ts}.b2frame"
        gen = data.rng(name)
        per_chunk = max(3000 // ts, 3) // 4 * 4 + 3
        counts = [per_chunk, per_chunk, max(per_chunk // 2, 1)]
        raw = data.make(r["kind"], sum(counts) * ts, ts, gen)
        chunks, at = [], 0
        for c in counts:
            chunks.append(raw[at:at + c * ts])
            at += c * ts
        bs = 0 if r["blocks"] == "auto" else max(per_chunk // 3, 1) * ts
        sc = write(rec, name, chunks, cparams(r["codec"], r["level"], r["filters"], ts, r["split"], bs))
        want = raw
        if r["filters"].startswith("trunc"):
            want = truncated(sc, chunks, ts, 9 if r["filters"] == "trunc-shuffle" else -12)
        # python-blosc2 fails to open a file with a negative filter parameter
        negative = r["filters"] == "trunc-negative"
        rec.frame(name, want, hostile=True, handle=sc if negative else None)


def truncated(sc, chunks, ts, bits):
    """What trunc_prec leaves: truncated chunks, but the source where the chunk did not compress and was stored."""
    out = []
    for i, c in enumerate(chunks):
        got = sc.decompress_chunk(i)
        if got not in (c, data.truncate(c, ts, bits)):
            raise RuntimeError("neither the source nor its truncation")
        out.append(got)
    return b"".join(out)


def large(rec):
    """Chunks big enough for the library's own choice of block size to give several blocks."""
    plan = [("blosclz", 5, 4, "ramp"), ("lz4", 5, 4, "noisy"), ("lz4", 9, 8, "ramp"), ("lz4hc", 3, 2, "runs"), ("zlib", 6, 4, "text"),
            ("zstd", 1, 8, "ramp"), ("zstd", 5, 4, "planes"), ("zstd", 9, 2, "runs"), ("blosclz", 1, 1, "runs"), ("blosclz", 9, 8, "ramp")]
    for codec, level, ts, kind in plan:
        for filters in ("shuffle", "bitshuffle", "delta-shuffle"):
            if kind in ("noisy", "planes", "text") and filters != "shuffle":
                continue
            name = f"large-{codec}{level}-{filters}-{kind}-t{ts}.b2frame"
            size = 300_000 // ts * ts if kind in ("ramp", "runs") else 70_000 // ts * ts
            raw = data.make(kind, size, ts, data.rng(name))
            write(rec, name, [raw], cparams(codec, level, filters, ts))
            rec.frame(name, raw)


def odd_sizes(rec):
    """Sizes around the limits that matter: one byte, the smallest that is compressed, blocks plus or minus one."""
    for n in (1, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1024):
        for codec in ("zstd", "blosclz"):
            name = f"size-{n}-{codec}.b2frame"
            raw = data.make("text" if n > 64 else "ramp", n, 1, data.rng(name))
            write(rec, name, [raw], cparams(codec, blocksize=512 if n >= 511 else 0))
            rec.frame(name, raw, hostile=n in (1, 33, 513))
    write(rec, "empty.b2frame", [], cparams(typesize=4), chunksize=400)
    rec.frame("empty.b2frame", b"", hostile=True)
    raw = data.make("noisy", 4004, 4, data.rng("short-last"))
    write(rec, "short-last-chunk.b2frame", [raw[:2000], raw[2000:4000], raw[4000:]], cparams("lz4", typesize=4, blocksize=512))
    rec.frame("short-last-chunk.b2frame", raw, hostile=True)
    # The second chunk's size is no multiple of the item size: the library stores a block size it
    # cannot read back itself.
    ragged = data.make("ramp", 5001, 4, data.rng("ragged"))
    write(rec, "ragged-last-chunk.b2frame", [ragged[:4000], ragged[4000:]], cparams("lz4", typesize=4))
    rec.frame("ragged-last-chunk.b2frame", ragged, oracle=False, note="the library that wrote it cannot read its last chunk")
    # Chunks that grow: the frame turns variable (chunk size 0, frame version 3).
    parts = [raw[:100], raw[100:1300], raw[1300:1316], raw[1316:]]
    write(rec, "variable-chunks.b2frame", parts, cparams("zstd", typesize=4), chunksize=100)
    rec.frame("variable-chunks.b2frame", raw, hostile=True)
    many = [data.make("ramp", 64, 4, data.rng("many")) for _ in range(1500)]
    write(rec, "many-chunks.b2frame", many, cparams("lz4", typesize=4))
    rec.frame("many-chunks.b2frame", b"".join(many))


def sparse(rec):
    for codec, filters, ts in (("zstd", "shuffle", 4), ("lz4", "bitshuffle", 8), ("blosclz", "none", 3)):
        name = f"sparse-{codec}.b2frame"
        raw = data.make("noisy", 5000 * ts // 4 // ts * ts, ts, data.rng(name))
        step = 1000 // ts * ts
        chunks = [raw[i:i + step] for i in range(0, len(raw), step)]
        write(rec, name, chunks, cparams(codec, filters=filters, typesize=ts), sparse=True)
        rec.frame(name, raw, hostile=codec == "zstd")
    write(rec, "sparse-empty.b2frame", [], cparams(typesize=8), sparse=True, chunksize=800)
    rec.frame("sparse-empty.b2frame", b"")
    raw = data.make("noisy", 3000, 4, data.rng("sparse-variable"))
    write(rec, "sparse-variable.b2frame", [raw[:200], raw[200:2000], raw[2000:]], cparams("lz4", typesize=4), sparse=True, chunksize=200)
    rec.frame("sparse-variable.b2frame", raw)


def layers(rec):
    """Fixed and variable-length metalayers."""
    raw = data.make("ramp", 2000, 4, data.rng("layers"))
    big = data.make("text", 40_000, 1, data.rng("big")).decode()
    vl = {
        "vlmeta-one": {"units": "K"},
        "vlmeta-many": {f"name-{i}": {"number": i, "list": list(range(i)), "nil": None, "f": i / 3} for i in range(16)},
        "vlmeta-big": {"blob": data.rng("blob").bytes(9000), "text": big, "empty": b""},
        "vlmeta-long-name": {"n" * 31: [True, False, -1, 2**40, "ü"]},
    }
    for name, values in vl.items():
        for is_sparse in (False, True) if name == "vlmeta-many" else (False,):
            file = name + ("-sparse" if is_sparse else "") + ".b2frame"
            sc = write(rec, file, [raw], cparams("lz4", typesize=4), sparse=is_sparse)
            for k, v in values.items():
                sc.vlmeta[k] = v
            rec.frame(file, raw, hostile=name == "vlmeta-one")
    sc = write(rec, "vlmeta-changed.b2frame", [raw], cparams("zstd", typesize=4))
    for i in range(6):
        sc.vlmeta[f"k{i}"] = "x" * (300 * i)
    sc.vlmeta["k5"] = "short"
    del sc.vlmeta["k3"]
    rec.frame("vlmeta-changed.b2frame", raw, hostile=True)
    sc = write(rec, "vlmeta-no-data.b2frame", [], cparams(typesize=4), chunksize=400)
    sc.vlmeta["only"] = {"this": 1}
    rec.frame("vlmeta-no-data.b2frame", b"", hostile=True)

    fixed = {f"layer{i}": {"i": i, "data": "y" * (i * 7)} for i in range(15)}
    fixed["z" * 31] = b""
    write(rec, "meta-sixteen.b2frame", [raw], cparams("lz4", typesize=4), meta=fixed)
    rec.frame("meta-sixteen.b2frame", raw, hostile=True)
    sc = write(rec, "meta-updated.b2frame", [raw], cparams("lz4", typesize=4), meta={"counter": 1, "tag": "abc"})
    sc.meta["counter"] = 2
    rec.frame("meta-updated.b2frame", raw)


def embedded(rec):
    """A frame at an offset inside a bigger file, with other bytes before and after it."""
    raw = data.make("noisy", 6000, 4, data.rng("embedded"))
    write(rec, "embedded.b2frame", [raw[:4000], raw[4000:]], cparams("zstd", typesize=4))
    path = os.path.join(rec.root, "embedded.b2frame")
    inner = open(path, "rb").read()
    with open(path, "wb") as f:
        f.write(b"bytes of something else " * 10 + inner + b"and after it")
    rec.frame("embedded.b2frame", raw, offset=240)


def run(rec):
    covering(rec)
    large(rec)
    odd_sizes(rec)
    sparse(rec)
    layers(rec)
    embedded(rec)
