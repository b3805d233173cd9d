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

// A staging is a directory beside a store, for what is going to take a place in it, or its own. As
// long as its owner lives, the owner has claimed a file beside it: whoever makes another one for
// the same store removes those that nobody claims. Where files cannot be claimed, nothing is
// removed.
type staging struct {
	fsys storage.FS
	dir  string       // ".NAME-RANDOM.tmp", which nobody else can enter
	mark string       // ".NAME-RANDOM.lock"
	file storage.File // the mark, claimed, or nil
}

// Their names, between which and that of the store are a hyphen and so many random characters.
const (
	stagingEnd  = ".tmp"
	markEnd     = ".lock"
	stagingRand = 8

	randomCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" // of rand.Text
)

// stage makes a directory beside a place, and removes what killed processes left there.
func stage(fsys storage.FS, place string) (*staging, error) {
	dir, base := filepath.Split(place)
	for {
		s := stagingOf(fsys, filepath.Join(dir, "."+base+"-"+rand.Text()[:stagingRand]))
		alone, err := s.claim(place)
		if err == nil && !alone {
			continue // somebody took the mark for one that was left behind
		}
		if s.file != nil {
			sweep(fsys, place, s.mark)
		}
		if err == nil {
			err = placing.MkdirFor(fsys, s.dir, place)
		}
		if err != nil {
			return nil, errors.Join(err, s.unmark())
		}
		return s, nil
	}
}

func stagingOf(fsys storage.FS, name string) *staging {
	return &staging{fsys: fsys, dir: name + stagingEnd, mark: name + markEnd}
}

// claim makes the mark, and reports false if it is gone already.
func (s *staging) claim(place string) (bool, error) {
	file, err := placing.CreateFor(s.fsys, s.mark, place)
	if err != nil {
		return false, err
	}
	s.file = file
	alone, err := claimed(file, s.mark)
	if errors.Is(err, errors.ErrUnsupported) {
		return true, s.unmark()
	}
	if err == nil && !alone {
		err = s.file.Close()
		s.file = nil
	}
	return alone, err
}

// claimed claims a file that has a name, and reports whether it is this one alone that did.
func claimed(file storage.File, name string) (bool, error) {
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

// remove ends a staging, whatever is in it.
func (s *staging) remove() error {
	return errors.Join(s.fsys.RemoveAll(s.dir), s.unmark())
}

// unmark gives the mark up, behind everything else. It goes before the claim, lest somebody claims
// what is about to go; where open files cannot be removed nobody else can do that meanwhile.
func (s *staging) unmark() error {
	if s.file == nil {
		return nil
	}
	removed := s.fsys.Remove(s.mark)
	err := s.file.Close()
	if s.file = nil; removed != nil {
		removed = ignoreMissing(s.fsys.Remove(s.mark))
	}
	return errors.Join(err, removed)
}

// sweep removes the stagings beside a place whose owners are gone, but for one. A directory without
// a mark has no owner: marks come first and go last. What cannot be removed stays for the next one.
func sweep(fsys storage.FS, place, but string) {
	place = filepath.Clean(place)
	dir, base := filepath.Dir(place), filepath.Base(place)
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
	// One of them may hold the old store, whose place has a new one that is not durable yet.
	if len(left) == 0 || fsys.SyncDir(dir) != nil {
		return
	}
	for _, s := range left {
		s.removeLeft()
	}
}

// removeLeft removes a staging unless somebody claims its mark.
func (s *staging) removeLeft() {
	file, err := s.fsys.OpenRW(s.mark)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_ = s.remove()
		return
	case err != nil:
		return
	}
	if alone, err := claimed(file, s.mark); err != nil || !alone {
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
