// Package hdf5 reads and writes HDF5 files: groups, attributes and datasets, in any number of
// goroutines, and without the library of The HDF Group.
//
// A [Dataset] is an [ndarray.Source]: it can be viewed, sliced, computed with and copied like any
// other. A read finds the chunks that its box touches, and decodes them in parallel. Only the bytes
// that are needed are read, so that a file may be far away (see [storage.OpenRanges]).
//
//	f, err := hdf5.Open("results.h5", nil)
//	d, err := f.Dataset(ctx, "/run/temperature")
//	v, err := ndarray.ViewAs[float32](d)
//	day, err := v.Read(ctx, ndarray.Index(31))
//
// # What is read
//
// Superblocks of versions 0 to 3, object headers of versions 1 and 2, groups in all three forms,
// attributes in headers and in heaps, committed datatypes and shared messages; compact, contiguous
// and chunked layouts with all kinds of chunk indexes; the filters of package filter. Checksums of
// metadata are compared.
//
// Integers, floating-point numbers, complex numbers (also as h5py writes them), strings of fixed
// and variable length, enums, bitfields, opaque bytes, references to objects and to regions, times,
// sequences of variable length, and arrays and compounds of these are items: see [Dataset.DType].
// Everything else fails with an error that names it and matches cairn.ErrUnsupported: items in
// external files, unknown filters, files in several parts.
//
// Files that a writer of SWMR (single writer, multiple readers) has open, or has left open, are
// read with what it has flushed. Metadata of such a file is read anew each time.
//
// # What is written
//
// [Create] begins a file, [Writer.Put] writes any source as a dataset, and [Writer.Group] makes
// groups with attributes. Chunks are encoded in parallel.
//
//	w, err := hdf5.Create("results.h5", nil)
//	err = w.Put(ctx, "/run/temperature", src, &hdf5.DatasetOptions{
//		Filters:    []filter.Filter{{ID: filter.Shuffle}, {ID: filter.Deflate}},
//		Attributes: []hdf5.Attribute{{Name: "units", Value: "K"}}})
//	err = w.Close()
//
// Attributes are what [File.AllAttributes] returns, or names with Go values. Text (U) becomes text
// of variable length in UTF-8; other dtypes have the datatypes of h5py. What cannot be written is
// refused: 128-bit floats, references to regions, attributes of more than 16 MiB.
// Filters 1 to 3 are known to every program; Zstandard, LZ4, Blosc and Blosc2 need a plugin there,
// such as hdf5plugin.
//
// # What is changed in place
//
// [Append] appends to datasets of an existing file, and [Change] sets and deletes attributes of its
// objects, adds datasets and groups, and deletes links with all that only they led to. Both change
// files of any program, and a crash leaves a file that the HDF5 library opens.
//
//	c, err := hdf5.Change("results.h5", nil)
//	err = c.SetAttribute(ctx, "/run/temperature", hdf5.Attribute{Name: "units", Value: "degC"})
//	err = c.Delete(ctx, "/run/old")
//	err = c.Close()
//
// The header of an object that changes stays at its address, so that references and other names
// lead there, and its messages move behind the end of the file. Attributes and links in heaps are
// brought into the header with that. The space of what was before, and of what is deleted, is not
// used again: a copy of the file reclaims it. Refused are datasets that are dimension scales of
// others, files with a user block or with free space that is stored, and headers that lie so across
// sectors that no single write can change them; a copy of the file has none of these.
//
// # Links
//
// Every path of an object works, by hard and soft links. External links, and virtual datasets with
// items in other files, are followed where OpenOptions.Links allows it, in as many files as they
// lead through; without it they are listed and refused. Virtual datasets are read as the HDF5
// library does by default: of a source that is missing there is the fill value.
//
// Facts about the format are from the HDF5 File Format Specification, version 3.0, and, where it is
// silent, from what h5py 3 writes and reads.
package hdf5
