package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/bench/data"
)

var errNoData = errors.New("no .npy files in the data directory")

var (
	npyDescr   = regexp.MustCompile(`'descr': '([<>|=]?[a-zA-Z](\d+))'`)
	npyShape   = regexp.MustCompile(`'shape': \(([0-9, ]*)\)`)
	npyFortran = regexp.MustCompile(`'fortran_order': True`)
)

// readNPY reads an .npy file of numeric items in C order.
func readNPY(path string) (*data.Set, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(raw) < 12 || !bytes.HasPrefix(raw, []byte("\x93NUMPY")) {
		return nil, fmt.Errorf("%s is not an .npy file", path)
	}
	start, size := 10, int(binary.LittleEndian.Uint16(raw[8:]))
	if raw[6] > 1 {
		start, size = 12, int(binary.LittleEndian.Uint32(raw[8:]))
	}
	if len(raw)-start < size {
		return nil, fmt.Errorf("%s ends within its header", path)
	}
	header := raw[start : start+size]
	descr, shape := npyDescr.FindSubmatch(header), npyShape.FindSubmatch(header)
	if descr == nil || shape == nil || npyFortran.Match(header) {
		return nil, fmt.Errorf("%s: cannot use %q", path, header)
	}
	s := &data.Set{Name: strings.TrimSuffix(filepath.Base(path), ".npy"), DType: string(descr[1]),
		Bytes: raw[start+size:]}
	if s.TypeSize, err = strconv.Atoi(string(descr[2])); err != nil {
		return nil, err
	}
	want := s.TypeSize
	for _, n := range strings.FieldsFunc(string(shape[1]), func(r rune) bool { return r == ',' || r == ' ' }) {
		extent, err := strconv.Atoi(n)
		if err != nil {
			return nil, err
		}
		s.Shape = append(s.Shape, int64(extent))
		want *= extent
	}
	if want != len(s.Bytes) {
		return nil, fmt.Errorf("%s has %d bytes of items, not %d", path, len(s.Bytes), want)
	}
	return s, nil
}
