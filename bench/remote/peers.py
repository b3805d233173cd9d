# Reads parts of arrays on a web server with Python libraries, as peers.go asks for.
import json
import sys
import time
import zlib

import blosc2
import fsspec
import zarr

url, requests = sys.argv[1], int(sys.argv[2])
if requests:
    zarr.config.set({"async.concurrency": requests})


def say(**answer):
    print(json.dumps(answer), flush=True)


def open_blosc2():
    """Opens a blosc2.RemoteArray, which fetches ranges by fsspec."""
    more = {"max_concurrency": requests} if requests else {}
    array = blosc2.open(url + "/a.b2nd", mode="r", lazy=True, **more)
    assert isinstance(array, blosc2.RemoteArray)
    return array


def open_zarr():
    store = zarr.storage.FsspecStore.from_url(url + "/a.zarr", read_only=True)
    return zarr.open_array(store, mode="r")


print(f"blosc2 {blosc2.__version__}, zarr {zarr.__version__}, fsspec {fsspec.__version__}", flush=True)
while line := sys.stdin.readline():
    task = json.loads(line)
    try:
        began = time.perf_counter()
        array = {"blosc2": open_blosc2, "zarr": open_zarr}[task["library"]]()
        say(seconds=time.perf_counter() - began)
        if not task["start"]:
            continue
        sys.stdin.readline()
        part = tuple(slice(*bounds) for bounds in zip(task["start"], task["stop"]))
        began = time.perf_counter()
        items = array[part]
        seconds = time.perf_counter() - began
        say(seconds=seconds, sum=zlib.crc32(items.tobytes()))
    except Exception as err:
        say(error=f"{type(err).__name__}: {err}")
