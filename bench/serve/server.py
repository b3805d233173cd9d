# Serves a folder as files, slices of its array that python-blosc2 decodes, and series of its cube,
# which TensorStore reads from Zarr if it is there.
import asyncio
import socket
import sys

import blosc2
from aiohttp import web

array = blosc2.open(sys.argv[1] + "/a.b2nd", mode="r")
try:
    import tensorstore

    store = {"driver": "file", "path": sys.argv[1] + "/cube.zarr"}
    cube = tensorstore.open({"driver": "zarr3", "kvstore": store}, read=True).result()
except ImportError:
    cube = None
    plain = blosc2.open(sys.argv[1] + "/cube.b2nd", mode="r")


def selection(text):
    return tuple(slice(*map(int, s.split(":"))) if ":" in s else int(s) for s in text.split(","))


async def part(request):
    return web.Response(body=array[selection(request.query["s"])].tobytes(), content_type="application/octet-stream")


async def series(request):
    y = int(request.query["y"])
    x = int(request.query["x"])
    if cube is None:
        items = plain[:, y, x]
    else:
        items = await cube[:, y, x].read()
    return web.Response(body=items.tobytes(), content_type="application/octet-stream")


async def main():
    app = web.Application()
    app.router.add_get("/slice", part)
    app.router.add_get("/series", series)
    app.router.add_static("/", sys.argv[1])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    s = socket.create_server(("127.0.0.1", 0), backlog=256)
    await web.SockSite(runner, s).start()
    print("%s:%d" % s.getsockname(), flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
