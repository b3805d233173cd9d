package frame

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/frame/internal/format"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/storage"
)

// TestEveryTornHeaderIsHealed tears the header of a commit at every byte, either half first, as a
// disk may do that does not write whole sectors. The frame must open in the state before or after
// the commit, and opening it for writing must restore the header.
func TestEveryTornHeaderIsHealed(t *testing.T) {
	healed := 0
	for _, how := range []string{"usual", "another writer's", "header changed", "first chunks"} {
		before, after, want := tornCommit(t, how)
		length := int(must(format.ParseHeader(after, int64(len(after)))).HeaderLen)
		for cut := range length + 1 {
			for half, old := range [][2][]byte{{after, before}, {before, after}} {
				b := bytes.Clone(after)
				copy(b, old[0][:cut])
				copy(b[cut:], old[1][cut:length])
				name := fmt.Sprintf("%s, cut at %#x, half %d", how, cut, half)
				healed += openTorn(t, name, b, want)
			}
		}
	}
	if healed < 300 {
		t.Fatalf("%d headers were healed", healed)
	}
}

// tornCommit returns a file before and after a commit, and the two states.
func tornCommit(t *testing.T, how string) (before, after []byte, want [2]model) {
	t.Helper()
	m := storage.NewMemory()
	f := must(Create("f", &Options{TypeSize: 4, FS: m,
		Commits: Commits{Deterministic: how == "another writer's"},
		Meta:    []meta.Layer{{Name: "fixed", Content: []byte("content")}}}))
	w := model{vl: map[string]string{}, meta: map[string]string{"fixed": "content"}}
	if how != "first chunks" {
		for i := range 3 {
			must(f.Append(noContext, ramp(100, i)))
			w.chunks = append(w.chunks, ramp(100, i))
		}
	}
	mustClose(t, f)
	before = content(t, m, "f")
	if how == "header changed" {
		before[format.AtWitness] = 0
		copy(before[bytes.Index(before, []byte("content")):], "CHANGED")
		w.meta["fixed"] = "CHANGED"
		must(0, m.Remove("f"))
		put(t, m, "f", before)
	}
	want[0] = w.clone()
	f = must(Open("f", &OpenOptions{FS: m, Mode: ReadWrite}))
	for i := range 20 {
		must(f.Append(noContext, ramp(100, 200+i)))
		w.chunks = append(w.chunks, ramp(100, 200+i))
	}
	if err := f.SetVL("v", []byte("value")); err != nil {
		t.Fatal(err)
	}
	w.vl["v"] = "value"
	mustClose(t, f)
	want[1] = w
	return before, content(t, m, "f"), want
}

// openTorn opens a file with a torn header, first for reading, then for writing. It returns 1 if
// the header had to be restored.
func openTorn(t *testing.T, name string, b []byte, want [2]model) int {
	t.Helper()
	m := storage.NewMemory()
	put(t, m, "f", b)
	healed := 0
	for _, mode := range []Mode{ReadOnly, ReadWrite, ReadOnly} {
		f, err := Open("f", &OpenOptions{FS: m, Mode: mode})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want[0].differs(f.Snapshot()) != nil {
			if err := want[1].differs(f.Snapshot()); err != nil {
				t.Fatalf("%s: neither of the states: %v", name, err)
			}
		}
		if f.Info().Healed {
			healed = 1
		}
		if err := f.Abort(); err != nil {
			t.Fatal(err)
		}
	}
	// Readers that do not know commit records can read the file now.
	f, err := Open("f", &OpenOptions{FS: m, Verify: VerifyOff})
	if err != nil {
		t.Fatalf("%s: without the record: %v", name, err)
	}
	if _, err := f.Snapshot().Verify(noContext); err != nil {
		t.Fatalf("%s: without the record: %v", name, err)
	}
	mustClose(t, f)
	return healed
}

// TestCrashesOfEveryKind tries losses of power that keep any subset of the unsynced writes, and
// writes that are cut at any byte of the first sector.
func TestCrashesOfEveryKind(t *testing.T) {
	seeds, samples := uint64(3), 4
	if testing.Short() {
		seeds, samples = 1, 1
	}
	for _, sparse := range []bool{false, true} {
		states := 0
		for seed := range seeds {
			ops, points := record(t, sparse, 20+seed, 8)
			log := storagetest.NewLog(ops)
			for c := range log.Crashes(storagetest.FullSweep(seed, samples), 0, len(ops)) {
				states++
				if err := oneOf(log.Image(c), allowedAt(points, c.At)); err != nil {
					t.Fatalf("sparse=%v, seed %d, crash %v: %v", sparse, seed, c, err)
				}
			}
		}
		t.Logf("sparse=%v: %d crash states", sparse, states)
	}
}
