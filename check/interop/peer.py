"""The real library's side of the interop suite: one JSON command per line on stdin, one JSON answer per line on stdout.

Bytes travel as base64. An exception is an answer too: {"error": text}.
"""

import ast
import base64
import ctypes
import glob
import itertools
import json
import os
import sys
import traceback
from dataclasses import asdict

import blosc2
import numpy as np
from blosc2 import blosc2_ext
from blosc2.msgpack_utils import msgpack_packb

blosc2.set_nthreads(1)


def pack(data):
    return base64.b64encode(data).decode()


def unpack(text):
    return base64.b64decode(text or "")


def dtype_of(text):
    return np.dtype(ast.literal_eval(text)) if text[0] in "[{" else np.dtype(text)


def dtype_text(dtype):
    return str(dtype) if dtype.kind == "V" else dtype.str


def known(kind, number):
    """A member of an enumeration, or the number of a codec or filter of the user's."""
    return number if number >= 160 else kind(number)


def cparams(p, typesize):
    chain = [(f["id"], f["meta"]) for f in p["filters"]] + [(0, 0)] * 6
    return blosc2.CParams(
        codec=known(blosc2.Codec, p["codec"]), codec_meta=p.get("codec_meta", 0), clevel=p["level"], typesize=typesize, nthreads=1, blocksize=p.get("block_size", 0),
        use_dict=p.get("dict", False),
        splitmode=blosc2.SplitMode(p["split"]), filters=[known(blosc2.Filter, i) for i, _ in chain[:6]], filters_meta=[m for _, m in chain[:6]])


def elements(text, dtype, shape):
    data = unpack(text)
    return np.frombuffer(data, dtype).reshape(shape) if data else np.zeros(shape, dtype)


def set_vlmeta(sc, values):
    for name, value in (values or {}).items():
        sc.vlmeta[name] = value


def get_vlmeta(sc):
    return {name: pack(blosc2_ext.vlmeta.get_vlmeta(sc.vlmeta, name)) for name in sc.vlmeta}


def hello(_):
    return {"versions": f"C-Blosc2 {blosc2.blosclib_version.split()[0]}, python-blosc2 {blosc2.__version__}, numpy {np.__version__}"}


def pack_values(c):
    """What python-blosc2 stores for each value."""
    return {name: pack(msgpack_packb(value)) for name, value in (c["values"] or {}).items()}


def write_array(c):
    dtype = dtype_of(c["dtype"])
    kw = dict(urlpath=c["path"], mode="w", contiguous=not c["sparse"], cparams=cparams(c["params"], dtype.itemsize),
              dparams=blosc2.DParams(nthreads=1))
    if c["chunks"]:
        kw.update(chunks=c["chunks"], blocks=c["blocks"])
    if c["fill"] == "nan":
        out = blosc2.nans(c["shape"], dtype=dtype, **kw)
    elif c["fill"] == "zeros":
        out = blosc2.zeros(c["shape"], dtype=dtype, **kw)
    elif c["fill"] == "value":
        out = blosc2.full(c["shape"], elements(c["data"], dtype, c["shape"]).flat[0], dtype=dtype, **kw)
    else:
        out = blosc2.asarray(elements(c["data"], dtype, c["shape"]), **kw)
    set_vlmeta(out.schunk, c.get("vlmeta"))
    return {"chunks": list(out.chunks), "blocks": list(out.blocks)}


def read_array(c):
    arr = blosc2.open(c["path"], mode="r")
    boxes = []
    for start, stop in c.get("boxes") or []:
        boxes.append(pack(np.ascontiguousarray(arr[tuple(slice(a, b) for a, b in zip(start, stop))]).tobytes()))
    return {
        "shape": list(arr.shape), "dtype": dtype_text(arr.dtype), "data": pack(np.ascontiguousarray(arr[...]).tobytes()), "boxes": boxes,
        "chunks": list(arr.chunks), "blocks": list(arr.blocks), "vlmeta": get_vlmeta(arr.schunk),
    }


def change_array(c):
    arr = blosc2.open(c["path"], mode="a")
    for step in c["steps"] or []:
        if step["do"] == "resize":
            arr.resize(tuple(step["shape"]))
        elif step["do"] == "append":
            arr.append(np.frombuffer(unpack(step["data"]), arr.dtype))
        elif step["do"] == "vlmeta":
            set_vlmeta(arr.schunk, step.get("values"))
        else:
            key = tuple(slice(a, b) for a, b in zip(step.get("start") or [], step.get("stop") or []))
            shape = [b - a for a, b in zip(step.get("start") or [], step.get("stop") or [])]
            arr[key if key else ()] = elements(step["data"], arr.dtype, shape)
    return {}


def numpy(c):
    """What NumPy makes of a change of the shape, for items that are just bytes."""
    dtype, step = np.dtype(("V", c["item"])), c["step"]
    arr = np.frombuffer(unpack(c["data"]), dtype).reshape(c["shape"])
    axis, do = step["axis"], step["do"]
    values = np.frombuffer(unpack(step["data"]), dtype)
    if do == "append":
        arr = np.append(arr, values.reshape(step["shape"]), axis)
    elif do == "insert":
        values = values.reshape(step["shape"])
        arr = np.insert(arr, [step["start"]] * values.shape[axis], values, axis)
    elif do == "delete":
        arr = np.delete(arr, slice(step["start"], step["to"]), axis)
    else:
        new = np.full(step["shape"], values[0], dtype)
        both = tuple(slice(min(a, b)) for a, b in zip(arr.shape, new.shape))
        new[both] = arr[both]
        arr = new
    return {"shape": list(arr.shape), "data": pack(np.ascontiguousarray(arr).tobytes())}


def write_frame(c):
    sc = blosc2.SChunk(chunksize=c["chunk_size"], cparams=cparams(c["params"], c["typesize"]), dparams=blosc2.DParams(nthreads=1),
                       urlpath=c["path"], mode="w", contiguous=not c["sparse"])
    if c["fill"]:
        kind = {"zeros": blosc2.SpecialValue.ZERO, "nan": blosc2.SpecialValue.NAN}[c["fill"]]
        sc.fill_special(c["items"], kind)
    else:
        for data in c["data"] or []:
            sc.append_data(unpack(data))
    set_vlmeta(sc, c.get("vlmeta"))
    return {}


def decompress(sc, i):
    """Chunk i, or None for a chunk with a dictionary that did not compress: the library stores it so that it cannot read it back."""
    try:
        return pack(sc.decompress_chunk(i))
    except RuntimeError:
        chunk = sc.get_chunk(i)
        if chunk[2] & 2 and chunk[31] & 1:
            return None
        raise


def read_frame(c):
    whole = blosc2.open(c["path"], mode="r")
    sc = getattr(whole, "schunk", whole)  # an array keeps its own alive
    fixed = {name: pack(blosc2_ext.meta__getitem__(sc, name)) for name in sc.meta.keys()}
    return {"typesize": sc.typesize, "data": [decompress(sc, i) for i in range(sc.nchunks)], "meta": fixed, "vlmeta": get_vlmeta(sc)}


def change_frame(c):
    sc = blosc2.open(c["path"], mode="a")
    for step in c["steps"] or []:
        what = step["do"]
        if what == "append":
            sc.append_data(unpack(step["data"]))
        elif what == "update":
            sc.update_data(step["index"], unpack(step["data"]), copy=True)
        elif what == "insert":
            sc.insert_data(step["index"], unpack(step["data"]), copy=True)
        elif what == "delete":
            sc.delete_chunk(step["index"])
        elif what == "reorder":
            sc.reorder_offsets(step["order"])
        else:
            set_vlmeta(sc, step.get("values"))
    return {}


def vl_chunk(blocks, sc):
    return blosc2_ext.vlcompress([unpack(b) for b in blocks], **asdict(sc.cparams))


def write_vl(c):
    sc = blosc2.SChunk(chunksize=-1, cparams=cparams(c["params"], c["typesize"]), dparams=blosc2.DParams(nthreads=1),
                       urlpath=c["path"], mode="w", contiguous=not c["sparse"])
    for blocks in c["chunks"]:
        sc.append_chunk(vl_chunk(blocks, sc))
    set_vlmeta(sc, c.get("vlmeta"))
    return {}


def read_vl(c):
    sc = blosc2.open(c["path"], mode="r")
    chunks = [[pack(b) for b in blosc2_ext.vldecompress(sc.get_chunk(i))] for i in range(sc.nchunks)]
    single = [[pack(sc.get_vlblock(i, k)) for k in range(len(blocks))] for i, blocks in enumerate(chunks)]
    return {"chunks": chunks, "single": single, "whole": [pack(sc.decompress_chunk(i)) for i in range(sc.nchunks)]}


def change_vl(c):
    sc = blosc2.open(c["path"], mode="a")
    for step in c["steps"] or []:
        if step["do"] == "delete":
            sc.delete_chunk(step["index"])
            continue
        chunk = vl_chunk(step["blocks"], sc)
        if step["do"] == "append":
            sc.append_chunk(chunk)
        elif step["do"] == "update":
            sc.update_chunk(step["index"], chunk)
        else:
            sc.insert_chunk(step["index"], chunk)
    return {}


def runs_encode(src, dst, meta, _):
    """The user's codec: pairs of a length and a byte, to which the parameter is added."""
    out, data = bytearray(), src.tobytes()
    for byte, group in itertools.groupby(data):
        n = sum(1 for _ in group)
        while n > 0:
            out += bytes((min(n, 255), (byte + meta) % 256))
            n -= 255
    if len(out) > dst.size:
        return 0
    dst[: len(out)] = np.frombuffer(bytes(out), np.uint8)
    return len(out)


def runs_decode(src, dst, meta, _):
    data = src.tobytes()
    out = b"".join(bytes([(byte - meta) % 256]) * n for n, byte in zip(data[::2], data[1::2]))
    dst[:] = np.frombuffer(out, np.uint8)
    return len(out)


def turn(src, dst, meta, _):
    """The user's filter."""
    dst[:] = src ^ np.uint8(meta)


blosc2.register_codec("runs", 200, runs_encode, runs_decode)
blosc2.register_filter(201, turn, turn)


def write_chunks(c):
    """Chunks with a header of 16 bytes, by the old interface."""
    p, ids = c["params"], [f["id"] for f in c["params"]["filters"]] or [0]
    os.environ["BLOSC_BLOSC1_COMPAT"] = "1"
    try:
        return {"chunks": [pack(blosc2.compress(unpack(d), typesize=c["typesize"], clevel=p["level"], filter=blosc2.Filter(ids[0]),
                                                codec=blosc2.Codec(p["codec"]))) for d in c["data"]]}
    finally:
        del os.environ["BLOSC_BLOSC1_COMPAT"]


def read_chunks(c):
    whole, parts = [], []
    lib = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(blosc2.__file__), "lib", "libblosc2.so*"))[0])
    for chunk, (a, b) in zip(c["chunks"], c["parts"]):
        chunk = unpack(chunk)
        whole.append(pack(blosc2.decompress(chunk)))
        part = ctypes.create_string_buffer((b - a) * c["typesize"])
        if lib.blosc1_getitem(chunk, a, b - a, part) != len(part):
            raise RuntimeError("blosc1_getitem fails")
        parts.append(pack(part.raw))
    return {"data": whole, "parts": parts}


def write_rare(c):
    kind, size, data = c["kind"], c["chunk_size"], [unpack(d) for d in c["data"]]
    params = cparams(c["params"], c["typesize"])
    sc = blosc2.SChunk(chunksize=-1 if kind == "chunks of varying size" else size, cparams=params, dparams=blosc2.DParams(nthreads=1), urlpath=c["path"],
                       mode="w", contiguous=not c["sparse"], meta=c["meta"] or {})
    if kind in ("one value", "no value"):
        items = sum(len(d) for d in data) // c["typesize"]
        if kind == "one value":
            sc.fill_special(items, blosc2.SpecialValue.VALUE, data[0][: c["typesize"]])
        else:
            sc.fill_special(items, blosc2.SpecialValue.UNINIT)
        return {}
    for d in data:
        if kind == "chunks of varying size":
            sc.append_chunk(blosc2.compress2(d, **asdict(params)))
        else:
            sc.append_data(d)
    return {}


def read_rare(c):
    sc = blosc2.open(c["path"], mode="r")
    return {"data": [pack(sc.decompress_chunk(i)) for i in range(sc.nchunks)], "parts": [pack(sc[a:b]) for a, b in c["parts"] or []],
            "meta": {name: pack(blosc2_ext.meta__getitem__(sc, name)) for name in blosc2_ext.meta_keys(sc)}}


class Embedded(blosc2.EmbedStore):
    """An embed store, which has nothing to close."""

    def __exit__(self, *_):
        return False


def open_store(c, mode, **kw):
    if c["path"].endswith(".b2e"):
        return Embedded(c["path"], mode=mode)
    return (blosc2.TreeStore if c["tree"] else blosc2.DictStore)(c["path"], mode=mode, **kw)


def attributes_of(store, group):
    return store.vlmeta if group == "/" else store.get_subtree(group).vlmeta


def leaf_of(key, data):
    if not key.endswith("bytes"):
        return np.frombuffer(unpack(data), "<i4")
    leaf = blosc2.SChunk(chunksize=len(unpack(data)), cparams={"typesize": 1})
    leaf.append_data(unpack(data))
    return leaf


def edit_store(c):
    with open_store(c, "a") as store:
        for edit in c["edits"]:
            key = edit["key"]
            if edit["do"] == "note":
                attributes_of(store, key)[edit["name"]] = edit["value"]
            elif edit["do"] == "write":
                leaf, items = store[key], np.frombuffer(unpack(edit["data"]), "<i4")
                leaf[: len(items)] = items
                if isinstance(store, Embedded) or key in store.estore and key not in store.map_tree:
                    del store[key]  # what an embed store gives is a copy
                    store[key] = leaf
            else:
                if edit["before"]:
                    del store[key]
                if edit["do"] == "set":
                    store[key] = leaf_of(key, edit["data"])
    return {}


def write_store(c):
    with open_store(c, "w", threshold=c["threshold"]) as store:
        for key, data in c["leaves"].items():
            store[key] = leaf_of(key, data)
        for group, values in (c["attributes"] or {}).items():
            for name, value in values.items():
                attributes_of(store, group)[name] = value
    return {}


def leaf_at(store, key):
    """A leaf. One within an embed store that is as long as a block of it, and begins inside of a block, comes out wrong; the chunks are right."""
    try:
        return store[key]
    except RuntimeError:
        embedded = store if isinstance(store, Embedded) else store._estore
        at = embedded._embed_map[key]
        whole = b"".join(embedded._store.decompress_chunk(i) for i in range(embedded._store.nchunks))
        return blosc2.from_cframe(whole[at["offset"]: at["offset"] + at["length"]], copy=True)


def read_store(c):
    with open_store(c, "r") as store:
        leaves = {}
        for key in store.keys():
            leaf = leaf_at(store, key)
            if isinstance(leaf, blosc2.SChunk):
                leaves[key] = pack(leaf[:])
            elif isinstance(leaf, blosc2.NDArray):
                leaves[key] = pack(leaf[...].tobytes())
        attributes = {group: dict(attributes_of(store, group)[:]) for group in c["attributes"] or {}}
    return {"leaves": leaves, "attributes": attributes}


COMMANDS = {f.__name__: f for f in (hello, numpy, pack_values, write_array, read_array, change_array, write_frame, read_frame, change_frame,
                                write_vl, read_vl, change_vl, write_rare, read_rare, write_chunks, read_chunks, write_store, edit_store, read_store)}


def main():
    for line in sys.stdin:
        try:
            command = json.loads(line)
            answer = COMMANDS[command["op"]](command)
        except Exception as e:  # the driver decides what a failure means
            answer = {"error": f"{type(e).__name__}: {e}", "trace": traceback.format_exc()}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
