package store

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn/storage"
)

// besides returns the names of the files beside a store.
func besides(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	check(t, err)
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			names = append(names, e.Name())
		}
	}
	return names
}

var hangIn = flag.String("hang-in", "", "for the test itself: edit the store, create another, and hang")

// hanging keeps the editor of TestHang from being collected.
var hanging *Editor

// TestHang is the process that TestLeftoversOfKilledProcessesAreRemoved kills.
func TestHang(t *testing.T) {
	if *hangIn == "" {
		return
	}
	a := numbers(t, 1)
	e, err := Edit(*hangIn, nil)
	check(t, err)
	check(t, e.PutFunc(t.Context(), "/x", func(_ storage.FS, name string) error {
		check(t, a.Save(t.Context(), name, nil))
		w, err := Create(*hangIn, &Options{Overwrite: true})
		hanging = w
		check(t, err, w.Put(t.Context(), "/y", a, nil))
		fmt.Println("hanging")
		time.Sleep(time.Hour) // the runtime would end a process in which all goroutines are blocked
		return nil
	}))
}

// TestLeftoversOfKilledProcessesAreRemoved kills a process that edits a store and creates another
// one in its place. The next staging must remove what it left, and nothing else.
func TestLeftoversOfKilledProcessesAreRemoved(t *testing.T) {
	for _, ext := range forms {
		path := filepath.Join(t.TempDir(), "s"+ext)
		makeStore(t, path)
		foreign := []string{".s" + ext + "-ABC.tmp", ".s" + ext + "-abcdefgh.tmp",
			"s" + ext + "-ABCDEFGH.tmp", ".t" + ext + "-ABCDEFGH.tmp"}
		for _, name := range foreign {
			check(t, os.Mkdir(filepath.Join(filepath.Dir(path), name), 0o777))
		}
		cmd := exec.Command(os.Args[0], "-test.run", "^TestHang$", "-hang-in", path)
		out, err := cmd.StdoutPipe()
		check(t, err, cmd.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		check(t, err)
		left := besides(t, path)
		mine, err := stage(storage.OS(), path)
		check(t, err, mine.remove())
		if line != "hanging\n" || !slices.Equal(besides(t, path), left) || len(left) != len(foreign)+4 {
			t.Errorf("%s: %q, beside a process that is at it %q, before %q", ext, line, besides(t, path), left)
		}
		check(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
		e, err := Edit(path, nil)
		check(t, err)
		a := numbers(t, 1)
		check(t, e.Put(t.Context(), "/new", a, nil), a.Close(), e.Close())
		slices.Sort(foreign)
		if left := besides(t, path); !slices.Equal(left, foreign) {
			t.Errorf("%s: left are %q", ext, left)
		}
		if keys := strings.Join(keysOf(t, path), " "); !strings.Contains(keys, "/new") || strings.Contains(keys, "/x") {
			t.Errorf("%s: %s", ext, keys)
		}
	}
}

// TestStagingDirectoriesInUseAreKept uses several stagings for one store in one process.
func TestStagingDirectoriesInUseAreKept(t *testing.T) {
	place := filepath.Join(t.TempDir(), "s.b2z")
	var all []*staging
	for range 3 {
		s, err := stage(storage.OS(), place)
		check(t, err)
		all = append(all, s)
	}
	for _, s := range all {
		if _, err := os.Stat(s.dir); err != nil {
			t.Error(err)
		}
		check(t, s.remove())
	}
	// one of its two entries was lost in a power failure
	half, err := stage(storage.OS(), place)
	check(t, err, os.Remove(half.mark), half.file.Close())
	next, err := stage(storage.OS(), place)
	check(t, err, next.remove())
	if left := besides(t, place); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
}

// unsynced is a file system in which no change of a directory becomes durable.
type unsynced struct{ storage.FS }

func (unsynced) SyncDir(string) error { return errors.New("no") }

// TestSweepsWaitForDurability checks that an abandoned staging is kept until the
// directory is synced: it may contain the old store, which a power failure could bring back.
func TestSweepsWaitForDurability(t *testing.T) {
	place := filepath.Join(t.TempDir(), "s.b2d")
	left := place[:len(place)-len("s.b2d")] + ".s.b2d-ABCDEFGH.tmp"
	check(t, os.Mkdir(left, 0o777))
	for _, fsys := range []storage.FS{unsynced{storage.OS()}, storage.OS()} {
		s, err := stage(fsys, place)
		check(t, err, s.remove())
		_, isUnsynced := fsys.(unsynced)
		if _, err := os.Stat(left); (err == nil) != isUnsynced {
			t.Errorf("%T: %v", fsys, err)
		}
	}
}
