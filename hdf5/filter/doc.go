// Package filter decodes and encodes chunks of HDF5 datasets: deflate, shuffle, fletcher32, nbit,
// scale-offset, and the registered filters LZF, Blosc, LZ4, bitshuffle, Zstandard and Blosc2.
//
// It knows no files: those who read HDF5 with another library can decode chunks with it. A dataset
// has a list of filters, which HDF5 applies in order to each chunk it writes. A chunk has a mask,
// whose bit i says that filter i was left out.
//
//	d, err := filter.NewDecoder(filters)
//	…
//	err = d.Decode(items, stored, mask)
//
// [Decoder.DecodePart] decodes some items of a chunk. With Blosc or Blosc2, that takes less time
// than decoding all.
package filter
