// Package formats recognises the formats of arrays, and opens what has them: files, archives,
// directories and streams with one array or a tree of them. Everything that reads arrays of any
// format does it by this table.
package formats

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/delimited"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/storage"
)

// A Format is a format of arrays. Its row in the table is all that is needed to read it.
type Format struct {
	Name       string   // in JSON
	Is         string   // "a NumPy .npy file"
	Plural     string   // "NumPy .npy files"
	Extensions []string // of what is written, in lower case; the usual one is first
	Further    []string // extensions that only what is read may have
	Attributes bool     // what is written keeps the attributes of arrays
	Trees      bool     // a file may hold several arrays, with keys
	Groups     bool     // groups may have attributes
	Links      bool     // what is written keeps the links of a whole HDF5 file
	Native     bool     // it is of Blosc2: what fails with cairn.ErrNotFound may be the next one
	ByPath     bool     // it is opened by its path, if that is known, and not by its file
	HDF5       bool     // a file may be one of HDF5, which leads into others by links
	AnyOrder   bool     // it is not read from front to back, so a stream must be saved to a file
	Takes      []string // names of the options of what is written; see [Options]

	// Detect reports whether something has this format; nil if its bytes do not say so.
	Detect func(p *Probe) bool
	// Open opens an input of this format, which must stay readable until the tree is closed. Hold
	// does that too, and lists what is there.
	Open func(ctx context.Context, in *Input) (ndarray.Tree, error)
	// CheckKey returns an error for a key that no array can have; nil if all can.
	CheckKey func(key string) error
	// Refuse returns an error for options that cannot be combined; nil if all can.
	Refuse func(o *Options) error
	// Verify verifies an array by its key, or for "/" what holds the arrays of a tree together.
	// Where it is nil, decoding all items is all that can be done.
	Verify func(ctx context.Context, in *Input, h *Holding, key string) (ndarray.Report, error)
	// Parts returns the keys of what is verified below a group, or of one array; nil for all
	// arrays.
	Parts func(h *Holding, group string) []string
	// Create writes one array, or a tree of them; nil if the format is only read.
	Create func(ctx context.Context, w *Writing) error
	// Append opens a file by its path to append to its arrays; nil if that cannot be done.
	Append func(path string, workers int) (Appender, error)
	// Change opens a file by its path to change it in place; nil if that cannot be done.
	Change func(path string) (Changer, error)
}

// All returns the table of formats, in the order in which they are recognised: those of Blosc2, and
// then the others.
func All() []Format { return append(native(), Foreign()...) }

// Foreign returns the formats that are not of Blosc2.
func Foreign() []Format {
	return []Format{
		{Name: "npy", Is: "a NumPy .npy file", Plural: "NumPy .npy files", Extensions: []string{".npy"},
			Takes: []string{"fortran"}, Detect: isNPY, Open: openNPY, Create: createNPY},
		{Name: "npz", Is: "a NumPy .npz archive", Plural: "NumPy .npz archives", Extensions: []string{".npz"},
			Trees: true, AnyOrder: true, Takes: []string{"fortran", "deflate"},
			Detect: isNPZ, Open: openNPZ, CheckKey: npzKey, Create: createNPZ},
		{Name: "zarr", Is: "a Zarr store", Plural: "Zarr stores", Extensions: []string{".zarr", ".zarr.zip"},
			Further: []string{".zip"}, Attributes: true, Trees: true, Groups: true, AnyOrder: true,
			Takes:  []string{"chunks", "blocks", "codec", "codec pcodec", "level", "filters", "zarr"},
			Detect: isZarr, Open: openZarr, CheckKey: zarrKey, Refuse: refuseZarr, Create: createZarr},

		{Name: "netcdf", Is: "a NetCDF file", Plural: "NetCDF files", Extensions: []string{".nc", ".nc4", ".cdf"},
			Attributes: true, Trees: true, Groups: true, HDF5: true, AnyOrder: true, Takes: []string{"chunks", "codec", "level", "filters", "unlimited"}, Refuse: refuseFilters,
			Detect: isNetCDF, Open: openNetCDF, CheckKey: netcdfKey, Create: createNetCDF4, Append: appendNetCDF,
			Change: changeNetCDF},
		{Name: "netcdf3", Is: "a NetCDF-3 file", Plural: "NetCDF-3 files", Extensions: []string{".nc3"},
			Attributes: true, Trees: true, AnyOrder: true, Takes: []string{"unlimited"}, Open: openNetCDF, CheckKey: netcdfKey,
			Create: createNetCDF3, Append: appendNetCDF, Change: changeNetCDF},
		{Name: "hdf5", Is: "an HDF5 file", Plural: "HDF5 files", Extensions: []string{".h5", ".hdf5", ".he5", ".hdf"},
			Further: []string{".mat"}, Attributes: true, Trees: true, Groups: true, Links: true, HDF5: true, AnyOrder: true,
			Takes: []string{"chunks", "codec", "level", "filters", "unlimited"}, Refuse: refuseFilters, Detect: isHDF5, Open: openHDF5, CheckKey: hdf5Key, Create: createHDF5,
			Append: appendHDF5, Change: changeHDF5},
		{Name: "csv", Is: "a table of text", Plural: "tables of text (CSV)", Further: tableExtensions, Trees: true,
			AnyOrder: true, Detect: isTable, Open: openTable},
		{Name: "raw", Is: "raw items", Plural: "raw items", Extensions: []string{".raw", ".bin"},
			Takes: []string{"fortran"}, Open: openNPY, Create: createRaw},
	}
}

// Named returns the format other than those of Blosc2 that an extension stands for.
func Named(ext string) (Format, bool) {
	f, ok := Of(ext)
	return f, ok && !f.Native && slices.Contains(f.Extensions, ext)
}

// Of returns the format that a file with an extension probably has.
func Of(ext string) (Format, bool) {
	all := All()
	i := slices.IndexFunc(all, func(f Format) bool {
		return slices.Contains(f.Extensions, ext) || slices.Contains(f.Further, ext)
	})
	if i < 0 {
		return Format{}, false
	}
	return all[i], true
}

// MayBeHDF5 reports whether a file is likely to be an HDF5 file by its name, so that it is worth
// looking for the signature at other places than the beginning.
func MayBeHDF5(name string) bool {
	row, _ := Of(Extension(name))
	return row.HDF5
}

// Extension returns the extension of a path with slashes, in lower case.
func Extension(name string) string {
	name = strings.ToLower(path.Clean(name))
	if strings.HasSuffix(name, ".zarr.zip") {
		return ".zarr.zip"
	}
	return path.Ext(name)
}

// An Input is what is opened: a file, a directory or a stream.
type Input struct {
	Name   string      // for messages; for a stream "standard input"
	Path   string      // of a file or directory; "" for a stream
	Key    string      // the only array that is wanted, or ""
	File   io.ReaderAt // nil for a stream and for a directory
	Size   int64       // of the file
	Stream io.Reader   // nil unless it is one
	Files  storage.FS  // that has the path; nil for that of the operating system

	Raw     *npy.Header        // of raw items
	Table   *delimited.Options // of a table of text, if the user says that it is one
	Verify  bool               // everything will be read, so that checksums may be compared first
	Workers int                // goroutines of a read; 0 means one per CPU
	Limits  cairn.Limits
	Compare frame.VerifyMode // how chunks of frames are compared with their checksums
	Links   []string         // folders of other files that a file may lead to; see hdf5.OpenOptions
	LinkFS  storage.FS       // that has them; nil for that of the operating system
	Version int64            // of a frame in a bucket; 0 means the newest

	// Rows are the formats that are tried, in this order; nil means all.
	Rows []Format
	// Closer closes what it is read from; nil means nothing. Hold does so once it is not needed.
	Closer io.Closer
}
