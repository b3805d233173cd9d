// Package advise finds how to store an array: it takes samples, stores them in memory with many
// codecs, levels, filters and shapes of chunks, and measures sizes and times on this machine.
//
// Settings are tried on little data first, and the better part of them on more, until a few have
// been measured on the whole sample. So the first choice is nearly as good as the best of all
// combinations, for a small part of the time.
//
// Settings that only cairn reads compete among themselves.
package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// A Goal is what matters.
type Goal string

// Goals.
const (
	Size     Goal = "size"
	Read     Goal = "read"
	Write    Goal = "write"
	Balanced Goal = "balanced"
)

// Goals returns all goals.
func Goals() []Goal { return []Goal{Balanced, Read, Size, Write} }

// storage is the speed assumed of a disk, in bytes per second. It decides how much a smaller file
// is worth to reads and writes.
const storage = 1 << 30

// Options say what to find.
type Options struct {
	Goal Goal
	// Access is the shape of the boxes that will be read; nil means everything.
	Access ndarray.Shape
	// Precision, if it is not 0, keeps that many bits of the mantissa of floats, which loses the
	// rest.
	Precision int8
	Time      time.Duration // to take at most, but each setting that is begun is measured
	Seed      uint64        // of the places of samples and reads
	Workers   int
	// Exact, if not nil, is the source before its items were rounded; the best settings are
	// measured with it too
	Exact ndarray.Source
	// Also is a setting to measure with the best ones, such as the present one; may be nil.
	Also *Setting
	// Only, if not nil, is the settings to measure, on the whole sample.
	Only []Setting
	// Exhaustive tries all combinations on the whole sample, however long it takes.
	Exhaustive bool
	Progress   func(done, total int) // after measurements; total is an estimate; may be nil
}

// A Setting is a way to store an array.
type Setting struct {
	Codec          codecs.Codec
	Level          int
	Filters        []shuffle.Spec
	Chunks, Blocks ndarray.Shape
}

// Own reports whether only cairn reads what is stored so.
func (s *Setting) Own() bool { return s.Codec.ID() == codecs.Numeric.ID() }

// A Trial is a setting with what was measured.
type Trial struct {
	Setting
	Bytes     int64         // of items
	Stored    int64         // after compression
	Exact     int64         // the same before the items were rounded; 0 if that was not measured
	Writing   time.Duration // all items
	Reading   time.Duration // ReadBytes
	ReadBytes int64         // wanted by the reads that were timed
	touched   float64       // decoded bytes per byte wanted
	cost      float64       // the logarithm of what the goal minimizes
}

// Ratio returns the bytes of items per byte stored.
func (t *Trial) Ratio() float64 { return float64(t.Bytes) / float64(max(1, t.Stored)) }

// ExactRatio is Ratio before the items were rounded, or 0.
func (t *Trial) ExactRatio() float64 {
	if t.Exact == 0 {
		return 0
	}
	return float64(t.Bytes) / float64(t.Exact)
}

// WriteRate returns bytes of items per second, from memory.
func (t *Trial) WriteRate() float64 { return float64(t.Bytes) / t.Writing.Seconds() }

// ReadRate returns bytes of items per second, into memory.
func (t *Trial) ReadRate() float64 { return float64(t.ReadBytes) / t.Reading.Seconds() }

// Behind returns by which share a trial misses the goal that another reaches: 0.1 is ten percent
// more bytes, or time.
func (t *Trial) Behind(best *Trial) float64 { return math.Exp(t.cost-best.cost) - 1 }

// An Advice is trials of the settings that were measured on the whole sample, the best one first.
type Advice struct {
	Trials  []Trial // that everybody reads
	Own     []Trial // that only cairn reads
	Sampled int64   // bytes of items in the sample
	Places  int     // where they are from
	Tried   int     // settings, on whatever part of the sample
	Access  ndarray.Shape
}

// Run finds out how to store a source.
func Run(ctx context.Context, src ndarray.Source, o *Options) (*Advice, error) {
	if n := src.DType().Size(); n == 0 {
		return nil, fmt.Errorf("items of %s have no bytes: %w", src.DType(), cairn.ErrUnsupported)
	}
	if slices.Contains(src.Shape(), 0) {
		return nil, fmt.Errorf("the array has no items: %w", cairn.ErrBounds)
	}

	r := &run{Options: *o, src: src, begin: time.Now()}
	if err := r.plan(); err != nil {
		return nil, err
	}
	if err := r.takeSample(ctx); err != nil {
		return nil, err
	}
	defer r.sample.close()

	trials, err := r.search(ctx)
	if err != nil {
		return nil, err
	}
	a := &Advice{Sampled: r.sample.bytes, Places: len(r.sample.regions), Tried: r.tried, Access: r.Access}
	for _, t := range trials {
		if t.Own() {
			a.Own = append(a.Own, t)
		} else {
			a.Trials = append(a.Trials, t)
		}
	}
	return a, r.compare(ctx, a)
}

// compare measures the best settings with the items before they were rounded.
func (r *run) compare(ctx context.Context, a *Advice) error {
	if r.Exact == nil {
		return nil
	}

	// The same places, as the seed is the same.
	r.sample.close()
	r.sample = sample{}
	r.src = r.Exact
	r.Exact = nil
	if err := r.takeSample(ctx); err != nil {
		return err
	}

	for _, trials := range [][]Trial{a.Trials, a.Own} {
		if len(trials) == 0 {
			continue
		}
		exact, err := r.round(ctx, []Trial{{Setting: trials[0].Setting}}, wholeSample, 1, 1)
		if err != nil {
			return err
		}
		trials[0].Exact = exact[0].Stored
	}
	return nil
}

// A run is a search in progress.
type run struct {
	Options
	src      ndarray.Source
	begin    time.Time
	deadline time.Time // of the round
	shapes   []grid
	sample   sample
	done     int
	total    int
	tried    int
}

// search returns the trials of the last round.
func (r *run) search(ctx context.Context) ([]Trial, error) {
	encodings := r.encodings()
	if r.Exhaustive || r.Only != nil {
		all := r.Only
		if all == nil {
			all = cross(encodings, r.shapes)
		}
		r.tried = len(all)
		r.total = len(all)
		if r.Exhaustive {
			return r.round(ctx, trialsOf(all), wholeSample, 1, 3)
		}
		return r.round(ctx, trialsOf(all), wholeSample, r.passes(4), 2)
	}

	var err error
	// Encodings first, with the shape that suits the access.
	r.tried = len(encodings)
	r.total = 2 * len(encodings)
	left := trialsOf(cross(encodings, r.shapes[:1]))
	for _, stage := range []struct {
		bytes int64   // at most
		share int64   // of the sample
		keep  int     // of those measured
		until float64 // which part of the time
	}{{256 << 10, 32, len(left) / 3, 0.4}, {1 << 20, 8, 10, 0.55}, {4 << 20, 2, 3, 0.7}} {
		r.deadline = r.begin.Add(time.Duration(stage.until * float64(r.Time)))
		bytes := min(stage.bytes, r.sample.bytes/stage.share)
		if left, err = r.round(ctx, left, bytes, r.passes(2), r.passes(2)); err != nil {
			return nil, err
		}
		left, _ = leading(left, max(3, stage.keep))
	}

	// Then shapes, with the best few encodings.
	var settings []Setting
	for _, t := range left {
		settings = append(settings, t.Setting)
	}
	all := cross(settings, r.shapes)
	if r.Also != nil {
		all = slices.Insert(all, 1, *r.Also)
	}

	r.deadline = r.begin.Add(r.Time)
	r.tried += len(all) - len(settings)
	r.total = r.done + len(all)
	if left, err = r.round(ctx, trialsOf(all), wholeSample, r.passes(2), 1); err != nil {
		return nil, err
	}
	if r.Goal == Size { // which is the same each time
		return left, nil
	}

	// The best few again, because chance favours one of many.
	few, others := leading(left, 5)
	again, err := r.round(ctx, few, wholeSample, 3, 2)
	return append(again, others...), err
}

// leading returns the first trials that everybody reads, a number of them, with the first two that
// only cairn reads, and all others.
func leading(trials []Trial, n int) (first, others []Trial) {
	left := [2]int{n, 2}
	for _, t := range trials {
		of := 0
		if t.Own() {
			of = 1
		}
		if left[of]--; left[of] < 0 {
			others = append(others, t)
		} else {
			first = append(first, t)
		}
	}
	return first, others
}

// passes returns how often to measure a setting: once if times hardly matter.
func (r *run) passes(timed int) int {
	if r.Goal == Size && !r.Exhaustive && r.Only == nil {
		return 1
	}
	return timed
}

// cross returns all settings with all shapes.
func cross(settings []Setting, shapes []grid) []Setting {
	var all []Setting
	for _, g := range shapes {
		for _, s := range settings {
			s.Chunks = g.chunks
			s.Blocks = g.blocks
			all = append(all, s)
		}
	}
	return all
}

func trialsOf(settings []Setting) []Trial {
	trials := make([]Trial, len(settings))
	for i, s := range settings {
		trials[i].Setting = s
	}
	return trials
}

// wholeSample is more bytes than any sample has.
const wholeSample = math.MaxInt64

// round measures settings on a part of the sample, and returns them in order, the best first. If
// there is no time for all, it leaves out others than the first that everybody reads and the first
// that only cairn reads. It goes over all settings in several passes, because what other programs
// do disturbs the repeats of one measurement alike.
func (r *run) round(ctx context.Context, trials []Trial, bytes int64, passes, repeats int) ([]Trial, error) {
	// Take about so many bytes of the sample, in whole blocks of a shape, or in a part of
	// one where a block has more.
	blocks := trials[0].Blocks
	var parts []part
	for _, u := range r.sample.regions {
		shape := u.Shape()
		edge := shape
		if each := bytes / int64(len(r.sample.regions)); each < bytesOf(shape, r.sample.item) {
			edge = slab.Chunked(shape, blocks, r.sample.item, each)
			shrink(edge, r.sample.item, 3*each/2)
		}

		raw := make([]byte, bytesOf(edge, r.sample.item))
		if err := u.ReadBytes(ctx, raw, make([]int64, len(edge)), edge); err != nil {
			return nil, err
		}
		parts = append(parts, part{edge, raw})
	}

	measured := make([]Trial, 0, len(trials))
	begun := map[bool]bool{}
	for _, t := range trials {
		first := !begun[t.Own()]
		begun[t.Own()] = true
		if !first && !r.Exhaustive && r.Only == nil && time.Now().After(r.deadline) {
			if t.Bytes > 0 && bytes == wholeSample { // it has been measured before
				measured = append(measured, t)
			}
			continue
		}
		if err := r.measure(ctx, &t, parts, repeats); err != nil {
			return nil, err
		}
		measured = append(measured, t)
		if r.done++; r.Progress != nil {
			r.Progress(r.done, max(r.total, r.done))
		}
	}

	for range passes - 1 {
		for i := range measured {
			if r.Only == nil && time.Now().After(r.deadline) {
				break
			}
			again := measured[i]
			if err := r.measure(ctx, &again, parts, repeats); err != nil {
				return nil, err
			}
			measured[i].take(&again)
			r.judge(&measured[i])
		}
	}

	slices.SortStableFunc(measured, func(a, b Trial) int { return cmp.Compare(a.cost, b.cost) })
	return measured, nil
}

// take keeps the shorter of the times of two measurements of a setting.
func (t *Trial) take(again *Trial) {
	t.Writing = min(t.Writing, again.Writing)
	if again.ReadRate() > t.ReadRate() {
		t.Reading = again.Reading
		t.ReadBytes = again.ReadBytes
	}
}

// judge sets the cost of a trial.
func (r *run) judge(t *Trial) {
	items := float64(t.Bytes)
	size := math.Log(float64(t.Stored) / items)
	write := math.Log((t.Writing.Seconds() + float64(t.Stored)/storage) / items)
	fetched := float64(t.ReadBytes) * t.touched * float64(t.Stored) / items
	read := math.Log((t.Reading.Seconds() + fetched/storage) / float64(t.ReadBytes))

	switch r.Goal {
	case Size:
		t.cost = size + 0.005*(write+read) // of nearly equal ones the faster
	case Write:
		t.cost = write
	case Read:
		t.cost = read
	default:
		t.cost = size + (write+read)/2
	}
}
