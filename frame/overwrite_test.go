package frame

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn/internal/test/storagetest"
	"github.com/cairn-go/cairn/storage"
)

// noExchange is a file system that cannot exchange names.
type noExchange struct{ storage.FS }

// overwrite writes a frame of one chunk to a path that may exist.
func overwrite(fsys storage.FS, sparse bool, fill int) error {
	f, err := Create("f", &Options{TypeSize: 4, Sparse: sparse, FS: fsys, Overwrite: true})
	if err != nil {
		return err
	}
	for i := range 3 {
		if _, err := f.Append(noContext, ramp(100, fill+i)); err != nil {
			return errors.Join(err, f.Abort())
		}
	}
	return f.Close()
}

func overwritten(fill int) *model {
	return &model{vl: map[string]string{}, meta: map[string]string{}, chunks: [][]byte{ramp(100, fill), ramp(100, fill+1), ramp(100, fill+2)}}
}

// TestOverwritingSurvivesLossOfPower simulates a loss of power at every operation while a frame
// replaces another one, file or directory. The old or the new frame must be at the path.
func TestOverwritingSurvivesLossOfPower(t *testing.T) {
	for _, was := range []bool{false, true} {
		for _, is := range []bool{false, true} {
			for _, exchange := range []bool{true, false} {
				m := storage.NewMemory()
				must(0, overwrite(m, was, 1))
				r, from, err := storagetest.Resume(m)
				must(0, err)
				var fsys storage.FS = r
				if !exchange {
					fsys = noExchange{r}
				}
				must(0, overwrite(fsys, is, 7))
				name := fmt.Sprintf("sparse %v replaces sparse %v, exchange %v", is, was, exchange)
				log := storagetest.NewLog(r.Ops())
				for c := range log.Crashes(storagetest.Sweep{Seed: 1, Subsets: 8, Samples: 20, Durable: from}, from, r.Len()) {
					allowed := []*model{overwritten(1), overwritten(7)}
					if c.At == r.Len() {
						allowed = allowed[1:]
					}
					image := log.Image(c)
					if exchange || was == is && !is {
						if _, err := image.Stat("f"); err != nil {
							t.Fatalf("%s: crash %v: nothing has the name\n%s", name, c, log.Describe(c))
						}
					}
					if err := oneOf(image, allowed); err != nil {
						t.Fatalf("%s: crash %v: %v\n%s", name, c, err, log.Describe(c))
					}
				}
			}
		}
	}
}

// TestKillBeforeALossOfPower kills a process at every operation while it overwrites a frame. The
// next process overwrites the frame too, or sweeps. It must not remove files that are needed again
// after a loss of power.
func TestKillBeforeALossOfPower(t *testing.T) {
	next := map[string]func(fsys storage.FS) error{
		"overwriting": func(fsys storage.FS) error { return overwrite(fsys, true, 9) },
		"sweeping": func(fsys storage.FS) error {
			f, err := Open("f", &OpenOptions{Mode: ReadWrite, Sweep: true, FS: fsys})
			if err != nil {
				return err
			}
			return f.Close()
		},
	}
	for what, run := range next {
		for _, exchange := range []bool{true, false} {
			for at, done := 1, false; !done; at++ {
				m := storage.NewMemory()
				must(0, overwrite(m, true, 1))
				r, from, err := storagetest.Resume(m)
				must(0, err)
				var fsys storage.FS = r
				if !exchange {
					fsys = noExchange{r}
				}
				killed := &storagetest.Faults{FS: fsys, FailAt: at, Persistent: true}
				done = overwrite(killed, true, 7) == nil
				begin := r.Len()
				if err := run(fsys); err != nil {
					t.Fatalf("%s after a kill at %d: %v", what, at, err)
				}
				log := storagetest.NewLog(r.Ops())
				sweep := storagetest.Sweep{Seed: 1, Subsets: 4, Samples: 6, Durable: from}
				for c := range log.Crashes(sweep, begin, r.Len()) {
					allowed := []*model{overwritten(1), overwritten(7), overwritten(9)}
					if err := oneOf(log.Image(c), allowed); err != nil {
						t.Fatalf("%s after a kill at %d, exchange %v, crash %v: %v\n%s",
							what, at, exchange, c, err, log.Describe(c))
					}
				}
			}
		}
	}
}

// TestFailedOverwriteLeavesTheOldFrame lets each operation fail while a frame replaces another.
func TestFailedOverwriteLeavesTheOldFrame(t *testing.T) {
	for _, was := range []bool{false, true} {
		for _, is := range []bool{false, true} {
			for at, done := 1, false; !done; at++ {
				m := storage.NewMemory()
				must(0, overwrite(m, was, 1))
				faults := &storagetest.Faults{FS: m, FailAt: at, Persistent: at%2 == 0}
				err := overwrite(faults, is, 7)
				done = faults.Hits() == 0
				allowed := []*model{overwritten(7)}
				if err != nil {
					allowed = append(allowed, overwritten(1))
				}
				if err := oneOf(m, allowed); err != nil {
					t.Fatalf("sparse %v replaces sparse %v, operation %d fails: %v", is, was, at, err)
				}
			}
		}
	}
}
