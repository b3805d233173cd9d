package filter

import (
	"fmt"
	"strings"

	"github.com/cairn-go/cairn"
)

// An ID is the number of a filter: those below 256 are of the HDF5 library, the others registered
// with The HDF Group.
type ID uint16

// Filters that can be decoded.
const (
	Deflate     ID = 1
	Shuffle     ID = 2
	Fletcher32  ID = 3
	Szip        ID = 4
	NBit        ID = 5
	ScaleOffset ID = 6
	BZip2       ID = 307
	LZF         ID = 32000
	Blosc       ID = 32001
	LZ4         ID = 32004
	Bitshuffle  ID = 32008
	Zstd        ID = 32015
	BitGroom    ID = 32022
	BitRound    ID = 32023
	Blosc2      ID = 32026
)

// names has the names of filters, also of those that cannot be decoded.
var names = map[ID]string{
	Deflate: "deflate", Shuffle: "shuffle", Fletcher32: "fletcher32", Szip: "szip", NBit: "nbit",
	ScaleOffset: "scaleoffset", 305: "lzo", BZip2: "bzip2", LZF: "lzf", Blosc: "blosc",
	32002: "mafisc", 32003: "snappy", LZ4: "lz4", 32005: "apax", 32006: "cbf", 32007: "jpeg-xr",
	Bitshuffle: "bitshuffle", 32009: "spdp", 32010: "lpc-rice", 32011: "ccsds-123",
	32012: "jpeg-ls", 32013: "zfp", 32014: "fpzip", Zstd: "zstd", 32016: "b3d", 32017: "sz",
	32018: "fcidecomp", 32019: "jpeg", 32020: "vbz", 32021: "fapec", BitGroom: "bitgroom",
	BitRound: "bitround", 32024: "sz3", 32025: "delta-rice", Blosc2: "blosc2", 32027: "flac",
	32028: "sperr",
}

// String returns the name of the filter, or "filter 300" if it has none here.
func (id ID) String() string {
	if name, ok := names[id]; ok {
		return name
	}
	return fmt.Sprintf("filter %d", uint16(id))
}

// A Filter is one filter of a dataset, as the filter pipeline message of its header states it.
type Filter struct {
	ID     ID
	Params []uint32 // the client data: their meaning depends on the filter
	Name   string   // as the file states it, which is optional
}

// String returns the name of the filter and its parameters: "deflate(6)".
func (f Filter) String() string {
	var b strings.Builder
	b.WriteString(f.ID.String())
	for i, p := range f.Params {
		sep := byte(' ')
		if i == 0 {
			sep = '('
		}
		b.WriteByte(sep)
		fmt.Fprint(&b, p)
	}
	if len(f.Params) > 0 {
		b.WriteByte(')')
	}
	return b.String()
}

// param returns parameter i, or 0 if there are fewer.
func (f Filter) param(i int) int64 {
	if i < len(f.Params) {
		return int64(f.Params[i])
	}
	return 0
}

// Check returns an error that matches [cairn.ErrUnsupported], and has the number and the name of
// the filter, if Decode cannot undo one of the filters.
func Check(filters []Filter) error {
	if len(filters) > maxFilters {
		return cairn.Corruptf("HDF5 filters", -1, "%d filters, the most is %d", len(filters), maxFilters)
	}
	for _, f := range filters {
		r := lookup(f.ID)
		if r == nil {
			return unsupported(f, "cannot be decoded; %s", remedy(f.ID))
		}
		if r.check == nil {
			continue
		}
		if err := r.check(f); err != nil {
			return err
		}
	}
	return nil
}

// remedy tells how to make a copy without a filter.
func remedy(id ID) string {
	const lzo = 305
	if id == lzo {
		return "ptrepack --complib=zlib IN OUT makes a copy that can, where PyTables has LZO"
	}
	return "h5repack -f GZIP=4 IN OUT makes a copy that can, where its plugin is installed"
}

// maxFilters is the most filters of a dataset (H5Z_MAX_NFILTERS): as many as a mask has bits.
const maxFilters = 32

// unsupported returns an error about a filter.
func unsupported(f Filter, format string, args ...any) error {
	name, ok := names[f.ID]
	switch {
	case ok:
	case f.Name != "":
		name = fmt.Sprintf("%q", clip(f.Name))
	default:
		name = "unknown"
	}
	return fmt.Errorf("HDF5 filter %d (%s) %s: %w", uint16(f.ID), name, fmt.Sprintf(format, args...), cairn.ErrUnsupported)
}

// clip shortens a name from a file.
func clip(name string) string {
	const most = 40
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}

// corrupt returns an error about a chunk or the parameters of its filters.
func corrupt(id ID, format string, args ...any) error {
	return cairn.Corruptf("HDF5 chunk", -1, "%s: %s", id, fmt.Sprintf(format, args...))
}

// broken returns an error about a chunk that a codec could not decode.
func broken(id ID, err error) error {
	e := cairn.Corruptf("HDF5 chunk", -1, "%s", id)
	e.Err = err
	return e
}
