package store

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/storage"
)

// A staging is a directory beside a store for files that will be moved into the store or replace
// it. Its owner holds a claim on a lock file beside the directory. Each new staging of the same
// store removes those whose lock file is not claimed. Where files cannot be claimed, nothing is
// removed.
type staging struct {
	fsys storage.FS
	dir  string       // ".NAME-RANDOM.tmp", accessible to the owner only
	mark string       // ".NAME-RANDOM.lock"
	file storage.File // the open mark, claimed, or nil
}

// Names consist of a dot, the name of the store, a hyphen, stagingRand random characters and an
// extension.
const (
	stagingEnd  = ".tmp"
	markEnd     = ".lock"
	stagingRand = 8

	randomCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" // the alphabet of rand.Text
)

// stage creates a staging for place, and removes those of killed processes.
func stage(fsys storage.FS, place string) (*staging, error) {
	dir, base := filepath.Split(place)
	for {
		s := stagingOf(fsys, filepath.Join(dir, "."+base+"-"+rand.Text()[:stagingRand]))
		alone, err := s.claim(place)
		if err == nil && !alone {
			continue // another process took the mark for an abandoned one
		}
		if s.file != nil {
			sweep(fsys, place, s.mark)
		}
		if err != nil {
			return nil, errors.Join(err, s.unmark())
		}

		if err = placing.MkdirFor(fsys, s.dir, place); err != nil {
			return nil, errors.Join(err, s.unmark())
		}
		return s, nil
	}
}

func stagingOf(fsys storage.FS, name string) *staging {
	return &staging{fsys: fsys, dir: name + stagingEnd, mark: name + markEnd}
}

// claim creates and claims the mark. It reports false if the mark was removed meanwhile.
func (s *staging) claim(place string) (bool, error) {
	file, err := placing.CreateFor(s.fsys, s.mark, place)
	if err != nil {
		return false, err
	}
	s.file = file

	alone, err := tryClaim(file, s.mark)
	if errors.Is(err, errors.ErrUnsupported) {
		return true, s.unmark()
	}
	if err == nil && !alone {
		err = s.file.Close()
		s.file = nil
	}
	return alone, err
}

// tryClaim claims a file and reports whether that succeeded and the file still has the name.
func tryClaim(file storage.File, name string) (bool, error) {
	c, ok := file.(storage.Claimer)
	if !ok {
		return false, errors.ErrUnsupported
	}
	got, err := c.TryClaim()
	if err == nil && got {
		got, err = c.Is(name)
	}
	return got, err
}

// remove removes a staging with its contents.
func (s *staging) remove() error {
	return errors.Join(s.fsys.RemoveAll(s.dir), s.unmark())
}

// unmark removes and releases the mark; it must come last. The mark is removed before the claim is
// released, so that no other process claims a file that is about to go. Where open files cannot be
// removed, nobody else can remove it meanwhile either, and it is removed after closing.
func (s *staging) unmark() error {
	if s.file == nil {
		return nil
	}
	removed := s.fsys.Remove(s.mark)
	err := s.file.Close()
	s.file = nil
	if removed != nil {
		removed = ignoreMissing(s.fsys.Remove(s.mark))
	}
	return errors.Join(err, removed)
}

// sweep removes the abandoned stagings of place, except the one with the mark but. A directory
// without a mark is abandoned, since the mark is created first and removed last. Whatever cannot be
// removed is left to the next sweep.
func sweep(fsys storage.FS, place, but string) {
	place = filepath.Clean(place)
	dir := filepath.Dir(place)
	base := filepath.Base(place)

	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return
	}

	var left []*staging
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name, "."+base+"-")
		if !ok || len(text) < stagingRand || strings.Trim(text[:stagingRand], randomCharacters) != "" {
			continue
		}

		end := text[stagingRand:]
		s := stagingOf(fsys, filepath.Join(dir, strings.TrimSuffix(e.Name, end)))
		if s.mark != but && (end == stagingEnd && e.Dir || end == markEnd && !e.Dir && !e.Other) {
			left = append(left, s)
		}
	}

	// A staging may hold the old store, whose replacement is not durable before this sync.
	if len(left) == 0 || fsys.SyncDir(dir) != nil {
		return
	}
	for _, s := range left {
		s.removeLeft()
	}
}

// removeLeft removes a staging if its mark is not claimed.
func (s *staging) removeLeft() {
	file, err := s.fsys.OpenRW(s.mark)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_ = s.remove()
		return
	case err != nil:
		return
	}

	if alone, err := tryClaim(file, s.mark); err != nil || !alone {
		_ = file.Close() // nothing was written
		return
	}
	s.file = file
	_ = s.remove()
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
