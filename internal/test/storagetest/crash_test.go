package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"github.com/cairn-go/cairn/storage"
)

// small is a log with one operation of each kind: a committed file "a" of 600 bytes of 'a', an
// unsynced second write of 'b', and a new file that replaces it.
func small(t *testing.T) *Log {
	t.Helper()
	r := NewRecorder()
	f, err := r.Create("a")
	must(t, err)
	write := func(f storage.File, c byte, n int, off int64) {
		if _, err := f.WriteAt(bytes.Repeat([]byte{c}, n), off); err != nil {
			t.Fatal(err)
		}
	}
	write(f, 'a', 600, 0)
	must(t, f.Sync())
	must(t, r.SyncDir(".")) // 4 operations
	write(f, 'b', 1000, 100)
	g, err := r.Create("n")
	must(t, err)
	write(g, 'n', 3, 0)
	must(t, r.Rename("n", "a")) // 8
	must(t, g.Sync())
	must(t, r.SyncDir(".")) // 10
	return NewLog(r.Ops())
}

func read(t *testing.T, m storage.FS, name string) string {
	t.Helper()
	f, err := m.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	must(t, err)
	return content(t, f)
}

func runs(s string) string {
	var out []string
	for i := 0; i < len(s); {
		n := 1
		for i+n < len(s) && s[i+n] == s[i] {
			n++
		}
		out = append(out, fmt.Sprintf("%d%q", n, s[i]))
		i += n
	}
	return fmt.Sprint(out)
}

func TestImagesOfCrashes(t *testing.T) {
	l := small(t)
	for _, c := range []struct {
		crash Crash
		want  string // content of "a"
	}{
		{Crash{Model: Kill, At: 0}, "-"},
		{Crash{Model: Kill, At: 1}, ""},
		{Crash{Model: Kill, At: 4}, "[600'a']"},
		{Crash{Model: Kill, At: 5}, "[100'a' 1000'b']"},
		{Crash{Model: Torn, At: 5, Cut: 12}, "[100'a' 12'b' 488'a']"},
		{Crash{Model: Torn, At: 2, Cut: 5}, "[5'a']"},
		{Crash{Model: PowerLoss, At: 3, Unit: Sector}, "-"},
		{Crash{Model: PowerLoss, At: 4, Unit: Sector}, "[600'a']"},
		// Pieces of the second write: [100, 512) [512, 1024) [1024, 1100).
		{Crash{Model: PowerLoss, At: 5, Unit: Sector, Pieces: 1}, "[100'a' 412'b' 88'a']"},
		{Crash{Model: PowerLoss, At: 5, Unit: Sector, Pieces: 2}, "[512'a' 512'b']"},
		{Crash{Model: PowerLoss, At: 5, Unit: Sector, Pieces: 2, Ordered: true}, "[600'a']"},
		{Crash{Model: PowerLoss, At: 5, Unit: Sector, Pieces: 4}, `[600'a' 424'\x00' 76'b']`},
		{Crash{Model: PowerLoss, At: 5, Unit: Sector, Pieces: 0, Lost: Zeroed}, `[600'a' 500'\x00']`},
		{Crash{Model: PowerLoss, At: 5, Unit: Sector, Pieces: 7}, "[100'a' 1000'b']"},
		{Crash{Model: PowerLoss, At: 5, From: 5, Unit: Sector}, "[100'a' 1000'b']"},
		{Crash{Model: PowerLoss, At: 5, Unit: Page, Pieces: 1}, "[100'a' 1000'b']"},
		// Then come the creation, its write, and the renaming.
		{Crash{Model: PowerLoss, At: 8, Unit: Page, Pieces: 0b1110}, "[3'n']"},
		{Crash{Model: PowerLoss, At: 8, Unit: Page, Pieces: 0b1010}, ""},
		{Crash{Model: PowerLoss, At: 8, Unit: Page, Pieces: 0b0110}, "[600'a']"},
		{Crash{Model: PowerLoss, At: 8, Unit: Page, Pieces: 0b1100}, "[600'a']"},
		{Crash{Model: PowerLoss, At: 8, Unit: Page, Pieces: 0b1100, Loose: true}, "[600'a']"},
		{Crash{Model: PowerLoss, At: 10, Unit: Page}, "[3'n']"},
	} {
		got := read(t, l.Image(c.crash), "a")
		if len(got) > 1 {
			got = runs(got)
		}
		if got != c.want {
			t.Errorf("%v leaves %s, want %s", c.crash, got, c.want)
		}
		if again, err := ParseCrash(c.crash.String()); err != nil || again != c.crash {
			t.Errorf("%v is read as %v, %v", c.crash, again, err)
		}
	}
	garbled := read(t, l.Image(Crash{Model: PowerLoss, At: 5, Unit: Sector, Lost: Garbled}), "a")
	if len(garbled) != 1100 || garbled[:600] != string(bytes.Repeat([]byte("a"), 600)) || garbled[600:700] == string(make([]byte, 100)) {
		t.Errorf("garbled: %s", runs(garbled))
	}
}

func TestSweepsTryEverythingOnce(t *testing.T) {
	l := small(t)
	seen := map[Crash]bool{}
	count := map[Model]int{}
	for c := range l.Crashes(FullSweep(1, 4), 0, len(l.Ops)) {
		if seen[c] {
			t.Fatalf("%v twice", c)
		}
		seen[c] = true
		count[c.Model]++
	}
	// Cuts: 511 bytes of the first write's sector and its end; of the second 412 and two sectors;
	// of the third, two.
	if want := (map[Model]int{Kill: 11, Torn: 511 + 1 + 411 + 2 + 2, PowerLoss: count[PowerLoss]}); !reflect.DeepEqual(count, want) {
		t.Errorf("crashes %v, want %v", count, want)
	}
	// Pieces after each operation: 1, 3, 1, 0, 3, 4, 5, 6, 5, and 3 of a file without a name.
	want := 0
	for _, pieces := range []int{1, 3, 1, 3, 4, 5, 6, 5, 3} {
		want += 1<<pieces - 1 + 3
	}
	if count[PowerLoss] != want {
		t.Errorf("%d losses of power, want %d", count[PowerLoss], want)
	}
	var again []Crash
	for c := range l.Crashes(FullSweep(1, 4), 0, len(l.Ops)) {
		again = append(again, c)
	}
	if len(again) != len(seen) || slices.ContainsFunc(again, func(c Crash) bool { return !seen[c] }) {
		t.Error("the same sweep tries other crashes")
	}
}

func TestManyPiecesAreSampled(t *testing.T) {
	r := NewRecorder()
	f, err := r.Create("a")
	must(t, err)
	must(t, r.SyncDir("."))
	must(t, f.Sync())
	if _, err := f.WriteAt(bytes.Repeat([]byte("x"), 100*Sector), 0); err != nil {
		t.Fatal(err)
	}
	l := NewLog(r.Ops())
	contents := map[string]bool{}
	samples := 0
	for c := range l.Crashes(Sweep{Seed: 3, Subsets: 10, Samples: 64}, 4, 4) {
		if c.Seed != 0 {
			samples++
			contents[read(t, l.Image(c), "a")] = true
		}
	}
	if samples != 64 || len(contents) < 50 {
		t.Fatalf("%d samples give %d contents", samples, len(contents))
	}
}

func TestTracesAreReproducible(t *testing.T) {
	l := small(t)
	marks := []Mark{{"first", 0, 4}, {"second", 4, len(l.Ops)}}
	var b bytes.Buffer
	must(t, WriteTrace(&b, l.Ops, marks))
	encoded := b.Bytes()
	again, marksAgain, err := ReadTrace(bytes.NewReader(encoded))
	must(t, err)
	if !reflect.DeepEqual(marks, marksAgain) {
		t.Fatalf("actions %v, want %v", marksAgain, marks)
	}
	for c := range l.Crashes(FullSweep(1, 4), 0, len(l.Ops)) {
		if read(t, l.Image(c), "a") != read(t, again.Image(c), "a") {
			t.Fatalf("%v differs", c)
		}
	}
	for n := range encoded {
		if _, _, err := ReadTrace(bytes.NewReader(encoded[:n])); err == nil && n != 0 && encoded[n] != 'O' {
			t.Fatalf("a trace cut at %d of %d bytes is taken", n, len(encoded))
		}
	}
}

// TestRenamesToAnotherDirectoryFollowThoseInIt moves a file to another directory, to a name that
// was renamed before. The move is lost if that rename is lost.
func TestRenamesToAnotherDirectoryFollowThoseInIt(t *testing.T) {
	r := NewRecorder()
	must(t, r.Mkdir("d"))
	put(t, r, "d/new", "new")
	must(t, r.Mkdir("a"))
	must(t, errors.Join(r.SyncDir("d"), r.SyncDir("a"), r.SyncDir(".")))
	must(t, r.Rename("a", "old"))
	must(t, r.Rename("d/new", "a"))
	l := NewLog(r.Ops())
	for pieces := range uint64(4) {
		m := l.Image(Crash{Model: PowerLoss, At: len(l.Ops), Unit: Sector, Pieces: pieces})
		info, err := m.Stat("a")
		if gone, isNew := pieces&1 == 1, pieces == 3; gone && !isNew != (err != nil) || err == nil && info.Dir == isNew {
			t.Errorf("%b: %+v, %v", pieces, info, err)
		}
	}
}

func TestSpellingsOfOneNameAreEqual(t *testing.T) {
	r := NewRecorder()
	put(t, r, "./a", "a")
	must(t, errors.Join(r.Mkdir("d/"), r.Rename(".//a", "d/../b"), r.SyncDir("./"), r.Remove("./b")))
	l := NewLog(r.Ops())
	crash := Crash{Model: PowerLoss, At: len(l.Ops), Unit: Sector}
	if got := read(t, l.Image(crash), "b"); got != "a" {
		t.Errorf("without the removal there is %q", got)
	}
	crash.Pieces = 1
	if got := read(t, l.Image(crash), "b"); got != "-" {
		t.Errorf("with it there is %q", got)
	}
}

func TestTracesKnowLinkedFilesByTheirNewName(t *testing.T) {
	ops := []Op{
		{Kind: OpCreate, Name: "new"}, {Kind: OpLink, Name: "new", To: "a"}, {Kind: OpRemove, Name: "new"},
		{Kind: OpWrite, Data: []byte("x")},
	}
	var b bytes.Buffer
	must(t, WriteTrace(&b, ops, nil))
	l, _, err := ReadTrace(&b)
	must(t, err)
	if got := read(t, l.Image(Crash{Model: Kill, At: len(l.Ops)}), "a"); got != "x" {
		t.Errorf("the file holds %q", got)
	}
}

func TestResumeGoesOnFromAnImage(t *testing.T) {
	m := storage.NewMemory()
	must(t, m.Mkdir("d"))
	put(t, m, "d/x", "inner")
	put(t, m, "y", "")
	r, n, err := Resume(m)
	must(t, err)
	must(t, r.RemoveAll("d"))
	l := NewLog(r.Ops())
	before := l.Image(Crash{Model: PowerLoss, At: n, Unit: Sector})
	if read(t, before, "d/x") != "inner" || read(t, before, "y") != "" {
		t.Error("what was there may be lost")
	}
	half := l.Image(Crash{Model: Kill, At: n + 1})
	if _, err := half.Stat("d"); err != nil || read(t, half, "d/x") != "-" {
		t.Errorf("a tree is removed at once: %v", err)
	}
	if _, err := l.Image(Crash{Model: Kill, At: n + 2}).Stat("d"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory stays: %v", err)
	}
}

func TestFaultsOfADisk(t *testing.T) {
	full := &Faults{FS: storage.NewMemory(), FailAt: 3, Full: true, Err: syscall.ENOSPC}
	f, err := full.Create("a") // 1
	must(t, err)
	if _, err := f.WriteAt([]byte("0123"), 0); err != nil { // 2
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("abcd"), 0); err != nil { // 3, which needs no room
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte("abcde"), 0)
	want(t, err, syscall.ENOSPC)
	want(t, err, ErrInjected)
	must(t, f.Sync())
	_, err = full.Create("b")
	want(t, err, syscall.ENOSPC)
	must(t, full.Remove("a"))
	if full.Hits() != 2 {
		t.Errorf("%d hits", full.Hits())
	}

	reads := &Faults{FS: storage.NewMemory(), FailAt: 3, Reads: true, Err: syscall.EIO}
	f, err = reads.Create("a") // 1
	must(t, err)
	if _, err := reads.Stat("a"); err != nil { // 2
		t.Fatal(err)
	}
	_, err = f.ReadAt(make([]byte, 1), 0) // 3
	want(t, err, syscall.EIO)
	if _, err := f.Size(); err != nil {
		t.Errorf("one fault goes on: %v", err)
	}
	if _, lends := f.(storage.Lender); lends {
		t.Error("reads go around the faults")
	}
}
