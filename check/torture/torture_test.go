package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// TestMain lets the test binary also run as the process that is killed.
func TestMain(m *testing.M) {
	if isChild(os.Args) {
		main()
		return
	}
	os.Exit(m.Run())
}

// quick returns a crasher for tests.
func quick(t *testing.T) *crasher {
	return &crasher{dir: t.TempDir(), report: newReport("test", 1, ""), samples: 8, every: 200, workers: 2}
}

func lostNothing(t *testing.T, c *crasher, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.report.Failures {
		t.Errorf("%+v", f)
	}
	if c.report.Lost != 0 {
		t.Errorf("%d lost", c.report.Lost)
	}
}

// sectionOf runs one part as the command does.
func sectionOf(t *testing.T, name string, p profile) *crasher {
	t.Helper()
	c := quick(t)
	lostNothing(t, c, c.section(name, &settings{seed: 1, traces: "testdata"}, p, nil))
	return c
}

func TestCrashesLoseNothing(t *testing.T) {
	points, commits := 8000, 5
	if testing.Short() {
		points, commits = 100, 2
	}
	c := sectionOf(t, "crashes", profile{crashes: points, commits: commits})
	for _, kind := range kinds {
		if got, again := c.report.Crashes[kind], c.report.Recovery[kind]; got.A < 15 || got.B < 30 || got.C < 50 || again.Points < 20 {
			t.Errorf("%s: too few crashes: %+v %+v", kind, got, again)
		}
	}
}

func TestFaultsLoseNothing(t *testing.T) {
	c := sectionOf(t, "faults", profile{faults: 100})
	for _, name := range faultNames {
		if got := c.report.Faults[name]; got.Points < 100 {
			t.Errorf("%s: only %d", name, got.Points)
		}
	}
}

func TestKilledProcessesLoseNothing(t *testing.T) {
	c := sectionOf(t, "kills", profile{kills: 4 * len(kinds)})
	if len(c.report.Kills) != len(kinds) {
		t.Errorf("kills: %v", c.report.Kills)
	}
}

func TestWritersAtTheSameTimeLoseNothing(t *testing.T) {
	c := sectionOf(t, "writers", profile{appends: 40, seconds: 1.5})
	for kind, w := range c.report.Writers {
		if w.Points == 0 || w.Looks == 0 {
			t.Errorf("%s: %+v", kind, w)
		}
	}
}

func TestKilledHoldersLeaveTheLock(t *testing.T) {
	c := sectionOf(t, "holders", profile{holders: 12})
	if got := c.report.Holders["cairn is killed, cairn is next"]; got.Points != 12 || got.Inside == 0 || got.Torn != 0 {
		t.Errorf("%+v", got)
	}
}

func TestRowsAreCounted(t *testing.T) {
	rows := func(marks ...int64) (items []int64) {
		for _, mark := range append(make([]int64, rowsFirst), marks...) {
			items = append(items, slices.Repeat([]int64{mark}, rowItems)...)
		}
		return items
	}
	if got, err := countRows(rows(1, 1<<32|1, 2, 1<<32|2)); err != nil || got[0] != 2 || got[1] != 2 {
		t.Errorf("%v, %v", got, err)
	}
	half := rows(1, 2)
	half[len(half)-3]++
	for name, items := range map[string][]int64{"half a row": half, "out of order": rows(2, 1), "twice": rows(1, 1), "missing": rows(1, 3), "not written": rows(1, 0, 2)} {
		if _, err := countRows(items); err == nil {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// TestCrashStatesOfEveryKindAreDrawn checks the states that the C library gets to read.
func TestCrashStatesOfEveryKindAreDrawn(t *testing.T) {
	for _, kind := range kinds {
		p, r := program{kind, 1, 6}, storagetest.NewRecorder()
		if _, err := p.run(r, r.Len, false); err != nil {
			t.Fatal(err)
		}
		log := storagetest.NewLog(r.Ops())
		drawn, excluded := drawCrashes(log, p, 8, 90)
		again, _ := drawCrashes(log, p, 8, 90)
		count, sparse := map[storagetest.Model]int{}, strings.HasPrefix(kind, "sparse")
		for _, c := range drawn {
			count[c.Model]++
			if tearsHeader(log, p, c) {
				t.Errorf("%s: %v tears a header", kind, c)
			}
		}
		if len(drawn) != 90 || !slices.Equal(drawn, again) || count[storagetest.Kill] < 15 || count[storagetest.Torn] < 10 || count[storagetest.PowerLoss] < 30 || excluded == 0 != sparse {
			t.Errorf("%s: %d drawn, %v, %d excluded", kind, len(drawn), count, excluded)
		}
	}
}

func TestAnswersOfTheCLibrary(t *testing.T) {
	got := answer{Parts: 2, NBytes: 9, Sum: "0102030405060708"}.seen()
	if got.err != nil || got.content != (content{2, 9, [8]byte{1, 2, 3, 4, 5, 6, 7, 8}}) {
		t.Errorf("%v", got)
	}
	for _, a := range []answer{{Error: "no"}, {Sum: "01"}} {
		if a.seen().err == nil {
			t.Errorf("%v is taken", a)
		}
	}
	// This library process ends at once. It is started again for every file, and each answer is an
	// error.
	l := &library{python: "go", scripts: "does-not-exist"}
	seen, err := l.look([]string{"a", "b"})
	if err != nil || !errors.Is(seen[0].err, harness.ErrEnded) || !errors.Is(seen[1].err, harness.ErrEnded) {
		t.Errorf("%v, %v", seen, err)
	}
}

func TestFlippedBitsAreCounted(t *testing.T) {
	f := sectionOf(t, "flips", profile{flips: 2000, burst: 32}).report.Flips
	if f.Points != 2000 || f.Found+f.Harmless+f.Silent != f.Points || f.Found < 50 || f.Harmless < 50 {
		t.Errorf("%+v", f)
	}
}

// TestLossesOfTheCLibrary checks that this program finds losses, and exactly the known ones: see
// testdata/record.
func TestLossesOfTheCLibrary(t *testing.T) {
	c := sectionOf(t, "traces", profile{replays: 40})
	if len(c.report.Traces) != 3 {
		t.Fatalf("%d traces", len(c.report.Traces))
	}
	for _, s := range c.report.Traces {
		if _, known := measured[s.Trace]; !known {
			t.Errorf("%v: nothing is known of it", s)
		}
		// Crashes without random choices give exact shares.
		for i, got := range []share{s.A, s.B} {
			if math.Abs(got.Percent-measured[s.Trace][i]) > 0.05 {
				t.Errorf("%v: want %v", s, measured[s.Trace])
			}
		}
		other := s
		other.Trace = "cblosc2-3.3.3dev-b2nd"
		if s.Kind != "b2nd" && other.unexpected() == "" {
			t.Errorf("%v passes for another trace", s)
		}
	}
}

// TestBrokenCommitsAreCaught breaks, one by one, the things on which the safety of a commit
// depends.
func TestBrokenCommitsAreCaught(t *testing.T) {
	for _, name := range mutantNames {
		for _, kind := range []string{"contiguous", "array", "sparse"} {
			if name == "header first" && kind == "sparse" {
				// its index is renamed, so there is no header to write first
				continue
			}
			c := quick(t)
			c.every, c.first = 0, true
			c.wrap = func(fsys storage.FS) storage.FS { return newMutant(name, fsys) }
			for seed := uint64(0); seed < 5 && c.report.Lost == 0; seed++ {
				if _, err := c.crashProgram(program{kind, seed, 2}); err != nil {
					t.Fatal(err)
				}
			}
			if c.report.Lost == 0 {
				t.Errorf("%q is not noticed: %s", name, kind)
			}
		}
	}
}

func TestReportedLossesCanBeReplayed(t *testing.T) {
	c := quick(t)
	c.report.out = t.TempDir()
	c.every = 0
	c.wrap = func(fsys storage.FS) storage.FS { return newMutant("header first", fsys) }
	c.first = true
	for seed := uint64(0); seed < 20 && c.report.Lost == 0; seed++ {
		if _, err := c.crashProgram(program{"contiguous", seed, 3}); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.report.Failures) == 0 {
		t.Fatal("nothing was lost")
	}
	f := c.report.Failures[0]
	if filepath.Dir(f.Trace) != c.report.out || !strings.Contains(f.Repeat, f.Crash) {
		t.Fatalf("%+v", f)
	}
	r, err := os.Open(f.Trace)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	log, _, err := storagetest.ReadTrace(r)
	if err != nil {
		t.Fatal(err)
	}
	crash, err := storagetest.ParseCrash(f.Crash)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lookAtFrame(log.Image(crash), programName)
	if text := fmt.Sprint(got, err); err != nil && !strings.Contains(f.Text, err.Error()) || err == nil && !strings.Contains(f.Text, got.String()) {
		t.Errorf("replayed: %s\nwas: %s", text, f.Text)
	}
}
