package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// maxEvery keeps files out that are large: all kinds are there without them.
const maxEvery = 20 << 10

// perByte is how often a file is damaged for each of its bytes: it is cut there, the byte is
// inverted, and one bit of it.
const perByte = 3

// ward is a file that is damaged in every place, by itself or as one of a directory.
type ward struct {
	seed  *seedFile
	name  string
	first int // the first case that is about it
}

// plan returns what does one case, and how many cases there are.
func (l *tester) plan(c *config) (one func(k int), n int) {
	if !c.every {
		return l.try, c.n
	}
	var wards []ward
	total := 0
	for _, s := range l.seeds {
		if s.size() > maxEvery {
			continue
		}
		for _, name := range s.order {
			wards = append(wards, ward{s, name, total})
			total += perByte * len(s.files[name])
		}
	}
	stride := max(1, c.stride)
	return func(k int) {
		at := k * stride
		i, found := slices.BinarySearchFunc(wards, at, func(w ward, at int) int { return w.first - at })
		if !found {
			i--
		}
		// several begin there, and only the last one has bytes
		for len(wards[i].seed.files[wards[i].name]) == 0 {
			i++
		}
		l.tryPlace(k, &wards[i], at-wards[i].first)
	}, (total + stride - 1) / stride
}

// tryPlace damages a file in one place.
func (l *tester) tryPlace(k int, w *ward, at int) {
	rng := rand.New(rand.NewPCG(l.seed, uint64(k)))
	p := newMutation(rng, w.seed, w.seed)
	b := bytes.Clone(w.seed.files[w.name])
	place := at / perByte
	switch at % perByte {
	case 0:
		b = b[:place]
		p.done = append(p.done, "cut")
	case 1:
		b[place] ^= 0xff
		p.done = append(p.done, "byte inverted")
	default:
		b[place] ^= 1 << rng.IntN(8)
		p.done = append(p.done, "bit")
	}
	p.where = fmt.Sprintf(" at %d %s", place, w.name)
	p.files[w.name] = b
	l.take(k, p, rng)
}
