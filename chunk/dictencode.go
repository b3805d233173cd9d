package chunk

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/slab"
)

// Bounds for the training of dictionaries.
const (
	minDictSize = 256 // smaller dictionaries are not worthwhile
	// minimum ratio of chunk size to dictionary size, as in C-Blosc2
	dictShare     = 20
	minDictSample = 8 // minimum number of streams to train on

	samplesPerDict = 8 // bytes to train on per byte of dictionary
	// bytes used of a stream: later bytes find most matches in the stream itself
	longestSample = 8 << 10
	dictStep      = 4        // ratio of the sizes of successive trials
	trialBytes    = 64 << 10 // bytes of samples to test a dictionary on
)

// samples are beginnings of filtered streams, concatenated.
type samples struct {
	data    []byte
	sizes   []int
	streams int // approximate number of streams in the chunk that these represent
}

// A trainer holds the samples, and the dictionary of the current chunk.
type trainer struct {
	from      samples  // to train on
	on        samples  // to test on
	dict      []byte   // or nil
	candidate []byte   // buffer for the dictionary being tested
	best      []byte   // buffer of dict
	output    []byte   // output of test encodings
	tested    *samples // from or on
}

// buildDict trains a dictionary for the chunk and passes it to the first worker. The result is nil
// if no dictionary is wanted, or if it would not save more than its own size.
func (e *Encoder) buildDict(p plan, src BlockSource) ([]byte, error) {
	t := &e.training
	t.dict = nil

	size := min(maxDictSize, p.layout.NBytes/dictShare)
	w := e.workers[0]
	if !e.opts.Dict || w.row == nil || size < minDictSize {
		return nil, nil
	}
	enc, ok := w.codec.(codecs.DictEncoder)
	if !ok {
		return nil, fmt.Errorf("codec %s takes no dictionary: %w", w.row.Name, cairn.ErrUnsupported)
	}
	if err := e.sample(p, src, size*samplesPerDict); err != nil || len(t.from.sizes) < minDictSample {
		return nil, err
	}
	plain, err := t.estimate(enc)
	if err != nil {
		return nil, err
	}

	// A larger dictionary is not always worth its bytes, so several sizes are tried.
	bestGain := 0
	w.dict = enc // so that release clears the current dictionary in any case
	for ; size >= minDictSize; size /= dictStep {
		t.candidate = enc.BuildDict(t.candidate[:0], t.from.data, t.from.sizes, size)
		if len(t.candidate) == 0 {
			break
		}
		if err := enc.SetDict(t.candidate); err != nil {
			return nil, err
		}
		withDict, err := t.estimate(enc)
		if err != nil {
			return nil, err
		}
		if gain := plain - withDict - len(t.candidate) - 4; gain > bestGain {
			bestGain = gain
			t.best, t.candidate = t.candidate, t.best
			t.dict = t.best
		}
	}

	if t.dict == nil {
		return nil, enc.SetDict(nil)
	}
	return t.dict, w.setDict(t.dict)
}

// estimate returns the estimated encoded size of the chunk's streams.
func (t *trainer) estimate(enc codecs.Encoder) (int, error) {
	s := t.tested
	step := max(1, len(s.data)/trialBytes)
	var at, count, total int
	for i, size := range s.sizes {
		if i%step == step/2 {
			t.output = slab.Resize(t.output, size)
			n, err := enc.Encode(t.output[:size-1], s.data[at:at+size])
			if err != nil {
				return 0, err
			}
			if n == 0 {
				n = size
			}
			total += n
			count++
		}
		at += size
	}

	return int(int64(total) * int64(s.streams) / int64(max(count, 1))), nil
}

// sample collects about most bytes of the chunk's blocks, evenly spaced, to train on. If blocks are
// left, those halfway between them are used for testing: a dictionary contains parts of the streams
// it was trained on, so these would not show its effect on the others.
func (e *Encoder) sample(p plan, src BlockSource, most int) error {
	t := &e.training
	n := p.layout.NumBlocks
	rows := 1
	if p.split {
		rows = p.typeSize
	}

	each := rows * min(p.layout.NBytes/n/rows+1, longestSample)
	step := max(1, n*each/most)
	if err := e.gather(&t.from, p, src, 0, step); err != nil {
		return err
	}
	t.tested = &t.from
	if step == 1 {
		return nil
	}
	t.tested = &t.on
	return e.gather(&t.on, p, src, step/2, step*max(1, most/trialBytes))
}

// gather collects the streams of every step-th block from first on. Runs are left out, since they
// are encoded without the codec.
func (e *Encoder) gather(s *samples, p plan, src BlockSource, first, step int) error {
	w := e.workers[0]
	s.data = s.data[:0]
	s.sizes = s.sizes[:0]
	sampled := 0
	for i := first; i < p.layout.NumBlocks; i += step {
		block := e.block(w, p, src, i)
		filtered, rows, pitch, err := w.filter(block, p, e.blockRef(i))
		if err != nil {
			return err
		}

		size := len(block) / rows
		for r := range rows {
			if row := filtered[r*pitch : r*pitch+size]; !repeats(row, 1) {
				row = row[:min(size, longestSample)]
				s.data = append(s.data, row...)
				s.sizes = append(s.sizes, len(row))
			}
		}
		sampled++
	}
	s.streams = len(s.sizes) * p.layout.NumBlocks / max(sampled, 1)
	return nil
}

// setDict makes the worker's codec use a dictionary, if there is one.
func (w *blockEncoder) setDict(dict []byte) error {
	if dict == nil {
		return nil
	}
	enc, ok := w.codec.(codecs.DictEncoder)
	if !ok {
		return fmt.Errorf("codec %s takes no dictionary: %w", w.row.Name, cairn.ErrUnsupported)
	}
	w.dict = enc
	return enc.SetDict(dict)
}
