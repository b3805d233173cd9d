package foreign

import (
	"encoding/binary"
	"testing"
)

func TestFilesAreNamedByTheirFirstBytes(t *testing.T) {
	chunk := make([]byte, 40)
	copy(chunk, "\x02\x01\x01\x04")
	binary.LittleEndian.PutUint32(chunk[4:], 400)
	binary.LittleEndian.PutUint32(chunk[8:], 400)
	binary.LittleEndian.PutUint32(chunk[12:], 40)
	tar := make([]byte, Enough)
	copy(tar[257:], "ustar\x00")
	for _, c := range []struct {
		head, want string
		size       int64
	}{
		{"", "", 0},
		{"\x89HDF\r\n\x1a\nrest", "an HDF5 file", 2000},
		{"\x93NUMPY\x01\x00", "a NumPy .npy file", 2000},
		{"PK\x03\x04", "a zip archive (NumPy's .npz is one)", 2000},
		{string(chunk), "a single Blosc chunk, without a frame around it", 40},
		{string(chunk), "", 41},
		{string(tar), "a tar archive", 2000},
		{"time,t2m\n1,280.5\n", "a text file", 16},
		{"temperature in °", "a text file", 16},
		{"temperature in \xc2", "a text file", 2000}, // a character that goes on
		{"temperature in \xc2\x00", "", 2000},
		{"\x9e\xa8b2frame\x00", "", 2000},
		{"\x00\x01\x02", "", 3},
		{"\x80\x04\x95\x10", "a Python pickle", 2000},
		{string(make([]byte, 344)) + "n+1\x00", "a NIfTI image", 2000},
	} {
		if got := Name([]byte(c.head), c.size); got != c.want {
			t.Errorf("%q of %d bytes is %q, want %q", c.head, c.size, got, c.want)
		}
	}
	if got := DirectoryName([]string{"0.0", ".zarray"}); got != "a Zarr store" {
		t.Errorf("a directory of Zarr is %q", got)
	}
	if got := DirectoryName([]string{"attributes.json", "s0"}); got != "an N5 container" {
		t.Errorf("a directory of N5 is %q", got)
	}
	if got := DirectoryName([]string{"manifests", "refs", "snapshots"}); got != "an Icechunk repository" {
		t.Errorf("a directory of Icechunk is %q", got)
	}
	if got := DirectoryName([]string{"chunks.b2frame"}); got != "" {
		t.Errorf("a sparse frame is %q", got)
	}
}
