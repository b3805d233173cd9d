package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// maxEvery is the size of the largest files to damage. All kinds have smaller ones.
const maxEvery = 20 << 10

// perByte is how often a file is damaged for each of its bytes: it is cut there, the byte is
// inverted, and one of its bits is flipped.
const perByte = 3

// ward is a file, single or in a directory, that is damaged at every offset.
type ward struct {
	seed  *seedFile
	name  string
	first int // its first case
}

// plan returns the function that runs a case, and the number of cases.
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

		// several files begin with this case, but only the last is not empty
		for len(wards[i].seed.files[wards[i].name]) == 0 {
			i++
		}
		l.tryPlace(k, &wards[i], at-wards[i].first)
	}, (total + stride - 1) / stride
}

// tryPlace damages a file at one offset.
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
