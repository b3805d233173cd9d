"""Frames that the real library changed after writing them, and chunks that hold no data."""

import blosc2

from . import data
from .frames import cparams, write

SV = blosc2.SpecialValue


def pieces(name, count, size, typesize=4):
    raw = data.make("noisy", count * size, typesize, data.rng(name))
    return [raw[i * size:(i + 1) * size] for i in range(count)]


def changed(rec):
    """Updates, deletes, inserts and reorders, which leave dead space and offsets in any order."""
    for is_sparse in (False, True):
        tag = "-sparse" if is_sparse else ""

        name = f"updated{tag}.b2frame"
        parts = pieces("updated", 8, 800)
        sc = write(rec, name, parts, cparams("lz4", typesize=4), sparse=is_sparse)
        for i, kind in ((1, "random"), (4, "runs"), (6, "ramp")):
            parts[i] = data.make(kind, 800, 4, data.rng(f"new{i}"))
            sc.update_data(i, parts[i], copy=True)
        rec.frame(name, b"".join(parts), hostile=not is_sparse)

        name = f"deleted{tag}.b2frame"
        parts = pieces("deleted", 8, 800)
        sc = write(rec, name, parts, cparams("zstd", typesize=4), sparse=is_sparse)
        for i in (5, 2, 0):
            sc.delete_chunk(i)
            del parts[i]
        rec.frame(name, b"".join(parts), hostile=not is_sparse)

        name = f"inserted{tag}.b2frame"
        parts = pieces("inserted", 5, 800)
        sc = write(rec, name, parts, cparams("zstd", typesize=4), sparse=is_sparse)
        for i in (0, 3, 7):
            extra = data.make("text", 800, 4, data.rng(f"ins{i}"))
            sc.insert_data(i, extra, copy=True)
            parts.insert(i, extra)
        rec.frame(name, b"".join(parts), hostile=not is_sparse)

        name = f"reordered{tag}.b2frame"
        parts = pieces("reordered", 7, 800)
        sc = write(rec, name, parts, cparams("lz4", typesize=4), sparse=is_sparse)
        order = [3, 0, 6, 1, 5, 2, 4]
        sc.reorder_offsets(order)
        parts = [parts[i] for i in order]
        rec.frame(name, b"".join(parts))

        name = f"busy{tag}.b2frame"
        parts = pieces("busy", 6, 800)
        sc = write(rec, name, parts, cparams("blosclz", typesize=4), sparse=is_sparse)
        gen = data.rng("busy-steps")
        for step in range(60):
            i = int(gen.integers(0, len(parts)))
            new = data.make(data.KINDS[step % len(data.KINDS)], 800, 4, gen)
            what = step % 4
            if what == 0:
                sc.append_data(new)
                parts.append(new)
            elif what == 1:
                sc.insert_data(i, new, copy=True)
                parts.insert(i, new)
            elif what == 2:
                sc.update_data(i, new, copy=True)
                parts[i] = new
            else:
                sc.delete_chunk(i)
                del parts[i]
            if step == 30:
                sc.vlmeta["step"] = step
        rec.frame(name, b"".join(parts))

    name = "emptied.b2frame"
    sc = write(rec, name, pieces("emptied", 3, 400), cparams("lz4", typesize=4))
    for i in (2, 1, 0):
        sc.delete_chunk(i)
    rec.frame(name, b"", hostile=True)
    name = "emptied-refilled.b2frame"
    parts = pieces("refilled", 3, 400)
    sc = write(rec, name, parts, cparams("lz4", typesize=4))
    for i in (2, 1, 0):
        sc.delete_chunk(i)
    new = pieces("refill", 2, 400)
    for p in new:
        sc.append_data(p)
    rec.frame(name, b"".join(new))


def specials(rec):
    """Special chunks as entries of the index, and beside data."""
    import numpy as np
    fills = {
        "zeros": (SV.ZERO, None, lambda n, ts: bytes(n)), "uninit": (SV.UNINIT, None, lambda n, ts: bytes(n)),
        "nan": (SV.NAN, None, lambda n, ts: np.full(n // ts, np.nan, f"<f{ts}").tobytes()),
    }
    for kind, (value, arg, expect) in fills.items():
        for ts in (4, 8):
            for is_sparse in (False, True) if ts == 4 else (False,):
                name = f"special-{kind}-t{ts}{'-sparse' if is_sparse else ''}.b2frame"
                sc = write(rec, name, [], cparams(typesize=ts), sparse=is_sparse, chunksize=100 * ts)
                sc.fill_special(1050, value, arg)
                rec.frame(name, expect(1050 * ts, ts), hostile=ts == 8)
    for ts, value in ((1, b"\x07"), (4, b"\x01\x02\x03\x04"), (8, 2.5), (24, bytes(range(24)))):
        name = f"special-value-t{ts}.b2frame"
        sc = write(rec, name, [], cparams(typesize=ts), chunksize=100 * ts)
        sc.fill_special(250, SV.VALUE, value)
        item = np.float64(value).tobytes() if isinstance(value, float) else value
        rec.frame(name, item * 250, hostile=ts == 8)
    for is_sparse in (False, True):
        name = f"special-mixed{'-sparse' if is_sparse else ''}.b2frame"
        parts = pieces("mixed", 6, 800)
        sc = write(rec, name, parts, cparams("lz4", typesize=4), sparse=is_sparse)
        sc.append_data(bytes(800))
        parts.append(bytes(800))
        sc.update_data(2, bytes(800), copy=True)
        parts[2] = bytes(800)
        same = b"\x11\x22\x33\x44" * 200
        sc.update_data(4, same, copy=True)
        parts[4] = same
        rec.frame(name, b"".join(parts), hostile=True)
    # 200 million chunks of zeros in a file of 172 bytes: opening must not cost memory for them.
    sc = write(rec, "many-zero-chunks.b2frame", [], cparams(typesize=1), chunksize=1)
    sc.fill_special(200_000_000, SV.ZERO)
    rec.add({"kind": "huge", **rec.files("many-zero-chunks.b2frame"), "chunk_count": 200_000_000, "chunk_size": 1,
             "nbytes": 200_000_000, "typesize": 1})


def run(rec):
    changed(rec)
    specials(rec)
