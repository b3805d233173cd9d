package format

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
)

// numbers are little-endian numbers of 4 bytes.
func numbers(list ...uint32) (b []byte) {
	for _, n := range list {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// regionFile is a file with addresses of 8 bytes.
func regionFile() *File { return &File{Superblock: Superblock{OffsetSize: 8, LengthSize: 8}} }

// TestRegions reads regions as the HDF5 library writes them.
func TestRegions(t *testing.T) {
	at := []byte{96, 0, 0, 0, 0, 0, 0, 0}
	for name, c := range map[string]struct {
		stored []byte
		want   string
	}{
		"all":    {numbers(3, 1, 0, 0), "[...]"},
		"none":   {numbers(0, 1, 0, 0), "[]"},
		"box":    {numbers(2, 1, 0, 24, 2, 1, 1, 2, 2, 3), "[1:3, 2:4]"},
		"boxes":  {numbers(2, 1, 0, 40, 2, 2, 0, 0, 1, 1, 4, 4, 5, 6), "[0:2, 0:2], [4:6, 4:7]"},
		"steps":  {numbers(2, 1, 0, 40, 1, 3, 0, 0, 3, 3, 6, 6), "[0:7:3]"},
		"points": {numbers(1, 1, 0, 24, 2, 2, 5, 6, 7, 8), "[5, 6], [7, 8]"},
		"newer points": {append(numbers(1, 2), append([]byte{2}, append(numbers(2),
			1, 0, 5, 0, 6, 0)...)...), "[5, 6]"},
		"regular": {append(numbers(2, 3), append([]byte{1, 2}, append(numbers(2),
			1, 0, 1, 0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 2, 0)...)...), "[1:5, 2:14:5*2]"},
	} {
		r, err := regionFile().Region(append(at[:8:8], c.stored...))
		if err != nil || r.Object != 96 || r.Text() != c.want {
			t.Errorf("%s: %q of %d, want %q (%v)", name, r.Text(), r.Object, c.want, err)
		}
	}
}

// TestDamagedRegions reads what is no region.
func TestDamagedRegions(t *testing.T) {
	at := []byte{96, 0, 0, 0, 0, 0, 0, 0}
	for name, stored := range map[string][]byte{
		"no selection": nil, "rank 0": numbers(2, 1, 0, 24, 0, 1), "rank 99": numbers(2, 1, 0, 24, 99, 1),
		"too many": numbers(2, 1, 0, 24, 1, 1<<31, 1, 2), "ends before it begins": numbers(2, 1, 0, 24, 1, 1, 5, 3),
		"points without end": numbers(1, 1, 0, 24, 1, 9, 1, 2),
	} {
		if r, err := regionFile().Region(append(at[:8:8], stored...)); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if r, err := regionFile().Region(make([]byte, 8)); err != nil || r.Object != None {
		t.Errorf("a region of nothing: %v, %v", r, err)
	}
}
