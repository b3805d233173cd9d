package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

// readDamaged reads a dataset of a golden that was changed, whatever its checksums are.
func readDamaged(t *testing.T, b []byte, key string) error {
	t.Helper()
	f, err := OpenReader(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	f.format.Trusting = true
	d, err := f.Dataset(t.Context(), key)
	if err != nil {
		return err
	}
	_, err = ndarray.ViewOf(d).Read(t.Context())
	return err
}

// TestDamagedTree changes single keys of the B-tree of "plain", 20 × 33 items in chunks of
// 7 × 10. The HDF5 library finds the first three: "bad coordinate offset".
func TestDamagedTree(t *testing.T) {
	whole, err := os.ReadFile("testdata/chunked-earliest.h5")
	if err != nil {
		t.Fatal(err)
	}

	// a leaf of 12 chunks whose second key is that of the chunk at (0, 10) of 280 bytes
	key := binary.LittleEndian.AppendUint32(nil, 280)
	for _, n := range []uint64{0, 0, 10, 0} { // the first has the mask
		if key = binary.LittleEndian.AppendUint64(key, n); len(key) == 12 {
			key = key[:8]
		}
	}
	at := bytes.Index(whole, key)
	if at < 0 {
		t.Fatal("the key is not in the file")
	}

	for _, c := range []struct {
		what       string
		coordinate int
		value      uint64
	}{
		{"no multiple in dimension 0", 0, 1},
		{"no multiple in dimension 1", 1, 11},
		{"an item has no coordinate", 2, 1},
		{"the same key twice", 1, 0},
		{"keys that are not in order", 1, 30},
		{"beyond the extent", 0, 7000},
		{"beyond the extent by one chunk", 0, 21},
	} {
		b := bytes.Clone(whole)
		binary.LittleEndian.PutUint64(b[at+8+8*c.coordinate:], c.value)
		if err := readDamaged(t, b, "/plain"); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", c.what, err)
		}
	}
	if err := readDamaged(t, whole, "/plain"); err != nil {
		t.Error(err)
	}
}

// TestDamagedIndexes changes the clients and addresses of headers of blocks of the other indexes,
// and the records of trees of version 2.
func TestDamagedIndexes(t *testing.T) {
	whole, err := os.ReadFile("testdata/chunked-latest.h5")
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"/plain", "/growing1", "/both", "/many", "/manyfixed", "/manyboth"}
	for _, c := range []struct {
		signature string
		offset    int
	}{
		{"FAHD", 5}, {"FADB", 5}, {"FADB", 6}, {"EAHD", 5}, {"EAIB", 5}, {"EAIB", 6}, {"EADB", 5},
		{"EADB", 6}, {"EASB", 6},
		{"BTLF", 6 + 8}, {"BTLF", 6 + 8 + 1}, // coordinates of the first record
	} {
		b := bytes.Clone(whole)
		for from := 0; ; { // all blocks of the kind
			i := bytes.Index(whole[from:], []byte(c.signature))
			if i < 0 {
				break
			}
			from += i + 1
			b[from-1+c.offset] ^= 0x40
		}

		found := 0
		for _, key := range keys {
			err := readDamaged(t, b, key)
			if errors.Is(err, cairn.ErrCorrupt) {
				found++
			} else if err != nil {
				t.Errorf("%s+%d: %v", c.signature, c.offset, err)
			}
		}
		if found == 0 {
			t.Errorf("%s+%d: damage was not found", c.signature, c.offset)
		}
	}
}
