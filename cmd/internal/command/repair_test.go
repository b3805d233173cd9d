package command

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/frame"
)

// ruinedArray writes an array of 16 chunks, the same with chunk 5 damaged, and returns the items.
func ruinedArray(t *testing.T, dir string) (good, bad string, npy []byte) {
	t.Helper()
	good, bad = filepath.Join(dir, "good.b2nd"), filepath.Join(dir, "bad.b2nd")
	npy = npyFile(t, "<i8", false, 64, 64)
	importBytes(t, npy, good, "-chunks", "16,16", "-blocks", "8,8")
	b, at := readFile(t, good), chunkOffset(t, good, 5)
	// its sizes; the items themselves are stored as they are, and have nothing that would tell
	for i := range 12 {
		b[at+4+int64(i)] ^= 0x5a
	}
	writeFile(t, bad, b)
	return good, bad, npy
}

func TestRepairReportsWhatItSaves(t *testing.T) {
	dir := t.TempDir()
	good, bad, npy := ruinedArray(t, dir)
	before := readFile(t, bad)
	out := filepath.Join(dir, "out.b2nd")
	r := cairnWith(t.Context(), nil, "repair", "-fill", "-7", bad, out)
	if r.code != exitLost || r.stderr != "" || !strings.Contains(r.stdout, "15 of 16 chunks saved") ||
		!strings.Contains(r.stdout, "lost chunk 5, items 16:32, 16:32: corrupt chunk 5 at offset") {
		t.Fatalf("exit %d, %s, %s", r.code, r.stdout, r.stderr)
	}
	if !bytes.Equal(readFile(t, bad), before) {
		t.Fatal("the damaged file was changed")
	}
	cairnOK(t, "verify", out)
	exported := filepath.Join(dir, "out.npy")
	cairnOK(t, "export", out, exported)
	got := readFile(t, exported)
	if len(got) != len(npy) {
		t.Fatalf("%d bytes, want %d", len(got), len(npy))
	}
	for y := range 64 {
		for x := range 64 {
			at := len(got) - 8*(64*64-64*y-x)
			want := binary.LittleEndian.Uint64(npy[at:])
			if y/16 == 1 && x/16 == 1 {
				want = ^uint64(6) // -7
			}
			if binary.LittleEndian.Uint64(got[at:]) != want {
				t.Fatalf("item %d, %d is %d, want %d", y, x, int64(binary.LittleEndian.Uint64(got[at:])), int64(want))
			}
		}
	}
	whole := filepath.Join(dir, "whole.b2nd")
	if got := cairnOK(t, "repair", good, whole); !strings.Contains(got, "16 of 16 chunks saved") {
		t.Fatal(got)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "repair", good, whole), "exist")
	cairnOK(t, "repair", "-force", good, whole)
	if r := cairnWith(t.Context(), nil, "repair", "-force", bad, bad); r.code != exitUsage {
		t.Fatalf("exit %d of a repair in place", r.code)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "repair", exported, filepath.Join(dir, "none")), "this is a NumPy .npy file")
}

func TestRepairAndVerifyInJSON(t *testing.T) {
	dir := t.TempDir()
	good, bad, _ := ruinedArray(t, dir)
	r := cairnWith(t.Context(), nil, "repair", "-json", bad, filepath.Join(dir, "out.b2nd"))
	var d repair
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil || r.code != exitLost {
		t.Fatalf("exit %d, %v", r.code, err)
	}
	if d.Whole || d.Saved != 15 || d.LostTotal != 1 || len(d.Lost) != 1 || d.Lost[0].Chunk != 5 ||
		d.Lost[0].Offset == nil || d.Guide != "index" {
		t.Fatalf("%+v", d)
	}
	r = cairnWith(t.Context(), nil, "verify", "-json", good, bad, dir)
	var v []verdict
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil || r.code != exitFailed || len(v) != 3 {
		t.Fatalf("exit %d, %v, %s", r.code, err, r.stdout)
	}
	if !v[0].Sound || v[0].Kind != "array" || v[1].Sound || v[1].Kind != "array" || *v[1].Faults[0].Chunk != 5 ||
		v[2].Sound || v[2].Kind != "unreadable" {
		t.Fatalf("%+v", v)
	}
}

func TestVerifyListsAll(t *testing.T) {
	dir := t.TempDir()
	_, bad, _ := ruinedArray(t, dir)
	r := cairnWith(t.Context(), nil, "verify", "-all", bad)
	wantFailure(t, r, "corrupt chunk 5")
	if !strings.Contains(r.stdout, "damaged, array of 64 × 64 <i8 in 16 chunks") ||
		!strings.Contains(r.stdout, "\n  "+bad+": corrupt chunk 5") {
		t.Fatal(r.stdout)
	}
}

func TestRepairOfASparseDirectoryAndAFrame(t *testing.T) {
	dir := t.TempDir()
	sparse, out := filepath.Join(dir, "in.b2nd"), filepath.Join(dir, "out.b2nd")
	importBytes(t, npyFile(t, "<f4", false, 40, 40), sparse, "-chunks", "10,40", "-sparse")
	if err := os.Remove(filepath.Join(sparse, "00000002.chunk")); err != nil {
		t.Fatal(err)
	}
	r := cairnWith(t.Context(), nil, "repair", "-fill", "nan", sparse, out)
	if r.code != exitLost || !strings.Contains(r.stdout, "lost chunk 2, items 20:30, 0:40") {
		t.Fatalf("exit %d, %s, %s", r.code, r.stdout, r.stderr)
	}
	cairnOK(t, "verify", out)

	plain, saved := filepath.Join(dir, "a.b2frame"), filepath.Join(dir, "b.b2frame")
	f, err := frame.Create(plain, &frame.Options{TypeSize: 8})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := f.Append(t.Context(), bytes.Repeat([]byte("12345678"), 99)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, cairnWith(t.Context(), nil, "repair", "-fill", "4", plain, saved), "no dtype")
	cairnOK(t, "repair", "-fill", "nan", plain, saved)
	if r := cairnWith(t.Context(), nil, "repair", "-fill", "zero", plain, saved); r.code != exitUsage {
		t.Fatalf("exit %d", r.code)
	}
}
