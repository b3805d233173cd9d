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
        if name.endswith((".b2e", ".b2z", ".zip")):
            os.remove(name)
    dict_store("dict.b2z")
    tree_store("tree.b2z")
    tree_store("embedded.b2z", threshold=1 << 20)
    embed_store("embed.b2e")
    mixed("mixed.b2z")
    containers("containers.b2z")
    packed(tree_store, "tree.b2d.zip")


main()
