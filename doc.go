// Package cairn is the root of a module that reads and writes Blosc2 and B2ND files: compressed,
// chunked, N-dimensional arrays, byte-compatible with C-Blosc2 and python-blosc2, in pure Go.
//
// This package has what all layers share: the errors to branch on, and the [Limits] on what an
// untrusted file may cost. Most programs begin with package ndarray:
//
//   - [github.com/cairn-go/cairn/ndarray]: N-dimensional arrays, typed and untyped
//   - [github.com/cairn-go/cairn/compute]: maps and reductions of arrays
//   - [github.com/cairn-go/cairn/store]: trees of arrays in one file or directory
//   - [github.com/cairn-go/cairn/tree]: anything that holds arrays, as a tree
//   - [github.com/cairn-go/cairn/zarr], [github.com/cairn-go/cairn/hdf5],
//     [github.com/cairn-go/cairn/netcdf] and [github.com/cairn-go/cairn/npy]: other formats
//   - [github.com/cairn-go/cairn/frame]: ordered chunks and metalayers, without dimensions
//   - [github.com/cairn-go/cairn/chunk]: one compressed chunk, without a container
//   - [github.com/cairn-go/cairn/codecs] and [github.com/cairn-go/cairn/shuffle]: codecs, and
//     the filters that run before them
//   - [github.com/cairn-go/cairn/meta]: metalayers, dtypes and MessagePack
//   - [github.com/cairn-go/cairn/storage]: where the bytes are kept
//
// The examples of this package are explained in docs/guide.md.
package cairn
