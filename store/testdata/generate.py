"""Writes the stores that the tests read, with the real library: python store/testdata/generate.py

Archives and embed stores are kept as they are; a directory is kept as the archive of its files, since folders of many small files are
tiresome, and unpacked by the test.
"""

import io
import os
import shutil
import tempfile
import zipfile

import blosc2
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
blosc2.set_nthreads(1)


def fill(store, tree):
    store["/a"] = np.arange(1000, dtype="i4")
    store["/g/b"] = np.linspace(0, 1, 12).reshape(3, 4)
    store["/g/h/zeros"] = np.zeros((50, 60), dtype="f4")
    chunks = blosc2.SChunk(chunksize=32)
    chunks.append_data(b"abcdefgh" * 4)
    store["/g/bytes"] = chunks
    if tree:
        store.vlmeta["title"] = "a tree"
        store.vlmeta["pair"] = (1, "y")
        store.get_subtree("/g").vlmeta["units"] = "K"


def dict_store(path):
    with blosc2.DictStore(path, mode="w") as store:
        fill(store, False)


def tree_store(path, **kw):
    with blosc2.TreeStore(path, mode="w", **kw) as store:
        fill(store, True)


def embed_store(path):
    store = blosc2.EmbedStore(path, mode="w")
    store["/gone"] = np.arange(7)
    fill(store, False)
    del store["/gone"]


def mixed(path):
    """Leaves, and attributes of groups, in files and embedded, in one group; and a shadowed one: a file of a key that is embedded too."""
    with blosc2.TreeStore(path, mode="w", threshold=64) as store:
        store["/a"] = np.arange(3, dtype="i4")
        store["/g/b"] = np.arange(3, dtype="i4")
        store["/g/large"] = np.arange(100, dtype="i8")
        chunks = blosc2.SChunk(chunksize=32)
        chunks.append_data(b"abcdefgh" * 4)
        store["/g/bytes"] = chunks
        store.get_subtree("/g").vlmeta["units"] = "K"
        store._estore["/g/large"] = np.arange(5)


def containers(path):
    """One leaf of each kind that python-blosc2 keeps in stores."""
    import dataclasses

    @dataclasses.dataclass
    class Row:
        x: int = 0
        y: float = 0.0

    table = blosc2.CTable(Row)
    table.append(Row(x=1, y=1.5))
    table.append(Row(x=2, y=3.0))
    objects = blosc2.ObjectArray()
    objects.append({"k": [1, 2]})
    batches = blosc2.BatchArray()
    batches.append([1, 2, 3])
    with blosc2.TreeStore(path, mode="w") as store:
        store["/array"] = np.arange(5)
        store["/table"] = table
        store["/objects"] = objects
        store["/batches"] = batches


def tables(path):
    """A table with columns of every kind, in a group of a tree; and a proxy, a lazy array and lists of objects beside it."""
    import dataclasses

    @dataclasses.dataclass
    class Row:
        x: int = blosc2.field(blosc2.int64(ge=0), default=0)
        y: float = blosc2.field(blosc2.float64(null_value=float("nan")), default=0.0)
        b: bool = blosc2.field(blosc2.bool(), default=True)
        s: str = blosc2.field(blosc2.string(max_length=8), default="")
        u: str = blosc2.field(blosc2.utf8(), default="")
        d: str = blosc2.field(blosc2.dictionary(), default="")
        v: str = blosc2.field(blosc2.vlstring(), default="")
        l: list[int] = blosc2.field(blosc2.list(blosc2.int64()), default=None)
        t: int = blosc2.field(blosc2.timestamp(unit="us"), default=0)
        n: np.ndarray = blosc2.field(blosc2.ndarray((2,), dtype=np.float32), default=None)
        m: int = blosc2.field(blosc2.int32(nullable=True, null_storage="mask"), default=0)

    table = blosc2.CTable(Row)
    for i in range(6):
        table.append(Row(x=i, y=float("nan") if i == 4 else i / 2, b=i % 2 == 0, s=f"s{i}", u=f"é{i}" * i, d=["red", "green", None][i % 3], v=f"vl{i}", l=[i] * i,
                         t=i, n=np.array([i, i + 1], dtype="f4"), m=None if i == 3 else -i))
    table.delete(2)
    objects = blosc2.ObjectArray()
    for value in ({"k": [1, 2]}, (1, "two"), None, b"bytes"):
        objects.append(value)
    batches = blosc2.BatchArray()
    batches.append([1, "two", 3.5])
    batches.append([(4, 5)])
    array = blosc2.asarray(np.arange(10, dtype="i4"))
    with blosc2.TreeStore(path, mode="w") as store:
        store["/array"] = array
        store["/g/table"] = table
        store["/objects"] = objects
        store["/batches"] = batches
        lists = blosc2.ListArray(blosc2.list(blosc2.int64()))
        lists.extend([[1], [], [2, 3]])
        lists.flush()
        store["/lists"] = lists._store if hasattr(lists, "_store") else lists


def kinds(path):
    """Arrays that stand for others: a lazy expression, a function, a proxy of which a part was fetched, and a reference in attributes."""
    root = tempfile.mkdtemp()
    directory = os.path.join(root, "s.b2d")
    with blosc2.TreeStore(directory, mode="w") as store:
        store["/array"] = blosc2.arange(10, dtype="i4", chunks=(5,), blocks=(5,))
        array = store["/array"]
        expression = blosc2.lazyexpr("a + 1", {"a": array})
        store.vlmeta["lazy"] = expression
        store.vlmeta["values"] = {"tuple": (1, (2, "x")), "array": blosc2.arange(3), "complex": 1 + 2j, "set": {5}, "numpy": np.arange(2)}
        expression.save(urlpath=os.path.join(directory, "lazy.b2nd"))
        proxy = blosc2.Proxy(array, urlpath=os.path.join(directory, "proxy.b2nd"), mode="w")
        proxy.fetch(slice(0, 5))
    with blosc2.TreeStore(directory, mode="r") as store:
        store.to_b2z(filename=path, overwrite=True)
    shutil.rmtree(root)


def whole_table(path):
    """A store that is a table."""
    import dataclasses

    @dataclasses.dataclass
    class Row:
        x: int = blosc2.field(blosc2.int64(nullable=True, null_storage="mask"), default=0)
        y: float = 0.0

    table = blosc2.CTable(Row, urlpath=path, mode="w", expected_size=100)
    for i in range(6):
        table.append(Row(x=None if i == 3 else i, y=i / 2))
    table.delete(2)
    table.close()


def scalars(path):
    """Tables of versions 1 and 3 of the schema, which has a mask, and columns of objects of every role."""
    import dataclasses

    @dataclasses.dataclass
    class Plain:
        x: int = 0
        b: bytes = blosc2.field(blosc2.vlbytes(nullable=True), default=b"")
        o: object = blosc2.field(blosc2.object(nullable=True), default=None)
        t: str = blosc2.field(blosc2.vlstring(nullable=True), default="")
        s: dict = blosc2.field(blosc2.struct({"k": blosc2.int64(), "v": blosc2.vlstring()}, nullable=True), default=None)

    @dataclasses.dataclass
    class Mask:
        x: int = blosc2.field(blosc2.int64(nullable=True, null_storage="mask"), default=0)

    plain = blosc2.CTable(Plain)
    for i in range(4):
        plain.append((i, bytes([i] * i), [None, 1, "two", (3, [4])][i], None if i == 1 else f"t{i}" * i, None if i == 2 else {"k": i, "v": "v" * i}))
    mask = blosc2.CTable(Mask)
    mask.append(Mask(x=7))
    mask.append(Mask(x=None))
    with blosc2.TreeStore(path, mode="w") as store:
        store["/v1"] = plain
        store["/v3"] = mask


def nested(path):
    """A table of version 2 of the schema, which has columns in structures; it takes pyarrow."""
    import pyarrow as pa

    def fields(**types):
        return [pa.field(name, t, nullable=False) for name, t in types.items()]

    to = pa.struct(fields(lon=pa.float32(), lat=pa.float32()))
    schema = pa.schema(fields(id=pa.int64(), trip=pa.struct(fields(km=pa.float64(), to=to))))
    rows = [{"km": i / 2, "to": {"lon": float(i), "lat": -float(i)}} for i in range(3)]
    batch = pa.record_batch([pa.array([1, 2, 3], pa.int64()), pa.array(rows, schema.field("trip").type)], schema=schema)
    blosc2.CTable.from_arrow(batch.schema, [batch], urlpath=path, mode="w").close()


def indexed(path):
    """A table in a group, and one that is a store, with indexes of several kinds and columns that are made of others."""
    import dataclasses

    @dataclasses.dataclass
    class Row:
        a: int = blosc2.field(blosc2.int64(), default=0)
        b: float = blosc2.field(blosc2.float64(null_value=float("nan")), default=0.0)
        d: str = blosc2.field(blosc2.dictionary(), default="")
        l: list[int] = blosc2.field(blosc2.list(blosc2.int64()), default=None)

    def fill(table):
        table.extend([(i * 7 % 50, i / 2, f"d{i % 3}", [i, i % 5]) for i in range(50)])

    def index(table):
        table.add_generated_column("double", values="a * 2", dtype=blosc2.int64())
        table.add_generated_column("more", values="double + b", dtype=blosc2.float64())
        table.create_index("a", kind=blosc2.IndexKind.BUCKET)
        table.create_index("l", kind=blosc2.IndexKind.MEMBERSHIP)
        table.create_index(expression="a + b", kind=blosc2.IndexKind.SUMMARY)

    root = tempfile.mkdtemp()
    here = os.getcwd()
    os.chdir(root)  # so that no path of this machine comes into the files
    table = blosc2.CTable(Row, expected_size=60)
    fill(table)
    with blosc2.TreeStore("s.b2d", mode="w") as store:
        store["/g/table"] = table
    with blosc2.TreeStore("s.b2d", mode="a") as store:
        index(store["/g/table"])
    with blosc2.TreeStore("s.b2d", mode="r") as store:
        store.to_b2z(filename=os.path.join(here, path), overwrite=True)
    table = blosc2.CTable(Row, urlpath="t.b2d", mode="w", expected_size=60)
    fill(table)
    index(table)
    table.close()
    with blosc2.TreeStore("t.b2d", mode="r") as store:
        store.to_b2z(filename=os.path.join(here, "whole-" + path), overwrite=True)
    os.chdir(here)
    shutil.rmtree(root)


def packed(write, path):
    """Keeps a directory as an archive that is compressed, which is no store itself."""
    root = tempfile.mkdtemp()
    directory = os.path.join(root, "s.b2d")
    write(directory)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for folder, _, names in sorted(os.walk(directory)):
            for name in sorted(names):
                full = os.path.join(folder, name)
                z.writestr(zipfile.ZipInfo(os.path.relpath(full, directory).replace(os.sep, "/")), open(full, "rb").read(), zipfile.ZIP_DEFLATED)
    shutil.rmtree(root)


def main():
    os.chdir(HERE)
    for name in os.listdir("."):
        if name != "carriers.b2z" and name.endswith((".b2e", ".b2z", ".zip")):
            os.remove(name)
    dict_store("dict.b2z")
    tree_store("tree.b2z")
    tree_store("embedded.b2z", threshold=1 << 20)
    embed_store("embed.b2e")
    mixed("mixed.b2z")
    containers("containers.b2z")
    tables("tables.b2z")
    kinds("kinds.b2z")
    whole_table("table.b2z")
    indexed("indexed.b2z")
    scalars("scalars.b2z")
    nested("nested.b2z")
    for name in os.listdir("."):
        os.chmod(name, 0o644)
    packed(tree_store, "tree.b2d.zip")


main()
