"""The libraries of the workload "users": arrays in files, written, read and changed as each library's manual shows.

Every class has the same methods. create makes an array of a shape without items; write makes one of all items, durable like cairn's
after a commit, but without waiting for the disk; open opens what is there; finish hands everything to the system. Each gets the request,
which names codec, level, threads, chunks and, for Blosc2, blocks. THREADS holds for the whole process.
"""

import numpy as np

versions = {}
libraries = {}  # by name


class Library:
    def write(self, r, data):
        a = self.create(r, data.shape, data.dtype)
        a[...] = data
        self.finish(a)

    def read(self, a, key):
        return a[key]

    def put(self, a, key, piece):
        a[key] = piece
        self.finish(a)

    def finish(self, a):
        pass

    def close(self, a):
        self.finish(a)


def known(name, version):
    """Registers a class under the name that reports use."""
    versions[name] = version

    def add(cls):
        libraries[name] = cls()
        return cls

    return add


@known("numpy", np.__version__)
class NumPy(Library):
    def open(self, r):
        return r["path"]

    def read(self, a, key):
        return np.load(a)[key]

    def close(self, a):
        pass


def written(library, path, data, o):
    """Writes the data as a library does by default but for the options, for the workload "reads"."""
    for name in "chunks", "chunksizes":
        if name in o:
            o[name] = tuple(map(min, o[name], data.shape))
    if library == "numpy":
        with open(path, "wb") as f:
            np.save(f, data)
    elif library == "h5py":
        if "plugin" in o:
            o |= getattr(hdf5plugin, o.pop("plugin"))()
        with h5py.File(path, "w") as f:
            f.create_dataset("a", data=data, **o)
    elif library == "netcdf4":
        with netCDF4.Dataset(path, "w") as f:
            dims = ["d%d" % i for i in range(data.ndim)]
            for name, n in zip(dims, data.shape):
                f.createDimension(name, n)
            f.createVariable("a", data.dtype, dims, **o)[...] = data
    elif library == "zarr":
        if "blosc" in o:
            o["compressors"] = numcodecs.Blosc(o.pop("blosc"))
        zarr.config.set({"codec_pipeline.path": plain})
        zarr.create_array(store=path, data=data, **o)
    else:
        codec = {"codec": blosc2.Codec[o["codec"]]} if o else {}
        blosc2.asarray(data, urlpath=path, mode="w", contiguous=True, cparams=dict(typesize=data.itemsize, **codec))


try:
    import blosc2
except ImportError:
    blosc2 = None

if blosc2:

    def b2_params(r):
        codec = blosc2.Codec[r["codec"].upper()]
        name = {"shuffle": "SHUFFLE", "bitshuffle": "BITSHUFFLE", "none": "NOFILTER"}[r["filter"]]
        filters = [blosc2.Filter.NOFILTER] * 5 + [blosc2.Filter[name]]
        cparams = dict(codec=codec, clevel=r["level"], typesize=r["typesize"], nthreads=r["threads"], filters=filters, filters_meta=[0] * 6)
        return cparams, dict(nthreads=r["threads"])

    @known("python-blosc2", blosc2.__version__)
    class Blosc2(Library):
        def storage(self, r):
            cparams, dparams = b2_params(r)
            return dict(urlpath=r["path"], mode="w", contiguous=True, chunks=r["chunks"], blocks=r["blocks"], cparams=cparams, dparams=dparams)

        def create(self, r, shape, dtype):
            return blosc2.empty(shape, dtype=dtype, **self.storage(r))

        def write(self, r, data):
            blosc2.asarray(data, **self.storage(r))

        def open(self, r):
            if "codec" not in r:
                return blosc2.open(r["path"], mode="r", dparams=dict(nthreads=r["threads"]))
            return blosc2.open(r["path"], mode="a", cparams=b2_params(r)[0], dparams=b2_params(r)[1])

        def append(self, a, rows):
            n = a.shape[0]
            a.resize((n + len(rows), *a.shape[1:]))
            a[n:] = rows


try:
    import numcodecs
    import zarr
    from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec
except ImportError:
    zarr = None

if zarr:
    versions["numcodecs"] = numcodecs.__version__
    plain = zarr.config.get("codec_pipeline.path")

    def zarr_store(r, data):
        """Writes a store for the readers of the workload "zarr"."""
        z2 = r["version"] == 2
        if r["codec"].startswith("blosc-"):
            name, typesize = r["codec"].removeprefix("blosc-"), r["typesize"]
            bits = name == "zstd"
            codec = numcodecs.Blosc(name, 5, 2 if bits else 1) if z2 else BloscCodec(
                cname=name, clevel=5, shuffle="bitshuffle" if bits else "shuffle", typesize=typesize)
        elif r["codec"] == "zstd":
            codec = numcodecs.Zstd(3) if z2 else ZstdCodec(level=3)
        else:
            codec = GzipCodec(level=5)
        grid = dict(chunks=r["inner"], shards=r["chunks"]) if r["sharded"] else dict(chunks=r["chunks"])
        zarr.config.set({"codec_pipeline.path": plain})
        a = zarr.create_array(store=r["path"], shape=data.shape, dtype=data.dtype, compressors=codec, filters=None, zarr_format=r["version"], **grid)
        a[...] = data

    @known("zarr-python", zarr.__version__)
    class Zarr(Library):
        pipeline = plain

        def configure(self, r):
            zarr.config.set({"threading.max_workers": r["threads"], "codec_pipeline.path": self.pipeline})
            numcodecs.blosc.set_nthreads(r["threads"])

        def create(self, r, shape, dtype):
            self.configure(r)
            filters = {"shuffle": "shuffle", "bitshuffle": "bitshuffle", "none": "noshuffle"}
            codec = BloscCodec(cname=r["codec"], clevel=r["level"], shuffle=filters[r["filter"]], typesize=r["typesize"])
            return zarr.create_array(
                store=r["path"], shape=shape, dtype=dtype, chunks=r["chunks"], compressors=codec, filters=None, overwrite=True
            )

        def open(self, r):
            self.configure(r)
            return zarr.open_array(r["path"], mode=r.get("mode", "r+"))

        def append(self, a, rows):
            a.append(rows, axis=0)

    try:
        import zarrs
        from importlib.metadata import version

        @known("zarrs", version("zarrs"))
        class Zarrs(Zarr):
            pipeline = "zarrs.ZarrsCodecPipeline"

    except ImportError:
        pass

try:
    import h5py
    import hdf5plugin

    versions["HDF5"], versions["hdf5plugin"] = h5py.version.hdf5_version, hdf5plugin.version

    @known("h5py", h5py.__version__)
    class HDF5(Library):
        """With the Blosc2 filter of hdf5plugin, and as much memory for open chunks as cairn has."""

        def create(self, r, shape, dtype):
            f = h5py.File(r["path"], "w", rdcc_nbytes=16 << 20 if shape[0] == 0 else 1 << 20)
            filters = {"shuffle": hdf5plugin.Blosc2.SHUFFLE, "bitshuffle": hdf5plugin.Blosc2.BITSHUFFLE, "none": hdf5plugin.Blosc2.NOFILTER}
            codec = hdf5plugin.Blosc2(cname=r["codec"], clevel=r["level"], filters=filters[r["filter"]])
            return f.create_dataset("a", shape, dtype=dtype, maxshape=(None, *shape[1:]), chunks=tuple(r["chunks"]), compression=codec)

        def write(self, r, data):
            a = self.create(r, data.shape, data.dtype)
            a[...] = data
            a.file.close()

        def open(self, r):
            cache = {} if r.get("defaults") else dict(rdcc_nbytes=1 << 20)
            return h5py.File(r["path"], r.get("mode", "r+"), **cache)["a"]

        def append(self, a, rows):
            n = a.shape[0]
            a.resize(n + len(rows), axis=0)
            a[n:] = rows

        def finish(self, a):
            a.file.flush()

        def close(self, a):
            a.file.close()

    import netCDF4

    def hdf5_store(r, data):
        """Writes a file for the workload "hdf5", with h5py if that alone has the filter."""
        ours = {"zstd": dict(shuffle=True, **hdf5plugin.Zstd(clevel=3)), "blosc2": hdf5plugin.Blosc2(cname="zstd", clevel=5, filters=1)}
        if r["codec"] in ours:
            with h5py.File(r["path"], "w", track_order=True) as f:
                f.create_dataset("a", data=data, chunks=tuple(r["chunks"]), **ours[r["codec"]])
            return
        theirs = {
            "gzip": dict(compression="zlib", complevel=4, shuffle=True, chunksizes=r["chunks"]),
            "zstd-alone": dict(compression="zstd", complevel=3, chunksizes=r["chunks"]),
            "contiguous": dict(contiguous=True),
        }
        with netCDF4.Dataset(r["path"], "w") as f:
            for i, n in enumerate(data.shape):
                f.createDimension("d%d" % i, n)
            f.createVariable("a", data.dtype, ["d%d" % i for i in range(data.ndim)], **theirs[r["codec"]])[...] = data

    @known("netCDF4", netCDF4.__version__)
    class NetCDF4(Library):
        def open(self, r):
            f = netCDF4.Dataset(r["path"])
            f.set_auto_maskandscale(False)
            if not r.get("defaults") and not isinstance(f["a"].chunking(), str):
                # as h5py: by default it holds all places
                f["a"].set_var_chunk_cache(1 << 20, 521, 0.75)
            return f["a"]

        def close(self, a):
            a.group().close()

except ImportError:
    pass

try:
    import tensorstore as ts
    from importlib.metadata import version

    @known("TensorStore", version("tensorstore"))
    class TensorStore(Library):
        """Zarr version 2 unless the request says 3 or has inner chunks of shards, without waiting for the disk."""

        def spec(self, r):
            limit = {"limit": r["threads"]}
            context = {"data_copy_concurrency": limit, "file_io_concurrency": limit, "file_io_sync": False}
            driver = "zarr3" if r.get("version") == 3 or "inner" in r else "zarr"
            return {"driver": driver, "kvstore": {"driver": "file", "path": r["path"] + "/"}, "context": context}

        def create(self, r, shape, dtype):
            if "inner" in r:
                return self.create_shards(r, shape, dtype)
            shuffle = {"shuffle": 1, "bitshuffle": 2, "none": 0}[r["filter"]]
            compressor = {"id": "blosc", "cname": r["codec"], "clevel": r["level"], "shuffle": shuffle, "blocksize": 0}
            metadata = {"shape": shape, "chunks": r["chunks"], "dtype": dtype.str, "compressor": compressor}
            return ts.open(self.spec(r) | {"metadata": metadata}, create=True, delete_existing=True).result()

        def create_shards(self, r, shape, dtype):
            shuffle = {"shuffle": "shuffle", "bitshuffle": "bitshuffle", "none": "noshuffle"}[r["filter"]]
            blosc = {"cname": r["codec"], "clevel": r["level"], "shuffle": shuffle, "typesize": r["typesize"], "blocksize": 0}
            inner = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "blosc", "configuration": blosc}]
            codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": r["inner"], "codecs": inner}}]
            grid = {"name": "regular", "configuration": {"chunk_shape": r["chunks"]}}
            metadata = {"shape": shape, "chunk_grid": grid, "data_type": dtype.name, "codecs": codecs}
            return ts.open(self.spec(r) | {"metadata": metadata}, create=True, delete_existing=True).result()

        def write(self, r, data):
            self.create(r, data.shape, data.dtype).write(data).result()

        def open(self, r):
            return ts.open(self.spec(r)).result()

        def read(self, a, key):
            return a[key].read().result()

        def put(self, a, key, piece):
            a[key].write(piece).result()

        def append(self, a, rows):
            # resize returns the larger array, which the caller goes on with
            n = a.shape[0]
            a = a.resize(exclusive_max=[n + len(rows)] + [None] * (a.rank - 1)).result()
            a[n:].write(rows).result()
            return a

except ImportError:
    pass
