package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// The budget of a call.
const (
	freeBytes  = 1 << 20 // bytes allocated for any input
	inputRatio = 16      // further bytes allocated per byte of input
	timeLimit  = 2 * time.Second
	hangLimit  = 60 * time.Second
)

// tester damages files and measures the time and memory of reading them. It must not be used
// concurrently.
type tester struct {
	counts
	seed   uint64
	seeds  []*seedFile
	rare   [][]*seedFile // seeds of classes that have few
	keep   string
	buf    []byte           // destination for decoding
	sample []metrics.Sample // of allocated bytes
	idle   int              // number of goroutines between cases

	codecs  *codecs.Registry // those of the library and one of the caller
	filters *shuffle.Registry

	began atomic.Int64 // start of the current call in Unix nanoseconds; 0 for none
	now   atomic.Int64 // the current case
}

func newTester(seed uint64, seeds []*seedFile) (*tester, error) {
	l := &tester{counts: *newCounts(), seed: seed, seeds: seeds, buf: make([]byte, 1<<20)}
	l.counts.Seeds = len(seeds)
	for _, c := range []class{stores, numpy, zarrs, buckets, hdf5s, netcdfs} {
		of := slices.DeleteFunc(slices.Clone(seeds), func(s *seedFile) bool { return s.class != c })
		if len(of) > 0 {
			l.rare = append(l.rare, of)
		}
	}
	l.sample = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	var err error
	l.codecs, l.filters, err = registries()
	go l.watch()
	l.idle = runtime.NumGoroutine()
	return l, err
}

// watch ends the process when a call does not return.
func (l *tester) watch() {
	for range time.Tick(time.Second) {
		began := l.began.Load()
		if began > 0 && time.Since(time.Unix(0, began)) > hangLimit {
			fmt.Fprintf(os.Stderr, "case %d does not return\n", l.now.Load())
			debug.SetTraceback("all")
			panic("hang")
		}
	}
}

func (l *tester) allocated() uint64 {
	metrics.Read(l.sample)
	return l.sample[0].Value.Uint64()
}

// subject is a damaged file or directory.
type subject struct {
	seed  *seedFile
	files map[string][]byte
	fs    storage.FS
	size  uint64
	salt  uint64 // seed of choices while reading
	rng   *rand.Rand
}

// subject returns a new copy of the damaged seed, because some calls change it.
func (p *mutation) subject(salt uint64) (*subject, error) {
	s := &subject{seed: p.seed, files: map[string][]byte{}, fs: storage.NewMemory(), salt: salt, rng: rand.New(rand.NewPCG(salt, 3))}
	for _, name := range p.order {
		b, changed := p.files[name]
		if !changed {
			b = p.seed.files[name]
		} else if b == nil {
			continue
		}
		s.files[name] = b
		s.size += uint64(len(b))
	}

	switch p.seed.class {
	case frames:
		return s, s.write()
	case buckets:
		defer s.intoBucket()
		return s, s.write()
	}
	return s, nil
}

// write puts the files into the file system, as "in": chunks and stores are read from memory.
func (s *subject) write() error {
	for name, b := range s.files {
		name = strings.TrimSuffix("in/"+name, "/")
		for i, c := range name {
			if _, err := s.fs.Stat(name[:i]); err == nil || c != '/' {
				continue
			}
			if err := s.fs.Mkdir(name[:i]); err != nil {
				return err
			}
		}

		f, err := s.fs.Create(name)
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(b, 0); err != nil {
			return err
		}
	}
	return nil
}

// single returns the bytes of a frame in one file.
func (s *subject) single() ([]byte, bool) {
	b, ok := s.files[""]
	return b, ok && len(s.files) == 1
}

// try runs one case.
func (l *tester) try(k int) {
	rng := rand.New(rand.NewPCG(l.seed, uint64(k)))
	pick := func() *seedFile {
		if k := rng.IntN(8); k < len(l.rare) {
			return l.rare[k][rng.IntN(len(l.rare[k]))]
		}
		a := l.seeds[rng.IntN(len(l.seeds))]
		b := l.seeds[rng.IntN(len(l.seeds))]
		if a.size() > b.size() && rng.IntN(4) > 0 {
			return b // damage in small files hits important bytes more often
		}
		return a
	}
	p := newMutation(rng, pick(), pick())
	p.damage()
	p.fixChecksums()
	l.take(k, p, rng)
}

// take calls all entry points for a damaged seed; some only in a share of the cases.
func (l *tester) take(k int, p *mutation, rng *rand.Rand) {
	l.Cases++
	l.now.Store(int64(k))
	for _, d := range p.done {
		l.Damage[d]++
	}

	salt := rng.Uint64()
	if l.keep != "" {
		// Write the damaged files. Paths in directories become single file names.
		for name, b := range p.files {
			path := filepath.Join(l.keep, strings.ReplaceAll(p.seed.name+"/"+name, "/", "+"))
			if err := os.WriteFile(strings.TrimSuffix(path, "+"), b, 0o666); err != nil {
				fmt.Fprintln(os.Stderr, "hostile:", err)
			}
		}
	}
	for _, e := range entries() {
		if e.class != p.seed.class {
			continue
		}
		if e.share > 1 && rng.IntN(e.share) > 0 {
			continue
		}
		l.enter(k, p, e, salt)
	}

	if n := runtime.NumGoroutine(); n > l.idle && !l.settles() {
		l.Leaks++
		l.Failures.Add(failure{
			Case: k, Seed: p.seed.name, Damage: p.what(),
			What: "goroutines", Detail: fmt.Sprintf("%d, were %d", n, l.idle),
		})
	}
}

// settles waits for goroutines that are about to end, and reports whether they did.
func (l *tester) settles() bool {
	for range 100 {
		if runtime.NumGoroutine() <= l.idle {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// outcome is the result of one call.
type outcome struct {
	panicked string
	asked    uint64
	bytes    uint64
	took     time.Duration
	err      error
}

// enter calls one entry point. If the call exceeds its budget, enter repeats it, because other
// processes may have disturbed the measurement.
func (l *tester) enter(k int, p *mutation, e entry, salt uint64) {
	var o outcome
	var over, slow bool

	// The machine may be busy: only what is large or slow each time counts.
	for range 3 {
		s, err := p.subject(salt)
		if err != nil {
			l.Failures.Add(failure{Case: k, Seed: p.seed.name, Entry: e.name, What: "setup", Detail: err.Error()})
			return
		}
		o = l.measure(s, e)
		budget := freeBytes + inputRatio*s.size + o.asked
		over = o.bytes > budget
		slow = o.took > timeLimit
		if o.panicked != "" || !over && !slow {
			l.MaxAlloc = max(l.MaxAlloc, o.bytes)
			l.MaxOver = max(l.MaxOver, float64(o.bytes)/float64(budget))
			break
		}
	}

	l.Calls++
	l.Answers[e.name+": "+answer(o.err)]++
	if answer(o.err) == "other" && o.panicked == "" {
		l.Others[e.name] = fmt.Sprintf("case %d: %v", k, o.err)
	}
	if e.opens && o.err == nil {
		l.Opened++
	}

	f := failure{Case: k, Seed: p.seed.name, Damage: p.what(), Entry: e.name}
	switch {
	case o.panicked != "":
		l.Panics++
		f.What = "panic"
		f.Detail = o.panicked
	case over:
		l.Memory++
		f.What = "memory"
		f.Detail = fmt.Sprintf("%d bytes allocated, %d asked for; %v", o.bytes, o.asked, o.err)
	case slow:
		l.Slow++
		f.What = "time"
		f.Detail = fmt.Sprintf("%v; %v", o.took, o.err)
	case unsound(o.err):
		l.Unsound++
		f.What = "unsound"
		f.Detail = o.err.Error()
	default:
		return
	}
	l.Failures.Add(f)
}

func (l *tester) measure(s *subject, e entry) (o outcome) {
	defer func() {
		l.began.Store(0)
		if r := recover(); r != nil {
			o.panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	start := time.Now()
	l.began.Store(start.UnixNano())
	before := l.allocated()
	o.asked, o.err = e.run(l, s)
	o.bytes = l.allocated() - before
	o.took = time.Since(start)
	return o
}
