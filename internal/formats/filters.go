package formats

// The filters of chunks in NetCDF-4 and HDF5 files, by the names that the command has for them.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/netcdf"
)

// Filters say how chunks of NetCDF-4 and HDF5 files are encoded.
type Filters struct {
	codec  hdf5Codec
	level  uint32
	before string // shuffle, bitshuffle or none
	sums   bool
}

// An hdf5Codec is a compressor of chunks.
type hdf5Codec struct {
	name   string
	id     filter.ID
	inside uint32 // its number within Blosc, or within bitshuffle
	usual  uint32 // level
	most   uint32 // level, 0 if there are none
}

// hdf5Codecs are the compressors that are written. The first is the usual one.
var hdf5Codecs = []hdf5Codec{
	{"zlib", filter.Deflate, 0, 4, 9}, {"zstd", filter.Zstd, 3, 3, 22}, {"lz4", filter.LZ4, 2, 0, 0},
	{"lzf", filter.LZF, 0, 0, 0},
	{"blosc", filter.Blosc, 5, 5, 9}, {"blosc:blosclz", filter.Blosc, 0, 5, 9}, {"blosc:lz4", filter.Blosc, 1, 5, 9},
	{"blosc:lz4hc", filter.Blosc, 2, 5, 9}, {"blosc:zlib", filter.Blosc, 4, 5, 9}, {"blosc:zstd", filter.Blosc, 5, 5, 9},
	{"blosc2", filter.Blosc2, 5, 5, 9}, {"blosc2:blosclz", filter.Blosc2, 0, 5, 9}, {"blosc2:lz4", filter.Blosc2, 1, 5, 9},
	{"blosc2:lz4hc", filter.Blosc2, 2, 5, 9}, {"blosc2:zlib", filter.Blosc2, 4, 5, 9}, {"blosc2:zstd", filter.Blosc2, 5, 5, 9},
}

// CodecsOfHDF5 returns the names of the compressors of chunks.
func CodecsOfHDF5() (names []string) {
	for _, c := range hdf5Codecs {
		names = append(names, c.name)
	}
	return append(names, "none")
}

// ParseFilters returns the filters with a compressor and a level, -1 for the usual one, behind
// those of a list of shuffle, bitshuffle, fletcher32 and none. Empty texts mean what is usual: zlib
// behind shuffle.
func ParseFilters(codec string, level int, list string) (*Filters, error) {
	f := &Filters{before: "shuffle"}
	if codec == "none" || codec == "" && level == 0 {
		f.codec.name = "none"
		f.before = "none"
	} else {
		i := slices.IndexFunc(hdf5Codecs, func(c hdf5Codec) bool { return codec == "" || c.name == strings.ToLower(codec) })
		if i < 0 {
			return nil, fmt.Errorf("codec %q is none of %s", codec, strings.Join(CodecsOfHDF5(), ", "))
		}
		f.codec = hdf5Codecs[i]
	}

	f.level = f.codec.usual
	if level >= 0 && f.codec.name != "none" {
		f.level = uint32(level)
		if f.level > f.codec.most || level == 0 && f.codec.name != "zlib" {
			return nil, fmt.Errorf("level %d of %s, which has %s", level, f.codec.name, f.codec.levels())
		}
	}
	return f, f.parseList(list)
}

func (c *hdf5Codec) levels() string {
	if c.most == 0 {
		return "none"
	}
	return fmt.Sprintf("those from 1 to %d", c.most)
}

// stored returns how chunks of NetCDF-4 and HDF5 files are encoded.
func (o *Options) stored() (*Filters, error) {
	if o.HDF5 != nil {
		return o.HDF5, nil
	}

	var name string
	if o.Codec != codecs.Default {
		name = o.Codec.String()
		own := func(c hdf5Codec) bool { return c.name == name }
		if !slices.ContainsFunc(hdf5Codecs, own) {
			name = "blosc:" + name
		}
	}
	var list []string
	for _, f := range o.Filters {
		list = append(list, f.String())
	}

	level := -1
	switch {
	case o.Level == chunk.Stored:
		level = 0
	case o.Level > 0:
		level = o.Level
	}
	return ParseFilters(name, level, strings.Join(list, ","))
}

func refuseFilters(o *Options) error {
	_, err := o.stored()
	return err
}

// parseList takes the filters before and behind the compressor.
func (f *Filters) parseList(list string) error {
	if list == "" {
		return nil
	}
	f.before = "none"
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "fletcher32":
			f.sums = true
		case f.sums:
			return fmt.Errorf("%q behind fletcher32, which is the last", name)
		case name == "none":
		case (name == "shuffle" || name == "bitshuffle") && f.before == "none":
			f.before = name
		default:
			return fmt.Errorf("%q is not one of shuffle, bitshuffle, fletcher32 and none, or too many", name)
		}
	}
	return nil
}

// of returns the filters for chunks of so many bytes with items of a size.
func (f *Filters) of(item, chunk int64) (list []filter.Filter, err error) {
	c := &f.codec
	size := uint32(item)
	within := c.id == filter.Bitshuffle
	switch blosc := c.id == filter.Blosc || c.id == filter.Blosc2; {
	case blosc:
		if chunk >= 1<<31 {
			return nil, fmt.Errorf("chunks of %d bytes, which %s does not have: %w", chunk, c.name, cairn.ErrUnsupported)
		}
		before := map[string]uint32{"none": 0, "shuffle": 1, "bitshuffle": 2}[f.before]
		params := []uint32{2, 2, min(size, 255), uint32(chunk), f.level, before, c.inside}
		list = append(list, filter.Filter{ID: c.id, Params: params})

	case f.before == "bitshuffle":
		// Bitshuffle compresses its blocks itself, by two of the codecs.
		params := []uint32{0, 4, size, 0, 0}
		if within = c.id == filter.LZ4 || c.id == filter.Zstd; within {
			params[4] = c.inside
			if c.id == filter.Zstd {
				params = append(params, f.level)
			}
		}
		list = append(list, filter.Filter{ID: filter.Bitshuffle, Params: params})
	case f.before == "shuffle":
		list = append(list, filter.Filter{ID: filter.Shuffle, Params: []uint32{size}})
	}

	switch {
	case within:
	case c.id == filter.LZ4:
		const usual = 0 // size of blocks
		list = append(list, filter.Filter{ID: c.id, Params: []uint32{usual}})
	case c.id == filter.LZF:
		list = append(list, filter.Filter{ID: c.id, Params: []uint32{4, 0x105, uint32(chunk)}})
	case c.id == filter.Deflate || c.id == filter.Zstd:
		list = append(list, filter.Filter{ID: c.id, Params: []uint32{f.level}})
	}
	if f.sums {
		list = append(list, filter.Filter{ID: filter.Fletcher32})
	}
	return list, nil
}

// usual reports whether the options do not say how chunks are encoded.
func (o *Options) usual() bool {
	return o.HDF5 == nil && o.Codec == codecs.Default && o.Level == 0 && o.Filters == nil
}

// IsPlain reports whether an array is of a file of NetCDF or HDF5 and not compressed there, or says
// so of itself.
func IsPlain(src ndarray.Source) bool {
	switch a := src.(type) {
	case interface{ Plain() bool }:
		return a.Plain()
	case *netcdf.Variable:
		d := a.Dataset(context.Background())
		return d == nil || len(d.Info().Filters) == 0
	case *hdf5.Dataset:
		return len(a.Info().Filters) == 0
	}
	return false
}

// filtersKept returns the filters of a source for chunks of so many bytes, if the options ask for
// no others and all may be kept; else nil.
func (w *Writing) filtersKept(ctx context.Context, src ndarray.Source, bytes int64,
	keeps func(filter.ID) bool) (list []filter.Filter, err error) {
	if !w.usual() {
		return nil, nil
	}
	stored, err := ndarray.ViewOf(src).Inside().StoredChunks(ctx)
	if err != nil || stored == nil {
		return nil, err
	}

	for _, f := range stored.Filters {
		id := filter.ID(f.ID)
		if !keeps(id) {
			return nil, nil
		}
		params := slices.Clone(f.Params)
		if i := chunkParam[id]; 0 < i && i < len(params) {
			params[i] = uint32(bytes)
		}
		list = append(list, filter.Filter{ID: id, Params: params})
	}
	return list, nil
}

// hdf5Keeps reports whether a filter can be encoded, whatever its parameters.
func hdf5Keeps(id filter.ID) bool {
	return netcdfKeeps(id) || id == filter.Bitshuffle ||
		slices.ContainsFunc(hdf5Codecs, func(c hdf5Codec) bool { return c.id == id })
}

// chunkParam says which parameter of a filter is the number of bytes of a chunk.
var chunkParam = map[filter.ID]int{filter.LZF: 2, filter.Blosc: 3, filter.Blosc2: 3}

// netcdfKeeps reports whether files of NetCDF have a filter by themselves, without a plugin that
// only those who wrote the source may have.
func netcdfKeeps(id filter.ID) bool {
	return id == filter.Shuffle || id == filter.Deflate || id == filter.Fletcher32 || id == filter.Zstd
}
