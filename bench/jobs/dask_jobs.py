"""One job by dask and zarr-python: CASE IN.zarr OUT.zarr PROCESSES.

Prints seconds, processor seconds, and the peak memory of the largest process in MiB. The processes are workers of
dask.distributed with one thread each, which have started before the time begins.
"""

import resource
import sys
import time

import dask.array as da
import zarr
from distributed import Client, LocalCluster
from zarr.codecs import BloscCodec


def make(case, x, stored):
    """The array that a case makes, the chunks to store it in, and its codec."""
    if case == "recode":
        return x, stored, BloscCodec(cname="lz4", clevel=5)
    if case == "rechunk":
        chunks = (x.shape[0], 32, 32)
        return x.rechunk(chunks), chunks, BloscCodec(cname="lz4", clevel=1)
    if case == "calc":
        return da.sqrt(abs(x)) * 2 + 1, stored, BloscCodec(cname="lz4", clevel=1)
    if case == "reduce":
        mean = x.mean(axis=0, dtype="f8").astype("f4")
        return mean, mean.chunksize, BloscCodec(cname="lz4", clevel=1)
    return x, stored, BloscCodec(cname="zstd", clevel=5)  # import


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    case, source, target, processes = sys.argv[1:]
    # Memory is not limited, so that nothing is spilled to disk.
    with (
        LocalCluster(n_workers=int(processes), threads_per_worker=1, memory_limit=0, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(zarr.open_array, source)
        before = time.process_time() + sum(client.run(time.process_time).values())
        begin = time.perf_counter()
        stored = zarr.open_array(source, mode="r").chunks
        # A task for each chunk would be too small for dask: it gets 16 chunks, 64 MiB, at a time.
        y, chunks, codec = make(case, da.from_zarr(source, chunks=(16 * stored[0], *stored[1:])), stored)
        out = zarr.create_array(target, shape=y.shape, chunks=chunks, dtype=y.dtype, compressors=codec)
        da.store(y, out, lock=False)
        seconds = time.perf_counter() - begin
        used = time.process_time() + sum(client.run(time.process_time).values()) - before
        print(f"{seconds:.3f} {used:.3f} {max(peak(), *client.run(peak).values()):.0f}")


if __name__ == "__main__":
    main()
