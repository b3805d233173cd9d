package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/internal/foreign"
	"github.com/cairn-go/cairn/store"
)

// standardIO is the operand for standard input or standard output. A file of that name is "./-".
const standardIO = "-"

// A format is a kind of output.
type format int

const (
	npyFormat format = iota
	frameFormat
	storeFormat
)

// String names the format with its article.
func (f format) String() string {
	return [...]string{"a NumPy .npy file", "a Blosc2 frame", "a store"}[f]
}

// otherFormats names the formats that no verb writes, by extension.
var otherFormats = map[string]string{
	".nc": "NetCDF", ".nc4": "NetCDF", ".cdf": "NetCDF", ".h5": "HDF5", ".hdf5": "HDF5", ".hdf": "HDF", ".he5": "HDF5",
	".zarr": "Zarr", ".csv": "CSV", ".tsv": "TSV", ".txt": "text", ".json": "JSON", ".parquet": "Parquet", ".arrow": "Arrow",
	".feather": "Feather", ".npz": "NumPy archives", ".mat": "MATLAB", ".tif": "TIFF", ".tiff": "TIFF", ".png": "PNG",
	".fits": "FITS", ".grib": "GRIB", ".grib2": "GRIB", ".zip": "zip", ".gz": "gzip", ".zst": "zstd",
}

// checkOutput fails, before anything is read, if a verb must not write out: its name promises
// another format, it is one of the inputs, or force would replace a file of another format.
func (std *streams) checkOutput(out string, writes format, force bool, inputs ...string) error {
	if err := checkName(out, writes); err != nil {
		return err
	}
	for _, in := range inputs {
		if std.clash(in, out) {
			return usagef("OUT is the input %s, which would be overwritten while it is read", in)
		}
		if inside(out, in) {
			return usagef("OUT is inside the input %s", in)
		}
	}
	if isLeaf(out) || out == standardIO || !force {
		return nil
	}
	return replaceable(out, writes)
}

// checkName fails if the name of an output promises another format than it will have.
func checkName(out string, writes format) error {
	if isLeaf(out) || out == standardIO {
		return nil
	}
	ext := strings.ToLower(filepath.Ext(filepath.Clean(out)))
	isFrame, isStore := slices.Contains([]string{".b2nd", ".b2frame", ".b2f"}, ext), slices.Contains([]string{".b2d", ".b2z", ".b2e"}, ext)
	switch other := otherFormats[ext]; {
	case other != "":
		return usagef("%s: cannot write %s, only %s", out, other, writable)
	case writes == npyFormat && (isFrame || isStore):
		return usagef("%s: export writes NumPy .npy files; use copy for Blosc2 arrays", out)
	case writes != npyFormat && ext == ".npy":
		return usagef("%s: this verb writes %s; use export for NumPy .npy files", out, writes)
	case writes == frameFormat && isStore:
		return usagef("%s is the name of a store; name an array in it as %s%s/KEY", out, out, leafMark)
	}
	return nil
}

// writable lists the formats that verbs write.
const writable = "NumPy's .npy (export) and Blosc2 (.b2nd; .b2d, .b2z and .b2e for trees)"

// replaceable fails if out exists and is known to have another format than the verb writes.
func replaceable(out string, writes format) error {
	info, err := os.Stat(out)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	is := formatOf(out, info)
	if is == "" || is == writes.String() {
		return nil
	}
	return fmt.Errorf("%s is %s, which -force does not replace with %s; remove it or choose another name: %w",
		out, is, writes, fs.ErrExist)
}

// formatOf returns the format of a file, or nothing if it is unknown.
func formatOf(name string, info os.FileInfo) string {
	if looksLikeStore(name) {
		return storeFormat.String()
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(name, "chunks.b2frame")); err == nil {
			return frameFormat.String()
		}
		return "a directory"
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := readHead(f, 0)
	switch {
	case err != nil:
		return ""
	case hasFrameMagic(head):
		return frameFormat.String()
	}
	return foreign.Name(head, info.Size())
}

// hasFrameMagic reports whether bytes begin like a frame.
func hasFrameMagic(head []byte) bool {
	const magic = "b2frame\x00"
	return len(head) >= 2+len(magic) && string(head[2:2+len(magic)]) == magic
}

// identity identifies the file and leaf of an operand.
type identity struct {
	file  os.FileInfo // nil if there is none
	store os.FileInfo // that a leaf is in
	key   string
}

func (std *streams) identify(operand string, stream any) (id identity) {
	if operand == standardIO {
		if f, ok := stream.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				id.file = info
			}
		}
		return id
	}
	name, key, ok := splitLeaf(operand)
	if !ok {
		id.file, _ = os.Stat(operand)
		return id
	}
	id.store, _ = os.Stat(name)
	id.key = path.Join("/", key)
	if s, err := store.Open(name, nil); err == nil {
		if place, _, err := s.Place(key); err == nil {
			id.file, _ = os.Stat(place)
		}
		s.Close()
	}
	return id
}

// clash reports whether two operands are the same file or leaf, whatever links and names lead
// there.
func (std *streams) clash(in, out string) bool {
	a, b := std.identify(in, std.in), std.identify(out, std.out)
	if a.file != nil && b.file != nil && os.SameFile(a.file, b.file) {
		return true
	}
	return a.store != nil && b.store != nil && os.SameFile(a.store, b.store) && a.key == b.key
}

// inside reports whether a path lies within a directory: a sparse frame or a store of files.
func inside(name, dir string) bool {
	if isLeaf(name) || isLeaf(dir) || name == standardIO {
		return false
	}
	outer, err := os.Stat(dir)
	if err != nil || !outer.IsDir() {
		return false
	}
	if name, err = filepath.Abs(name); err != nil {
		return false
	}
	for parent := filepath.Dir(name); parent != name; name, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(parent); err == nil && os.SameFile(info, outer) {
			return true
		}
	}
	return false
}
