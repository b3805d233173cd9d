package chunk

import (
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
)

// Bounds of what a dictionary is made for, and of.
const (
	minDictSize = 256 // smaller ones do not pay
	// a chunk has so many times the bytes of its dictionary at least, as with C-Blosc2
	dictShare     = 20
	minDictSample = 8 // streams that a dictionary is made of, at least

	samplesPerDict = 8 // bytes that are looked at for each of the dictionary
	// bytes of a stream that are looked at: what follows finds most matches in the stream itself
	longestSample = 8 << 10
	dictStep      = 4        // a dictionary that is tried next is smaller by this factor
	trialBytes    = 64 << 10 // of samples that a dictionary is tried on
)

// Samples are begins of filtered streams, one after the other.
type samples struct {
	data    []byte
	sizes   []int
	streams int // that there are in the chunk, about, for as many
}

// A trainer holds what dictionaries are made of and tried on, and the one of the chunk at hand.
type trainer struct {
	from   samples
	on     samples
	dict   []byte // or nil
	made   []byte // memory of the dictionaries that are tried
	kept   []byte // memory of dict
	room   []byte // for what is encoded on trial
	tested *samples
}

// buildDict makes a dictionary for the chunk and gives it to the first worker. It is nil if none is
// wanted, or if it would take more room than it saves.
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
	plain, err := t.trial(enc)
	if err != nil {
		return nil, err
	}
	best := 0
	w.dict = enc // whatever happens, it forgets the dictionary that it has then
	for ; size >= minDictSize; size /= dictStep {
		t.made = enc.BuildDict(t.made[:0], t.from.data, t.from.sizes, size)
		if len(t.made) == 0 {
			break
		}
		if err := enc.SetDict(t.made); err != nil {
			return nil, err
		}
		taken, err := t.trial(enc)
		if err != nil {
			return nil, err
		}
		if gain := plain - taken - len(t.made) - 4; gain > best {
			best = gain
			t.kept, t.made = t.made, t.kept
			t.dict = t.kept
		}
	}
	if t.dict == nil {
		return nil, enc.SetDict(nil)
	}
	return t.dict, w.setDict(t.dict)
}

// trial returns about how many bytes the chunk's streams take.
func (t *trainer) trial(enc codecs.Encoder) (int, error) {
	s := t.tested
	step := max(1, len(s.data)/trialBytes)
	at, count, total := 0, 0, 0
	for i, size := range s.sizes {
		if i%step == step/2 {
			t.room = grow(t.room, size)
			n, err := enc.Encode(t.room[:size-1], s.data[at:at+size])
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

// sample gathers about so many bytes of the chunk's blocks, evenly spread, to make dictionaries of.
// If that leaves others, those in the middle between them are what dictionaries are tried on: a
// part that was taken from a stream says nothing of what it is worth to most.
func (e *Encoder) sample(p plan, src BlockSource, most int) error {
	t, n := &e.training, p.layout.NumBlocks
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

// gather takes the streams of the blocks from the first on with the given step. Runs do without a
// codec, and so without a dictionary.
func (e *Encoder) gather(s *samples, p plan, src BlockSource, first, step int) error {
	w := e.workers[0]
	s.data, s.sizes = s.data[:0], s.sizes[:0]
	looked := 0
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
				s.data, s.sizes = append(s.data, row...), append(s.sizes, len(row))
			}
		}
		looked++
	}
	s.streams = len(s.sizes) * p.layout.NumBlocks / max(looked, 1)
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
