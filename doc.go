// Package cairn is the root of a module that reads and writes Blosc2 and B2ND files: compressed,
// chunked, N-dimensional arrays, byte-compatible with C-Blosc2 and python-blosc2, in pure Go.
//
// This package has what all layers share: the errors to branch on, and the [Limits] on what an
// untrusted file may cost. Most programs begin with package ndarray:
//
//   - [github.com/cairn-go/cairn/ndarray]: N-dimensional arrays, typed and untyped
//   - [github.com/cairn-go/cairn/compute]: maps and reductions of arrays;
//     [github.com/cairn-go/cairn/compute/regrid]: other horizontal grids
//   - [github.com/cairn-go/cairn/store]: trees of arrays in one file or directory
//   - [github.com/cairn-go/cairn/tree]: anything that holds arrays, as a tree
//   - [github.com/cairn-go/cairn/zarr]: Zarr 2 and 3, read and written
//   - [github.com/cairn-go/cairn/hdf5]: HDF5, read; [github.com/cairn-go/cairn/hdf5/filter]: what
//     its chunks are compressed with
//   - [github.com/cairn-go/cairn/netcdf]: NetCDF, read
//   - [github.com/cairn-go/cairn/npy]: NumPy's files, read and written
//   - [github.com/cairn-go/cairn/job]: work on large arrays in parts, by many processes
//   - [github.com/cairn-go/cairn/serve]: a server for folders of arrays, with a page to look at
//     them
//   - [github.com/cairn-go/cairn/frame]: ordered chunks and metalayers, without dimensions
//   - [github.com/cairn-go/cairn/chunk]: one compressed chunk, without a container
//   - [github.com/cairn-go/cairn/codecs]: the codecs
//   - [github.com/cairn-go/cairn/shuffle]: the filters that run before them
//   - [github.com/cairn-go/cairn/meta]: metalayers, dtypes and MessagePack
//   - [github.com/cairn-go/cairn/storage]: where the bytes are kept: files, memory, buckets;
//     [github.com/cairn-go/cairn/storage/httprange]: web servers;
//     [github.com/cairn-go/cairn/storage/diskcache]: a cache of remote bytes on disk
//
// The examples of this package are explained in docs/guide.md.
package cairn
