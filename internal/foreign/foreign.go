// Package foreign identifies files that are not Blosc2 frames by their first bytes, for
// errors.
package foreign

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-go/cairn"
)

// An Error is about a file of another format than Blosc2's. It matches [cairn.ErrUnsupported].
type Error struct{ Is string } // as of [Name]

// Error says what the file is.
func (e *Error) Error() string {
	return "this is " + e.Is + ", not a Blosc2 frame: " + cairn.ErrUnsupported.Error()
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return cairn.ErrUnsupported }

// GRIB is what [Name] says of files in the format of weather services.
const GRIB = "a GRIB file"

// MATLAB is what [Name] says of files of MATLAB up to version 7.
const MATLAB = "a MATLAB file"

// Enough is the number of bytes at the beginning of a file that [Name] needs at most.
const Enough = 512

// signature is a sequence of bytes at a certain offset.
type signature struct {
	at    int
	bytes string
	name  string
}

// signatures are tried in order.
var signatures = []signature{
	{0, "\x89HDF\r\n\x1a\n", "an HDF5 file"},
	{0, "CDF\x01", "a NetCDF file"},
	{0, "CDF\x02", "a NetCDF file"},
	{0, "CDF\x05", "a NetCDF file"},
	{0, "\x0e\x03\x13\x01", "an HDF4 file"},
	{0, "\x93NUMPY", "a NumPy .npy file"},
	{0, "PK\x03\x04", "a zip archive (NumPy's .npz is one)"},
	{0, "PK\x05\x06", "an empty zip archive"},
	{0, "\x1f\x8b", "a gzip file"},
	{0, "\x28\xb5\x2f\xfd", "a zstd file"},
	{0, "\x04\x22\x4d\x18", "an lz4 file"},
	{0, "BZh", "a bzip2 file"},
	{0, "\xfd7zXZ\x00", "an xz file"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{257, "ustar", "a tar archive"},
	{344, "n+1\x00", "a NIfTI image"},
	{344, "ni1\x00", "a NIfTI image"},
	{4, "n+2\x00\r\n\x1a\n", "a NIfTI image"},
	{0, "\x80\x04\x95", "a Python pickle"},
	{0, "\x80\x05\x95", "a Python pickle"},
	{0, "\x80\x03}", "a Python pickle"},
	{0, "\x80\x03]", "a Python pickle"},
	{0, "\x80\x03c", "a Python pickle"},
	{0, "\x80\x02}", "a Python pickle"},
	{0, "\x80\x02]", "a Python pickle"},
	{0, "\x80\x02c", "a Python pickle"},
	{0, "blpk", "a Bloscpack file"},
	{0, "PAR1", "a Parquet file"},
	{0, "ARROW1", "an Arrow file"},
	{0, "II*\x00", "a TIFF file"},
	{0, "MM\x00*", "a TIFF file"},
	{0, "II+\x00", "a TIFF file"},
	{0, "MM\x00+", "a TIFF file"},
	{0, "\x89PNG\r\n\x1a\n", "a PNG image"},
	{0, "\xff\xd8\xff", "a JPEG image"},
	{0, "GIF8", "a GIF image"},
	{0, "SIMPLE  =", "a FITS file"},
	{0, "GRIB", GRIB},
	{0, "MATLAB 5.0 MAT-file", MATLAB},
	{0, "NRRD000", "an NRRD file"},
	{0, "SQLite format 3\x00", "an SQLite database"},
	{0, "%PDF-", "a PDF file"},
	{0, "\x7fELF", "a program"},
	{0, "version https://git-lfs", "a Git LFS pointer, in the place of the file that it stands for"},
	{0, "<!DOCTYPE html", "an HTML page"},
	{0, "<!doctype html", "an HTML page"},
	{0, "<html", "an HTML page"},
}

// Name describes a file of size bytes that begins with head, as a noun with its article, or returns
// "" if it is unknown.
func Name(head []byte, size int64) string {
	for _, s := range signatures {
		if len(head) >= s.at && bytes.HasPrefix(head[s.at:], []byte(s.bytes)) {
			return s.name
		}
	}

	switch {
	case isChunk(head, size):
		return "a single Blosc chunk, without a frame around it"
	case size > 0 && isText(head):
		return "a text file"
	}
	return ""
}

// isChunk reports whether the file is a Blosc or Blosc2 chunk whose size agrees with its header:
// bytes 0x00 version, 0x03 typesize, 0x04 nbytes, 0x08 blocksize, 0x0c cbytes.
func isChunk(head []byte, size int64) bool {
	if len(head) < 16 || head[0] < 1 || head[0] > 6 || head[3] == 0 {
		return false
	}
	nbytes := binary.LittleEndian.Uint32(head[4:])
	blocksize := binary.LittleEndian.Uint32(head[8:])
	cbytes := binary.LittleEndian.Uint32(head[12:])
	return int64(cbytes) == size && nbytes > 0 && blocksize > 0 && blocksize <= nbytes
}

// isText reports whether the bytes are UTF-8 text, possibly with a truncated last character.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 {
			return len(head) < utf8.UTFMax && !utf8.FullRune(head)
		}
		if !unicode.IsPrint(r) && r != '\n' && r != '\r' && r != '\t' && r != '\ufeff' {
			return false
		}
		head = head[n:]
	}
	return true
}

// DirectoryName is [Name] for a directory, given the names of its entries.
func DirectoryName(entries []string) string {
	for _, name := range []string{"zarr.json", ".zgroup", ".zarray", ".zmetadata"} {
		if slices.Contains(entries, name) {
			return "a Zarr store"
		}
	}

	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(entries, name) })
	}
	switch {
	case has("snapshots", "manifests", "refs"), has("snapshots", "manifests", "repo"):
		return "an Icechunk repository"
	case has("attributes.json"):
		return "an N5 container"
	}
	return ""
}
