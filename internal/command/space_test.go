package command

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/ndarray"
)

// TestOutputsThatDoNotFitAreRefused exports an array of 8 PiB, of which nothing is stored, to
// formats that would write all of it.
func TestOutputsThatDoNotFitAreRefused(t *testing.T) {
	dir := t.TempDir()
	if _, ok := osfile.SpaceAt(dir); !ok {
		t.Fatal("the free space is unknown on this system")
	}
	in := filepath.Join(dir, "huge.b2nd")
	a, err := ndarray.Create[float64](in, ndarray.Shape{1 << 22, 1 << 28},
		&ndarray.Options{ChunkShape: ndarray.Shape{1 << 13, 1 << 13}, BlockShape: ndarray.Shape{1 << 10, 1 << 10}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"out.npy", "out.raw", "out.npz"} {
		out := filepath.Join(dir, name)
		start := time.Now()
		r := cairnWith(t.Context(), nil, "export", in, out)
		wantFailure(t, r, "would take 8.0 PiB")
		if !strings.Contains(r.stderr, "free") || time.Since(start) > time.Minute {
			t.Errorf("%s: %q after %v", name, r.stderr, time.Since(start))
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s exists", name)
		}
	}
	cairnOK(t, "export", "-s", "0,:1000", in, filepath.Join(dir, "part.npy"))
}

// TestNotesOfSpace checks when a compressed output is worth a word.
func TestNotesOfSpace(t *testing.T) {
	dir := t.TempDir()
	s, ok := osfile.SpaceAt(dir)
	if !ok {
		t.Fatal("the free space is unknown on this system")
	}
	if s.Free <= 0 {
		t.Fatalf("%d bytes are free", s.Free)
	}
	for out, want := range map[string]bool{
		filepath.Join(dir, "a.b2nd"): true, filepath.Join(dir, "s.b2z") + "::/x": true, standardIO: false, os.DevNull: false,
		filepath.Join(dir, "none", "a.b2nd"): false,
	} {
		var notes strings.Builder
		std := &streams{err: &notes}
		std.noteSpace(out, 1<<10)
		if notes.Len() > 0 {
			t.Errorf("%s: %s", out, &notes)
		}
		std.noteSpace(out, math.MaxInt64)
		if got := strings.Contains(notes.String(), "are free there"); got != want {
			t.Errorf("%s: %q", out, &notes)
		}
	}
}
