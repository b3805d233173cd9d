package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/check/objects"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/internal/objectstore"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
)

// A job is what one process does in one schedule: it appends in commits, or reads.
type job struct {
	ID       int
	Address  string // of the lane
	Schedule uint64
	Writer   int64 // -1 for a reader
	Commits  int   // or reads
}

// An event is what a process reports.
type event struct {
	ID      int
	Kind    eventKind
	Commit  commitID
	Message string
}

type eventKind string

const (
	committed eventKind = "committed"
	refused   eventKind = "refused" // an attempt that failed, for good
	unknown   eventKind = "unknown" // an attempt whose outcome is unknown
	wasRead   eventKind = "read"
	wrong     eventKind = "wrong"
	done      eventKind = "done"
)

// serveJobs runs jobs until there are no more, all at the same time.
func serveJobs(in io.Reader, out io.Writer) error {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 16

	var mu sync.Mutex
	encoder := json.NewEncoder(out)
	var wg sync.WaitGroup
	defer wg.Wait()

	for jobs := json.NewDecoder(in); ; {
		var j job
		if err := jobs.Decode(&j); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}

		w := &worker{job: j, rnd: rand.New(rand.NewPCG(j.Schedule, uint64(j.Writer+1)))}
		w.tell = func(kind eventKind, c commitID, message string) {
			mu.Lock()
			defer mu.Unlock()
			// If this fails, the parent has ended.
			_ = encoder.Encode(event{ID: j.ID, Kind: kind, Commit: c, Message: message})
		}
		w.bucket = objectstore.NewHasty(&objects.Web{Base: fmt.Sprintf("http://%s/%d/", j.Address, j.Schedule)}, "")
		wg.Go(w.run)
	}
}

// A worker runs a job.
type worker struct {
	job
	rnd    *rand.Rand
	bucket storage.Bucket
	tell   func(kind eventKind, c commitID, message string)
	last   error // of the last attempt
}

func (w *worker) run() {
	if w.Writer < 0 {
		w.read()
	} else {
		w.write()
	}
	w.tell(done, commitID{}, "")
}

// arrayPath is the path of the array in its bucket.
const arrayPath = "a"

// openOptions returns options for a handle that reads, or also writes.
func (w *worker) openOptions(mode frame.Mode) *ndarray.OpenOptions {
	return &ndarray.OpenOptions{FS: storage.BucketFS(context.Background(), w.bucket), Mode: mode,
		Commits: frame.Commits{Retry: true}}
}

// attempts is how often a process tries something before it says that this is wrong. The network
// fails so often that some attempts of a few hundred fail.
const attempts = 40

// write appends in commits, each until it succeeds.
func (w *worker) write() {
	var a ndarray.Array[int64]
	opened := false
	for i := range w.Commits {
		id := commitID{Writer: w.Writer, Commit: int64(i)}
		for kind := refused; kind == refused; id.Attempt++ {
			if id.Attempt == attempts {
				w.tell(wrong, id, "no attempt has succeeded: "+text(w.last))
				return
			}
			if !opened {
				if a, opened = w.open(); !opened {
					continue
				}
			}

			var err error
			kind, err = w.append(a, id)
			if kind != committed || w.rnd.IntN(2) == 0 {
				if closed := a.Close(); closed != nil && strings.Contains(closed.Error(), "it is unknown whether") {
					kind = unknown
				}
				opened = false
			}

			w.tell(kind, id, text(err))
			w.judge(err, id)
			if kind == unknown {
				return
			}
		}
	}
	if opened {
		if err := a.Close(); err != nil {
			w.tell(wrong, commitID{Writer: w.Writer}, "close without changes: "+err.Error())
		}
	}
}

// append makes one attempt of a commit. Some have so little time that it ends underway.
func (w *worker) append(a ndarray.Array[int64], id commitID) (eventKind, error) {
	ctx := context.Background()
	if w.rnd.IntN(5) == 0 {
		within, cancel := context.WithTimeout(ctx, time.Duration(w.rnd.IntN(10_000))*time.Microsecond)
		defer cancel()
		ctx = within
	}
	rows := id.rows(w.Schedule, 1+w.rnd.IntN(3))
	if err := a.Atomically(ctx, func() error { return a.Append(ctx, 0, rows) }); err != nil {
		return refused, err
	}
	return committed, nil
}

// open opens the array, or creates it if nobody has done so.
func (w *worker) open() (a ndarray.Array[int64], opened bool) {
	o := w.openOptions(ndarray.ReadWrite)
	a, err := ndarray.OpenAs[int64](arrayPath, o)
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, cairn.ErrCorrupt) {
		w.judge(err, commitID{Writer: w.Writer, Commit: -1})
		return a, err == nil
	}
	a, err = ndarray.Create[int64](arrayPath, noRows, &ndarray.Options{FS: o.FS, ChunkShape: rowChunks, BlockShape: rowChunks})
	if err == nil {
		err = a.Close() // only the first of all succeeds
	}
	w.judge(err, commitID{Writer: w.Writer, Commit: -1})
	return a, false
}

// judge tells that an error is wrong, if a failing network is no reason for it.
func (w *worker) judge(err error, id commitID) {
	w.last = err
	if errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrBounds) || errors.Is(err, cairn.ErrLimit) {
		w.tell(wrong, id, err.Error())
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// read reads the array again and again. Each read must have whole commits, and those of the reads
// before at its beginning.
func (w *worker) read() {
	var seen []int64
	var a ndarray.Array[int64]
	opened := false
	for range w.Commits {
		time.Sleep(time.Duration(w.rnd.IntN(3000)) * time.Microsecond)
		var err error
		if !opened {
			a, err = ndarray.OpenAs[int64](arrayPath, w.openOptions(ndarray.ReadOnly))
			opened = err == nil
		} else {
			_, err = a.Refresh(context.Background())
		}

		var got []int64
		if err == nil {
			got, err = w.look(a)
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) || seen != nil {
				w.judge(err, commitID{Writer: -1})
			}
			continue
		}

		if len(got) < len(seen) || !slices.Equal(got[:len(seen)], seen) {
			w.tell(wrong, commitID{Writer: -1}, fmt.Sprintf("read %d after %d", got, seen))
		}
		seen = got
		w.tell(wasRead, commitID{}, "")

		if w.rnd.IntN(2) == 0 {
			_ = a.Close()
			opened = false
		}
	}
}

// look reads all items of one state, and a part of them once more.
func (w *worker) look(a ndarray.Array[int64]) ([]int64, error) {
	got, err := a.Read(context.Background())
	if err != nil {
		return nil, err
	}
	if _, err := commitsIn(w.Schedule, got); err != nil {
		w.tell(wrong, commitID{Writer: -1}, err.Error())
	}
	if n := int64(len(got) / columns); n > 0 {
		from := w.rnd.Int64N(n)
		again, err := a.Read(context.Background(), ndarray.Range(from, n))
		if err != nil {
			return nil, err
		}
		if !slices.Equal(again, got[from*columns:]) {
			w.tell(wrong, commitID{Writer: -1}, fmt.Sprintf("rows from %d: %d, then %d", from, got[from*columns:], again))
		}
	}
	return got, nil
}
