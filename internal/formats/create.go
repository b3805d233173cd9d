package formats

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// Options say how arrays are written. A format has those that its row names, and no others.
type Options struct {
	ndarray.CopyOptions
	// HDF5 says how chunks of NetCDF-4 and HDF5 are encoded; nil if Codec, Level and Filters do.
	HDF5      *Filters
	Fortran   bool     // items are stored with the first index running fastest
	Deflate   bool     // members of an archive are compressed
	Zarr      int      // the version of Zarr; 0 is the usual one
	Unlimited []string // names of dimensions that may grow, besides those that may in the source
	Pcodec    bool     // chunks of Zarr with numbers are compressed by Pcodec, which no Codec is
	Plain     bool     // NetCDF-4 and HDF5 are not compressed, unless the options above say how
}

// given returns the names of the options that ask for something, which are those of flags.
func (o *Options) given() []string {
	var names []string
	note := func(name string, given bool) {
		if given {
			names = append(names, name)
		}
	}

	note("chunks", o.ChunkShape != nil)
	note("blocks", o.BlockShape != nil)
	note("codec", o.Codec != codecs.Default)
	note("level", o.Level != 0)
	note("filters", o.Filters != nil)
	note("recode", o.Recode)
	note("sparse", o.Sparse != nil && *o.Sparse)
	note("contiguous", o.Sparse != nil && !*o.Sparse)
	note("zarrblocks", o.ZarrBlocks != nil)
	note("fortran", o.Fortran)
	note("codec", o.HDF5 != nil)
	note("deflate", o.Deflate)
	note("zarr", o.Zarr != 0)
	note("unlimited", o.Unlimited != nil)
	note("codec pcodec", o.Pcodec)
	return names
}

// Check returns an error for options that the format does not have, or not together.
func (f *Format) Check(o *Options) error {
	for _, name := range o.given() {
		if !slices.Contains(f.Takes, name) {
			return fmt.Errorf("-%s is for %s, and the output is %s", name, strings.Join(with(name), ", "), f.Is)
		}
	}
	if f.Refuse == nil {
		return nil
	}
	return f.Refuse(o)
}

// with returns the formats that have an option.
func with(option string) (plurals []string) {
	for _, f := range All() {
		if slices.Contains(f.Takes, option) {
			plurals = append(plurals, f.Plural)
		}
	}
	return plurals
}

// A Writing is what is to be written in a format: an array, or several with keys.
type Writing struct {
	Options
	Path string // of what is made; a file appears there by File
	// File makes a single file of what write writes.
	File func(write func(out io.Writer) error) error

	Keys   []string // one for a single array
	Tree   bool     // arrays have their keys in the output, even if it is one
	Open   func(key string) (src ndarray.Source, done func() error, err error)
	Groups *Holding // whose attributes of groups are kept; nil for none
	Origin *Holding // what has arrays of these keys, whose datatypes are kept; nil for none
	Base   string   // a store keeps those below this group

	// Save stores an array of Blosc2; nil means ndarray.Save.
	Save func(ctx context.Context, key, path string, src ndarray.Source, o *ndarray.CopyOptions) error

	// Own reports whether an array has chunks of its own if those of the options have other
	// dimensions.
	Own func(key string) bool
	// Skip leaves out an array or a group that the format has no place for, or that is damaged. It
	// returns the error if nothing may be left out.
	Skip func(key string, why error) error
	// LeftOut is told which attribute of an array or a group the format has no form for.
	LeftOut  func(key, attribute string, why error)
	Progress func(bytes int64) // counts bytes of items
}

// A KeyError is an error of one of several arrays.
type KeyError struct {
	Key string
	Err error
}

// Error returns the error without the key.
func (e *KeyError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *KeyError) Unwrap() error { return e.Err }

// OfKey says of which array an error is.
func OfKey(key string, err error) error {
	if err == nil {
		return nil
	}
	return &KeyError{key, err}
}

// one makes a file of the only array.
func (w *Writing) one(write func(out io.Writer, src ndarray.Source) error) error {
	src, done, err := w.Open(w.Keys[0])
	if err != nil {
		return err
	}
	defer done()
	return w.File(func(out io.Writer) error { return write(out, src) })
}

// eachGroup calls put with the attributes of each group of what is written, and of those around it,
// that may have its key.
func (w *Writing) eachGroup(ctx context.Context, check func(key string) error,
	put func(group string, attributes meta.Map) error) error {
	if w.Groups == nil {
		return nil
	}

	base := strings.TrimSuffix(Key(w.Base), "/") + "/"
	for _, group := range w.Groups.Groups() {
		around := strings.TrimSuffix(Key(group), "/") + "/"
		if !strings.HasPrefix(around, base) && !strings.HasPrefix(base, around) {
			continue // beside what is written
		}

		if err := check(group); err != nil && group != "/" {
			if err := w.Skip(group, Plain(err)); err != nil {
				return err
			}
			continue
		}

		attributes, err := w.Groups.Attributes(ctx, group)
		if err != nil {
			return err
		}
		if err := put(group, attributes); err != nil {
			return err
		}
	}
	return nil
}

// follow returns a function that counts what a call has done of an array.
func (w *Writing) follow() func(done, total int64) {
	var before int64
	return func(done, _ int64) {
		w.Progress(done - before)
		before = done
	}
}
