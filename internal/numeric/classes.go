package numeric

import (
	"encoding/binary"
	"math"

	"github.com/cairn-go/cairn/internal/asm/bins"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// A sorter sorts segments of latents into classes.
type sorter struct {
	lengths [][bins.Part]uint8 // of latents: their bits
	rest    int                // how many of the last of these there are
	sums    []uint32           // of a segment: the bits of its latents
	classes []uint8
	deltas  []uint8
}

const (
	segmentLog = 5 // the logarithm of the latents of a segment
	mostLog    = 2 // the logarithm of the classes at most

	segmentParts  = 1 << segmentLog / bins.Part
	leastSegments = 32 // for classes
)

// classify sorts the segments of latents into classes by the bits that their latents take, and
// returns how many classes take least room, and the bits that they take.
func classify[L pcodec.Latent](s *sorter, latents []L) (int, float64) {
	n := (len(latents) + 1<<segmentLog - 1) >> segmentLog
	measure(s, latents)
	s.addLengths(n)

	s.classes = append(s.classes[:0], make([]uint8, n)...)
	most := 0
	if n >= leastSegments {
		most = mostLog
		s.divide()
	}
	log, size := s.cheapest(int(widthOf[L]()), most)
	for i, k := range s.classes {
		s.classes[i] = k >> (mostLog - log)
	}
	return 1 << log, size
}

// measure sets the lengths of latents.
func measure[L pcodec.Latent](s *sorter, latents []L) {
	whole := len(latents) / bins.Part
	rest := latents[whole*bins.Part:]
	s.lengths = sized(s.lengths, whole+1)
	bins.Lengths(s.lengths[:whole], latents)

	last := &s.lengths[whole]
	*last = [bins.Part]uint8{}
	for i, l := range rest {
		last[i] = uint8(bins.LengthOf(l))
	}
	s.rest = len(rest)
}

// addLengths adds up the lengths of each of n segments.
func (s *sorter) addLengths(n int) {
	const low = 0x00ff_00ff_00ff_00ff
	s.sums = sized(s.sums, n)
	clear(s.sums)
	for i := range s.lengths[:min(n*segmentParts, len(s.lengths))] {
		a := binary.LittleEndian.Uint64(s.lengths[i][:])
		b := binary.LittleEndian.Uint64(s.lengths[i][8:])
		s.sums[i/segmentParts] += uint32((a&low + a>>8&low + b&low + b>>8&low) * 0x0001_0001_0001_0001 >> 48)
	}
}

// worthClasses is the share of bits that classes must save, as each takes time.
const worthClasses = 0.005

// divide divides the segments into the most classes, of as many segments each.
func (s *sorter) divide() {
	var sums [64<<segmentLog + 1]uint32
	most := uint32(0)
	for _, sum := range s.sums {
		sums[sum]++
		most = max(most, sum)
	}

	var of [len(sums)]uint8
	total := 0
	for sum := range most + 1 {
		segments := int(sums[sum])
		of[sum] = uint8(min(1<<mostLog-1, (total+segments/2)<<mostLog/len(s.sums)))
		total += segments
	}
	s.classes = s.classes[:0]
	for _, sum := range s.sums {
		s.classes = append(s.classes, of[sum])
	}
}

// cheapest returns the logarithm, up to most, of the number of classes that takes least room: the
// lengths of latents, the classes and their bins. It also returns the bits of these and of latents.
func (s *sorter) cheapest(width, most int) (int, float64) {
	counts := s.counts()

	least := math.Inf(1)
	best := 0
	for log := most; log >= 0; log-- {
		classes := 1 << log
		size := float64(0)
		if log > 0 {
			size = s.steps(log) + float64(classes)*binsBits
		}
		for k := range classes {
			size += float64(pcodec.Entropy(counts[k][:width+1])) / pcodec.Bit
		}
		if log == 0 {
			size *= 1 - worthClasses
		}
		if size <= least {
			least = size
			best = log
		}

		for k := range classes / 2 {
			for i := range width + 1 {
				counts[k][i] = counts[2*k][i] + counts[2*k+1][i]
			}
		}
	}
	for length, n := range counts[0] {
		least += float64(length) * float64(n)
	}
	return best, least
}

// counts returns how many latents of each class have each length, by part of each segment.
func (s *sorter) counts() (sums [1 << mostLog][65]uint32) {
	// In two tables, so that equal neighbors do not wait for each other.
	var even, odd [1 << mostLog][128]uint32
	for i, k := range s.classes {
		if i*segmentParts == len(s.lengths)-1 {
			for _, length := range s.lengths[i*segmentParts][:s.rest] {
				even[k][length&127] += segmentParts
			}
			continue
		}

		a := &even[k]
		b := &odd[k]
		lengths := &s.lengths[i*segmentParts]
		for j := 0; j < bins.Part; j += 2 {
			a[lengths[j]&127] += segmentParts
			b[lengths[j+1]&127] += segmentParts
		}
	}
	for k := range sums {
		for length := range sums[k] {
			sums[k][length] = even[k][length] + odd[k][length]
		}
	}
	return sums
}

// steps returns the bits that classes take.
func (s *sorter) steps(log int) float64 {
	var steps [1 << mostLog]uint32
	last := uint8(0)
	for _, k := range s.classes {
		k >>= mostLog - log
		steps[(k-last)&(1<<log-1)]++
		last = k
	}
	return float64(pcodec.Entropy(steps[:1<<log])) / pcodec.Bit
}

// binsBits is how many bits the bins of a class take, about.
const binsBits = 800
