# The other side of main.go: zarr-python and, if it is installed, TensorStore. Reads a JSON command
# per line and answers with one.
import hashlib
import json
import os
import sys
import traceback
import warnings

import numcodecs
import numpy as np
import zarr
from numcodecs import zarr3
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec

warnings.simplefilter("ignore")
try:
    import tensorstore
except ImportError:
    tensorstore = None


def parsed(dtype):
    return np.dtype([tuple(f) for f in dtype] if isinstance(dtype, list) else dtype)


def values(shape, dtype, rng, kind):
    d = parsed(dtype)
    n = int(np.prod(shape))
    if d.names:
        out = np.zeros(n, d)
        for name in d.names:
            out[name] = values((n,), d[name], rng, kind)
        return out.reshape(shape)
    if d.kind == "b":
        a = rng.integers(0, 2, n).astype(bool)
    elif d.kind == "S":
        a = np.array([rng.bytes(d.itemsize).replace(b"\0", b"x")[: i % (d.itemsize + 1)] for i in range(n)], d)
    elif d.kind == "U":
        a = np.array(["aé\u20ac\U0001f600z"[: i % (d.itemsize // 4 + 1)] for i in range(n)], d)
    elif kind == "constant":
        a = np.frombuffer(rng.bytes(d.itemsize) * n, d)
    elif kind == "noise" or d.kind in "VMm":
        a = np.frombuffer(rng.bytes(d.itemsize * n), d)
    elif kind == "zeros":
        a = np.where(rng.integers(0, 50, n) == 0, 1, 0).astype(d)
    elif d.kind in "iu":
        a = rng.integers(0, 120, n).astype(d)
    else:
        a = np.cumsum(rng.integers(-4, 5, n) / 4).astype(d)
    return np.array(a.reshape(shape))


def v2_codec(c):
    if c is None:
        return None
    c = dict(c)
    return numcodecs.get_codec(c)


V3 = {"blosc": lambda c: BloscCodec(cname=c["cname"], clevel=c["clevel"], shuffle=["noshuffle", "shuffle", "bitshuffle"][c["shuffle"]]),
      "zstd": lambda c: ZstdCodec(level=c["level"], checksum=c.get("checksum", False)), "gzip": lambda c: GzipCodec(level=c["level"]),
      "crc32c": lambda c: Crc32cCodec(), "lz4": lambda c: zarr3.LZ4(), "zlib": lambda c: zarr3.Zlib(), "bz2": lambda c: zarr3.BZ2(),
      "delta": lambda c: zarr3.Delta(dtype=c["dtype"]), "packbits": lambda c: zarr3.PackBits(), "shuffle": lambda c: zarr3.Shuffle(elementsize=c["elementsize"]),
      "transpose": lambda c: TransposeCodec(order=c["order"])}


def stored(a, c):
    """Returns the items in the byte order in which the store has them."""
    if c["big"] and c["version"] == 3 and not a.dtype.names:
        return a.astype(a.dtype.newbyteorder(">"))
    return a


def create(group, key, c):
    rng = np.random.default_rng(c["seed"])
    data = values(c["shape"], c["dtype"], rng, c["kind"])
    o = {"shape": data.shape, "dtype": data.dtype, "chunks": tuple(c["chunks"])}
    if c["version"] == 2:
        o["order"] = c["order"]
        o["compressors"] = v2_codec(c["compressor"])
        o["filters"] = [v2_codec(f) for f in c["filters"]] or None
        o["chunk_key_encoding"] = {"name": "v2", "separator": c["separator"]}
        if c["dims"]:
            c["attributes"]["_ARRAY_DIMENSIONS"] = c["dims"]
    else:
        inner = [V3[f["id"]](f) for f in c["inner"]]
        serializer = zarr3.PCodec() if c["pcodec"] else BytesCodec(endian="big" if c["big"] else "little")
        if c["shards"]:
            serializer = ShardingCodec(chunk_shape=tuple(c["chunks"]), codecs=[serializer, *inner], index_location=c["index"])
            o["chunks"], inner = tuple(c["shards"]), []
        o["serializer"] = serializer
        o["filters"] = [V3[f["id"]](f) for f in c["filters"]]
        o["compressors"] = inner or None
        o["dimension_names"] = c["dims"] or None
        o["chunk_key_encoding"] = {"name": c["keys"], "separator": c["separator"]}
    if c["fill"] is not None:
        o["fill_value"] = parsed(c["dtype"]).type(c["fill"])
    a = group.create_array(key, attributes=c["attributes"], **o)
    if c["part"]:
        data[tuple(slice(0, n) for n in c["part"])] = a.fill_value
    a[...] = data
    data = stored(data, c)
    data.tofile(c["want"])
    return {"dtype": str(data.dtype.descr) if data.dtype.names else data.dtype.str}


def write(c):
    store = zarr.storage.ZipStore(c["path"], mode="w") if c["path"].endswith(".zip") else c["path"]
    root = zarr.create_group(store, zarr_format=c["version"], attributes=c["attributes"])
    answer = [create(root, a["key"], a) for a in c["arrays"]]
    for g in c["groups"]:
        root.require_group(g["key"]).attrs.update(g["attributes"])
    if c["consolidate"]:
        zarr.consolidate_metadata(store, zarr_format=c["version"])
    if not isinstance(store, str):
        store.close()
    return answer


def digest(a):
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()


def read(c):
    """Returns what zarr-python and TensorStore read."""
    zipped = c["path"].endswith(".zip")
    store = zarr.storage.ZipStore(c["path"], mode="r") if zipped else c["path"]
    out = {"arrays": {}, "groups": {}}
    if c["single"]:
        nodes = [("", zarr.open_array(store, mode="r"))]
    else:
        root = zarr.open_group(store, mode="r", zarr_format=c["version"], use_consolidated=c["consolidated"])
        nodes = [("", root)] + [(k, root[k]) for k, _ in sorted(root.members(max_depth=None))]
    for key, n in nodes:
        attributes = dict(n.attrs)
        if isinstance(n, zarr.Group):
            out["groups"][key] = {"attributes": attributes}
            continue
        want = np.fromfile(c["want"][key], np.dtype(eval(c["dtypes"][key]) if c["dtypes"][key][0] == "[" else c["dtypes"][key]))
        want = want.reshape(n.shape)
        got = np.asarray(n[...]).astype(want.dtype, copy=False)
        dims = attributes.pop("_ARRAY_DIMENSIONS", None) if c["version"] == 2 else n.metadata.dimension_names
        answer = {"attributes": attributes, "dims": list(dims) if dims else [], "same": digest(got) == digest(want), "ts": ""}
        if tensorstore and not zipped and c["tensorstore"]:
            answer["ts"] = through_tensorstore(os.path.join(c["path"], key), c["version"], want)
        out["arrays"][key] = answer
    if not isinstance(store, str):
        store.close()
    return out


def through_tensorstore(path, version, want):
    if want.dtype.names or want.dtype.kind in "SUVMm":
        return "dtype"
    spec = {"driver": "zarr" if version == 2 else "zarr3", "kvstore": {"driver": "file", "path": path.rstrip("/") + "/"}}
    got = tensorstore.open(spec, open=True, read=True).result().read().result()
    return "same" if digest(got.astype(want.dtype)) == digest(want) else "different"


def hello(c):
    return {"versions": f"zarr {zarr.__version__}, numcodecs {numcodecs.__version__}, numpy {np.__version__}, "
                        f"TensorStore {tensorstore is not None}"}


for line in sys.stdin:
    try:
        command = json.loads(line)
        answer = {"hello": hello, "write": write, "read": read}[command["op"]](command)
    except Exception as e:
        answer = {"error": repr(e), "trace": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
