"""Runs every verb that reads or writes arrays, and the server, on files of the toy format.

The command is the argument. NumPy reads and writes the files with three lines of its own.
"""

import io
import json
import subprocess
import sys
import urllib.request
import warnings

import numpy as np
import zarr

warnings.simplefilter("ignore")

BINARY = sys.argv[1]


def cairn(*args, code=0):
    done = subprocess.run([BINARY, *args], capture_output=True)
    assert done.returncode == code, (args, done.returncode, done.stderr.decode())
    return done.stdout


def read(name):
    with open(name, "rb") as f:
        word, dtype = f.readline().split()
        shape = [int(n) for n in f.readline().split()]
        assert word == b"toy"
        return np.frombuffer(f.read(), dtype.decode()).reshape(shape)


def write(name, a):
    with open(name, "wb") as f:
        f.write(f"toy {a.dtype.str}\n{' '.join(map(str, a.shape))}\n".encode() + a.tobytes())


def equal(a, b, what):
    same = a.dtype.newbyteorder("=") == b.dtype.newbyteorder("=") and a.shape == b.shape
    assert same and np.array_equal(a, b), (what, a.dtype, b.dtype, a.shape, b.shape)


def verbs(a):
    info = json.loads(cairn("info", "-json", "a.toy"))
    assert b"a toy file" in cairn("info", "a.toy")
    assert info["format"] == "toy" and info["shape"] == list(a.shape), info
    rows = json.loads(cairn("head", "-n", "2", "-format", "json", "a.toy"))
    assert len(rows) == 2, rows
    stats = json.loads(cairn("stats", "-json", "a.toy"))
    assert np.isclose(stats["all"]["mean"], a.mean()), stats
    assert cairn("cat", "a.toy") == a.tobytes()
    cairn("view", "-o", "a.png", "a.toy")
    assert b"every item decoded" in cairn("verify", "a.toy")

    cairn("import", "a.toy", "a.b2nd")
    cairn("diff", "a.toy", "a.b2nd")
    for verb in "export", "copy":
        cairn(verb, "-force", "a.b2nd", "b.toy")
        equal(read("b.toy"), a, verb)
    cairn("export", "a.toy", "a.npy")
    equal(np.load("a.npy"), a, "export to .npy")
    cairn("copy", "a.npy", "c.toy")
    equal(read("c.toy"), a, "copy of .npy")
    cairn("export", "a.toy", "a.zarr")
    equal(zarr.open_array("a.zarr", mode="r")[...], a, "export to Zarr")

    cairn("calc", "-o", "d.toy", "x * 2", "x=a.toy")
    equal(read("d.toy"), a * 2, "calc")
    cairn("diff", "a.toy", "d.toy", code=1)
    cairn("reduce", "-op", "max", "-axis", "0", "a.toy", "e.toy")
    equal(read("e.toy"), a.max(axis=0), "reduce")
    cairn("concat", "a.toy", "b.toy", "f.toy")
    equal(read("f.toy"), np.concatenate([a, a]), "concat")
    cairn("split", "-size", "4", "a.toy", "part%d.toy")
    equal(read("part1.toy"), a[4:8], "split")
    cairn("append", "a.b2nd", "a.toy")
    assert cairn("cat", "a.b2nd") == a.tobytes() * 2
    cairn("export", "-codec", "lz4", "a.toy", "g.toy", code=2)


def damage():
    for text in b"toy <f4\n", b"toy <q4\n3 4\n", b"toy <f4\n3 x\n", b"toy <f4\n3 4\nabc":
        with open("bad.toy", "wb") as f:
            f.write(text)
        for verb in "head", "verify":
            cairn(verb, "bad.toy", code=1)


def server(a):
    with subprocess.Popen([BINARY, "serve", "-addr", "127.0.0.1:0", "-log", "none", "a.toy"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        try:
            url = ""
            while "http://" not in url:
                url = p.stdout.readline()
                assert url, "the server has ended"
            url = "http://" + url.split("http://")[1].split()[0].strip("/.,")
            get = lambda path: urllib.request.urlopen(url + path, timeout=60).read()
            info = json.loads(get("/api/v1/info/a.toy"))
            assert info["shape"] == list(a.shape) and info["dtype"] == a.dtype.str, info
            equal(np.load(io.BytesIO(get("/api/v1/slice/a.toy?format=npy&s=1:3"))), a[1:3], "slice")
            assert get("/api/v1/tiles/a.toy?y=0&x=1&at=0,0&level=0&ty=0&tx=0")
            equal(zarr.open_array(url + "/zarr/a.toy", mode="r")[...], a, "Zarr over HTTP")
            equal(zarr.open_group(url + "/zarr", mode="r")["a"][...], a, "a group over HTTP")
        finally:
            p.terminate()


def main():
    rng = np.random.default_rng(1)
    for dtype in "<f4", "<i8", ">f8":
        a = rng.integers(-99, 99, (9, 5)).astype(dtype)
        write("a.toy", a)
        subprocess.run("rm -rf a.b2nd a.npy a.zarr a.png [b-g].toy part*.toy", shell=True, check=True)
        if dtype == "<f4":
            damage()
            server(a)
        verbs(a)
    print("a format that is one file and one row: every verb and the server read and write it")


main()
