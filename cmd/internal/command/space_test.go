package command

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/internal/cf/joins"
	"github.com/cairn-go/cairn/internal/osfile"
	"github.com/cairn-go/cairn/internal/place"
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

// TestNotesOfSpaceForAppends appends 8 PiB to an array, of which there is a note before.
func TestNotesOfSpaceForAppends(t *testing.T) {
	to := filepath.Join(t.TempDir(), "a.b2nd")
	o := &ndarray.Options{ChunkShape: ndarray.Shape{1 << 26}}
	u, err := ndarray.CreateUntyped(to, "<f8", ndarray.Shape{0}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	huge, err := ndarray.New[float64](ndarray.Shape{1 << 50}, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	notes := &lastWords{end: cancel}
	a := &appender{std: &streams{Console: console.Console{Err: notes}, quiet: true}, to: targetOf(to)}
	more := &addition{Joined: &joins.Joined{Parts: []ndarray.Source{huge}, Same: []bool{false}}, names: []string{"huge"}}
	err = a.write(ctx, u, more)
	if !errors.Is(err, context.Canceled) || !strings.Contains(notes.String(), "8.0 PiB before compression") {
		t.Errorf("%v, %q", err, notes)
	}
}

// lastWords ends what writes to it.
type lastWords struct {
	strings.Builder
	end func()
}

func (w *lastWords) Write(text []byte) (int, error) {
	w.end()
	return w.Builder.Write(text)
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
		filepath.Join(dir, "a.b2nd"): true, filepath.Join(dir, "s.b2z") + "::/x": true, place.Stream: false, os.DevNull: false,
		filepath.Join(dir, "none", "a.b2nd"): false,
	} {
		var notes strings.Builder
		std := &streams{Console: console.Console{Err: &notes}}
		std.noteSpace(place.Of(out), 1<<10, 0)
		if notes.Len() > 0 {
			t.Errorf("%s: %s", out, &notes)
		}
		std.noteSpace(place.Of(out), math.MaxInt64, 0)
		if got := strings.Contains(notes.String(), "are free there"); got != want {
			t.Errorf("%s: %q", out, &notes)
		}

		// What is not compressed takes what it has.
		notes.Reset()
		std.noteSpace(place.Of(out), s.Free+1<<32, chunk.Stored)
		if got := strings.Contains(notes.String(), "and not compressed"); got != want && !s.Compresses {
			t.Errorf("%s, not compressed: %q", out, &notes)
		}
	}
}
