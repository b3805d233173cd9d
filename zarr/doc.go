// Package zarr reads and writes Zarr stores of versions 2 and 3: arrays in chunks, groups and their
// attributes, in directories, zip archives, memory, any [io/fs.FS] and buckets.
//
// An [Array] of a store is an [ndarray.Source]: it can be viewed, sliced, computed with and copied
// like any other. [Save] writes any source as a Zarr array, and a [Writer] stores with groups.
//
// # What is read
//
// Arrays of version 2 and 3 with all dtypes of a fixed size; consolidated metadata; all chunk key
// encodings; the codecs bytes, transpose, sharding_indexed, blosc, zstd, gzip and crc32c; of
// numcodecs also pcodec, zlib, lz4, bz2, shuffle, delta, fixedscaleoffset, quantize, bitround,
// astype, packbits, crc32, adler32, fletcher32, and vlen-utf8, whose texts get the width of the
// longest one. Everything else fails with an error that names it and matches
// cairn.ErrUnsupported: bytes and objects of variable length, other codecs, other chunk grids,
// storage transformers.
//
// Facts about the format are from the specifications of Zarr 2 and 3 (zarr-specs.readthedocs.io),
// and, where these are silent, from what zarr-python 3.1.6 and numcodecs 0.16.6 write.
package zarr
