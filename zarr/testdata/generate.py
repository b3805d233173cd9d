"""Writes the stores that golden_test.go reads, with zarr-python and numcodecs:

    python generate.py    # zarr==3.1.6 numcodecs==0.16.6 pcodec==1.1.0

Each store is a zip archive; manifest.json says what is in them.
"""

import hashlib
import io
import json
import os
import shutil
import tempfile
import warnings
import zipfile

import numcodecs
import numpy as np
import zarr
from numcodecs import zarr3
from zarr.codecs import (BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec,
                         TransposeCodec, ZstdCodec)

warnings.simplefilter("ignore")
here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)
manifest = {"zarr": zarr.__version__, "numcodecs": numcodecs.__version__, "stores": {}}

POINT = np.dtype([("x", "<i2"), ("y", "<f8"), ("tag", "S3")])


def values(shape, dtype):
    """Items that compress a little, of any dtype."""
    d = np.dtype(dtype)
    n = int(np.prod(shape))
    if d.fields or d.subdtype:
        out = np.zeros(n, d)
        for name in d.names:
            sub = d[name]
            base, extra = sub.subdtype if sub.subdtype else (sub, ())
            out[name] = values((n,) + extra, base)
        return out.reshape(shape)
    if d.kind == "b":
        a = rng.integers(0, 2, n).astype(bool)
    elif d.kind == "S":
        a = np.array([b"ab" * (i % 4) for i in range(n)], d)
    elif d.kind == "U":
        a = np.array(["é\U0001f600x"[: i % 4] for i in range(n)], d)
    elif d.kind == "V":
        a = np.frombuffer(rng.integers(0, 4, n * d.itemsize, np.uint8).tobytes(), d)
    elif d.kind in "Mm":
        a = rng.integers(-1000, 1000, n).astype("<i8").view(d.newbyteorder("<")).astype(d)
    elif d.kind == "c":
        a = (rng.integers(-9, 9, n) + 1j * rng.integers(-9, 9, n)).astype(d)
    elif d.kind == "f":
        a = (rng.integers(-99, 99, n) / 4).astype(d)
    else:
        a = rng.integers(0, 100, n).astype(d)
    return np.ascontiguousarray(a.reshape(shape))


class Store:
    def __init__(self, name, version, **options):
        self.name, self.version = name, version
        self.dir = tempfile.mkdtemp()
        self.root = zarr.create_group(self.dir, zarr_format=version, **options)
        self.arrays = {}

    def add(self, key, data, chunks, fill_value=Ellipsis, note="", stored=None, dims=None, part=None, **options):
        """Creates an array, writes data, or only the box part of it, and records its items."""
        if fill_value is not Ellipsis:
            options["fill_value"] = fill_value
        a = self.root.create_array(key, shape=data.shape, dtype=data.dtype, chunks=chunks, **options)
        if part is None:
            a[...] = data
        else:
            a[part] = data[part]
        self.record(key, a, stored, dims)
        return a

    def record(self, key, a, stored=None, dims=None):
        try:
            a = zarr.open_array(os.path.join(self.dir, key), mode="r", zarr_format=self.version)
        except ValueError:
            pass  # zarr-python 3.1.6 does not read the nested structures that it writes
        got = np.asarray(a[...])
        if stored:
            got = got.astype(stored)
        elif self.version == 3 and got.dtype.kind != "V":
            got = got.astype(got.dtype.newbyteorder("<"))
        self.arrays[key] = {
            "shape": list(got.shape), "dtype": dtype_text(got.dtype), "chunks": list(a.chunks),
            "sha256": hashlib.sha256(np.ascontiguousarray(got).tobytes()).hexdigest(), "dims": dims,
        }

    def close(self):
        manifest["stores"][self.name] = {"version": self.version, "arrays": self.arrays}
        with zipfile.ZipFile(os.path.join(here, self.name + ".zip"), "w", zipfile.ZIP_STORED) as z:
            for folder, _, names in sorted(os.walk(self.dir)):
                for n in sorted(names):
                    path = os.path.join(folder, n)
                    info = zipfile.ZipInfo(os.path.relpath(path, self.dir), (2026, 1, 1, 0, 0, 0))
                    with open(path, "rb") as f:
                        z.writestr(info, f.read())
        shutil.rmtree(self.dir)


def dtype_text(d):
    return str(d.descr) if d.names else d.str


PLAIN = ["b1", "i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]
BIG = [">i2", ">u4", ">i8", ">f2", ">f4", ">f8", ">c8", ">c16"]
TEXT = ["S5", "<U4"]
TIME = ["<M8[ns]", "<M8[25us]", "<m8[s]", "<M8[D]"]


def dtypes(version):
    s = Store(f"dtypes-v{version}", version)
    for d in PLAIN + TEXT + TIME + ["V5", POINT] + (BIG + [">U4", ">M8[ns]"] if version == 2 else []):
        d = np.dtype(d)
        name = "point" if d.names else d.str.replace("<", "").replace(">", "big-").replace("|", "")
        s.add(name.replace("[", "-").replace("]", ""), values((7, 5), d), (3, 2))
    if version == 2:
        d = np.dtype([("a", "<i4"), ("c", [("d", ">i2"), ("e", "S2")])])
        s.add("nested", values((6,), d), (4,), fill_value=np.zeros((), d)[()])
    else:
        for d in ["int16", "uint32", "float64", "complex64"]:
            s.add("big-" + d, values((7, 5), d), (3, 2), serializer=BytesCodec(endian="big"),
                  stored=np.dtype(d).newbyteorder(">"))
        s.add("big-text", values((7, 5), "<U4"), (3, 2), serializer=BytesCodec(endian="big"), stored=">U4")
    s.close()


def shapes(version):
    s = Store(f"shapes-v{version}", version)
    s.add("zero-d", np.array(42, "<i4"), ())
    s.add("empty", np.zeros((0, 3), "<f4"), (2, 2))
    s.add("one", values((1,), "<i8"), (1,))
    s.add("exact", values((8, 6), "<i2"), (4, 3))
    s.add("ragged", values((5, 7, 3), "<i2"), (2, 3, 2))
    s.add("one-chunk", values((5, 7), "<f4"), (20, 20))
    s.add("five-d", values((2, 3, 2, 3, 2), "u1"), (1, 2, 2, 2, 1))
    sep = "." if version == 3 else "/"
    s.add("separator", values((5, 7), "<i4"), (2, 3), chunk_key_encoding={"name": "default" if version == 3 else "v2", "separator": sep})
    if version == 3:
        s.add("v2-keys", values((5, 7), "<i4"), (2, 3), chunk_key_encoding={"name": "v2", "separator": "."})
        s.add("v2-keys-slash", values((5, 7), "<i4"), (2, 3), chunk_key_encoding={"name": "v2", "separator": "/"})
        s.add("v2-keys-zero-d", np.array(7, "<i4"), (), chunk_key_encoding={"name": "v2", "separator": "."})
        s.add("named", values((4, 3), "<i4"), (2, 3), dimension_names=["time", None], dims=["time", ""])
    else:
        s.add("order-f", values((5, 7), "<i4"), (2, 3), order="F")
        s.add("order-f-3d", values((5, 7, 4), "<i2"), (3, 4, 2), order="F")
        s.add("named", values((4, 3), "<i4"), (2, 3), attributes={"_ARRAY_DIMENSIONS": ["time", "x"], "units": "K"}, dims=["time", "x"])
    s.close()


def fills(version):
    s = Store(f"fills-v{version}", version)
    part = (slice(0, 2), slice(0, 2))
    cases = [
        ("<f4", np.nan), ("<f8", np.inf), ("<f8", -np.inf), ("<f2", 1.5), ("<f4", 0.1), ("<f8", -0.0), ("<i4", -7), ("<u8", 2**64 - 1),
        ("<i8", -2**63), ("b1", True), ("<c8", complex(1, np.nan)), ("<c16", complex(-np.inf, 2)), ("S4", b"xy"), ("<U3", "né"),
        ("<M8[ns]", np.datetime64("NaT", "ns")), ("<M8[D]", np.datetime64("2020-02-02")), ("<m8[s]", np.timedelta64(9, "s")),
        ("V3", np.void(b"abc")), (POINT, np.array((3, 2.5, b"no"), POINT)[()]),
    ]
    for i, (d, fill) in enumerate(cases):
        s.add(f"fill-{i:02}", values((5, 5), d), (2, 2), fill_value=fill, part=part)
    if version == 2:
        a = s.add("null", values((5, 5), "<i4"), (2, 2), part=part)
        path = os.path.join(s.dir, "null", ".zarray")
        doc = json.load(open(path))
        doc["fill_value"] = None
        json.dump(doc, open(path, "w"))
        s.record("null", a)
    else:
        # zarr-python reads fill values given by their bits, but does not write them
        a = s.add("bits", values((5, 5), "<f4"), (2, 2), part=part, fill_value=1)
        path = os.path.join(s.dir, "bits", "zarr.json")
        doc = json.load(open(path))
        doc["fill_value"] = "0x7fc12345"
        json.dump(doc, open(path, "w"))
        s.record("bits", a)
    s.close()


def compressors(version):
    s = Store(f"codecs-v{version}", version)
    data = values((40, 30), "<i4")
    small = values((9, 9), "<f8")
    for cname in ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]:
        for shuffle in ["noshuffle", "shuffle", "bitshuffle"]:
            if version == 2:
                c = numcodecs.Blosc(cname, 5, ["noshuffle", "shuffle", "bitshuffle"].index(shuffle))
            else:
                c = BloscCodec(cname=cname, clevel=5, shuffle=shuffle)
            s.add(f"blosc-{cname}-{shuffle}", data, (16, 16), compressors=c)
    s.add("none", data, (16, 16), compressors=None)
    s.add("constant", np.full((50, 50), 3, "<i8"), (50, 50), compressors=numcodecs.Blosc() if version == 2 else BloscCodec())
    if version == 2:
        for name, c in [("zstd", numcodecs.Zstd(3)), ("zstd-checksum", numcodecs.Zstd(1, checksum=True)), ("gzip", numcodecs.GZip(5)),
                        ("zlib", numcodecs.Zlib(1)), ("lz4", numcodecs.LZ4(1)), ("bz2", numcodecs.BZ2(5))]:
            s.add(name, data, (16, 16), compressors=c)
    else:
        for name, c in [("zstd", ZstdCodec(level=3)), ("zstd-checksum", ZstdCodec(level=1, checksum=True)), ("gzip", GzipCodec(level=5)),
                        ("crc32c", Crc32cCodec()), ("gzip-crc32c", [GzipCodec(level=1), Crc32cCodec()]), ("crc32c-zstd", [Crc32cCodec(), ZstdCodec()]),
                        ("n-blosc", zarr3.Blosc(cname="lz4", clevel=3)), ("n-lz4", zarr3.LZ4()), ("n-zstd", zarr3.Zstd()), ("n-zlib", zarr3.Zlib()),
                        ("n-gzip", zarr3.GZip()), ("n-bz2", zarr3.BZ2()), ("n-shuffle", [zarr3.Shuffle(elementsize=4), zarr3.Zlib()]),
                        ("n-crc32", zarr3.CRC32()), ("n-adler32", zarr3.Adler32()), ("n-fletcher32", zarr3.Fletcher32())]:
            s.add(name, data, (16, 16), compressors=c)
        s.add("transpose", values((5, 7, 4), "<i4"), (2, 3, 4), filters=[TransposeCodec(order=(2, 0, 1))])
        s.add("transpose-twice", values((5, 7, 4), "<i4"), (2, 3, 4), filters=[TransposeCodec(order=(2, 0, 1)), TransposeCodec(order=(1, 0, 2))])
    ints, floats = data, np.round(small, 1)
    pco = {"compressors": numcodecs.pcodec.PCodec()} if version == 2 else {"serializer": zarr3.PCodec(), "compressors": None}
    for dtype in "<i2 <u4 <i8 <f2 <f4 <f8".split():
        s.add("pcodec-" + dtype[1:], data.astype(dtype), (16, 16), **pco)
    if version == 3:
        s.add("pcodec-crc32c", data, (16, 16), serializer=zarr3.PCodec(level=2), compressors=[Crc32cCodec()])
    wrap = (lambda n: getattr(numcodecs, n)) if version == 2 else (lambda n: getattr(zarr3, n))
    s.add("delta", ints, (16, 16), filters=[wrap("Delta")(dtype="<i4")])
    s.add("delta-small", (ints % 50).astype("<i4"), (16, 16), filters=[wrap("Delta")(dtype="<i4", astype="<i2")])
    s.add("delta-float", floats.astype("<f4"), (4, 4), filters=[wrap("Delta")(dtype="<f4")])
    s.add("delta-double", floats, (4, 4), filters=[wrap("Delta")(dtype="<f8")])
    s.add("scale", floats, (4, 4), filters=[wrap("FixedScaleOffset")(dtype="<f8", astype="<i2", offset=1000.5, scale=10)])
    s.add("scale-float", floats.astype("<f4"), (4, 4), filters=[wrap("FixedScaleOffset")(dtype="<f4", astype="u1", offset=-30, scale=3)])
    s.add("quantize", floats, (4, 4), filters=[wrap("Quantize")(dtype="<f8", digits=1)])
    s.add("bitround", floats.astype("<f4"), (4, 4), filters=[wrap("BitRound")(keepbits=5)])
    s.add("packbits", values((9, 9), "b1"), (4, 5), filters=[wrap("PackBits")()])
    s.add("astype", ints.astype("<i8"), (16, 16), filters=[wrap("AsType")(encode_dtype="<i2", decode_dtype="<i8")])
    if version == 2:
        s.add("shuffle", ints, (16, 16), filters=[numcodecs.Shuffle(4)], compressors=numcodecs.Zlib(1))
        s.add("crc32", ints, (16, 16), filters=[numcodecs.CRC32()], compressors=None)
        s.add("adler32", ints, (16, 16), filters=[numcodecs.Adler32()], compressors=numcodecs.Zlib(1))
        s.add("fletcher32", ints, (16, 16), filters=[numcodecs.Fletcher32()], compressors=None)
        s.add("two-filters", ints, (16, 16), filters=[numcodecs.Delta(dtype="<i4"), numcodecs.Shuffle(4)], compressors=numcodecs.Zstd(1))
        s.add("delta-f", ints, (16, 16), order="F", filters=[numcodecs.Delta(dtype="<i4")])
    s.close()


def shards():
    s = Store("shards", 3)
    data = values((20, 14), "<i4")
    s.add("end", data, (2, 3), shards=(8, 6))
    s.add("zero-d", np.array(3, "<i4"), (), shards=()) if False else None
    s.add("blosc", data, (4, 7), shards=(8, 7), compressors=BloscCodec(cname="lz4", clevel=1))
    s.add("partial", data, (2, 3), shards=(8, 6), part=(slice(1, 3), slice(2, 5)), fill_value=9)
    for name, codec in {
        "start": ShardingCodec(chunk_shape=(2, 3), index_location="start"),
        "no-checksum": ShardingCodec(chunk_shape=(2, 3), index_codecs=[BytesCodec()]),
        "inner-transpose": ShardingCodec(chunk_shape=(2, 3), codecs=[TransposeCodec(order=(1, 0)), BytesCodec(), ZstdCodec()]),
        "nested": ShardingCodec(chunk_shape=(4, 6), codecs=[ShardingCodec(chunk_shape=(2, 3), index_location="start", codecs=[BytesCodec(), GzipCodec()])]),
        "big": ShardingCodec(chunk_shape=(2, 3), codecs=[BytesCodec(endian="big")]),
    }.items():
        s.add(name, data, (8, 6), serializer=codec, compressors=None, stored=">i4" if name == "big" else None)
    s.add("outer-gzip", data, (8, 6), serializer=ShardingCodec(chunk_shape=(2, 3)), compressors=GzipCodec())
    s.add("outer-transpose", data, (8, 6), filters=[TransposeCodec(order=(1, 0))], serializer=ShardingCodec(chunk_shape=(2, 2)), compressors=None)
    s.add("three-d", values((6, 5, 9), "<f8"), (1, 3, 2), shards=(2, 6, 8))
    s.close()


def tree(version):
    s = Store(f"tree-v{version}", version, attributes={"title": "a tree", "n": 3, "x": 0.5, "list": [1, "two", None, {"a": True}], "big": 2**63})
    s.root.create_group("empty", attributes={"nothing": []})
    g = s.root.create_group("a")
    g.create_group("b")
    s.add("a/b/c", values((4, 3), "<i4"), (2, 2), attributes={"units": "m"})
    s.add("a/d", values((4,), "<f4"), (2,), attributes={"bad": float("nan")} if version == 2 else {})
    s.add("e", values((3,), "u1"), (3,))
    s.close()
    s2 = Store(f"consolidated-v{version}", version, attributes={"title": "consolidated"})
    s2.root.create_group("a/b", attributes={"k": "v"})
    s2.add("a/b/c", values((4, 3), "<i4"), (2, 2))
    zarr.consolidate_metadata(s2.dir, zarr_format=version)
    s2.close()


for v in (2, 3):
    dtypes(v)
    shapes(v)
    fills(v)
    compressors(v)
    tree(v)
shards()
with open(os.path.join(here, "manifest.json"), "w") as f:
    json.dump(manifest, f, indent=1, sort_keys=True)
    f.write("\n")
