package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFilesThatStateHugeSizes calls every entry point with undamaged files that state far more data
// than they have.
func TestFilesThatStateHugeSizes(t *testing.T) {
	all, err := loadSeeds(&config{})
	if err != nil {
		t.Fatal(err)
	}
	var seeds []*seedFile
	for _, s := range all {
		if strings.HasPrefix(s.name, "made-far") || strings.HasPrefix(s.name, "made-shared") ||
			strings.HasPrefix(s.name, "made-many") || strings.HasSuffix(s.name, "lists") {
			seeds = append(seeds, s)
		}
	}
	if len(seeds) != 8 {
		t.Errorf("%d files", len(seeds))
	}
	undamaged(t, seeds, entries(), 1)
}

// TestLinksAndPipes calls the entry points that put links and pipes into files, with undamaged
// stores and frames.
func TestLinksAndPipes(t *testing.T) {
	seeds, err := loadSeeds(&config{})
	if err != nil {
		t.Fatal(err)
	}
	var folders []*seedFile
	for _, s := range seeds {
		if s.files[""] == nil && (s.class == stores || len(folders) < 5) {
			folders = append(folders, s)
		}
	}
	var odd []entry
	for _, e := range entries() {
		if strings.Contains(e.name, "pipes") || e.name == "edit links" {
			odd = append(odd, e)
		}
	}
	if len(odd) != 3 {
		t.Fatalf("%d entry points", len(odd))
	}
	undamaged(t, folders, odd, 20)
}

// undamaged calls entry points with undamaged seeds, several times each.
func undamaged(t *testing.T, seeds []*seedFile, entries []entry, times int) {
	t.Helper()
	l, err := newTester(1, seeds)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for k, s := range seeds {
		s.study()
		for _, e := range entries {
			for range times {
				if e.class == s.class {
					l.enter(k, newMutation(rng, s, s), e, rng.Uint64())
				}
			}
		}
	}
	if !l.good() || l.Calls < len(seeds) {
		t.Errorf("%d calls: %+v", l.Calls, l.Failures)
	}
}
