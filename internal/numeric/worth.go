package numeric

import (
	"encoding/binary"

	"github.com/cairn-go/cairn/internal/asm/bins"
	"github.com/cairn-go/cairn/internal/pcodec"
)

// A Stage is how much is known of what a stream takes.
type Stage uint8

// What the size is by: a sample, the lengths of all numbers, also how often some occur, or what was
// packed.
const (
	Sampled Stage = iota
	Measured
	Refined
	Exact
)

// A Verdict is what to do with a stream that takes about so much.
type Verdict uint8

// The stream is left out, asked for again when more is known, or made.
const (
	Leave Verdict = iota
	Ask
	Take
)

// A judge says what to do with a stream that takes about so many bytes.
type judge = func(size int, stage Stage) Verdict

// take reports whether latents are taken that have so many bits by their lengths, behind a front,
// and returns them if they are packed.
func (c *encoder[L]) take(e *Encoder, front int, size float64, worth judge) ([]byte, bool) {
	verdict := Take
	if worth != nil {
		verdict = worth(front+int(size/8), Measured)
	}
	if verdict == Leave || size == 0 {
		return nil, verdict != Leave
	}

	if e.Pack != nil {
		frame := c.frame(e, size)
		if len(frame) > 0 && (verdict == Take || worth(front+len(frame), Exact) != Leave) {
			return frame, true
		}
	}
	if verdict == Ask {
		verdict = worth(front+int(c.refined(size, e.log)/8), Refined)
	}
	return nil, verdict != Leave
}

// refined is refine, once.
func (c *encoder[L]) refined(size float64, log int) float64 {
	if c.bits == 0 {
		c.bits = c.refine(size, log)
	}
	return c.bits
}

const (
	refineParts = 8 // of latents
	refineShare = 4 // of which this part is looked at
)

// refine returns the bits of latents with so many by their lengths, by how a part of them is coded:
// there some may occur more often than others of their length.
func (c *encoder[L]) refine(size float64, log int) float64 {
	n := len(c.whole)
	each := n / refineParts / refineShare &^ (bins.Part - 1)
	if each < 4*bins.Part {
		return size
	}

	var counts [65]uint32
	byLength := 0.0
	c.other = c.other[:0]
	for i := range refineParts {
		at := (n/refineParts*i + (n/refineParts-each)/2) &^ (bins.Part - 1)
		c.other = append(c.other, c.whole[at:at+each]...)
		for _, part := range c.sorter.lengths[at/bins.Part:][:each/bins.Part] {
			for _, length := range part {
				counts[length&63]++
				byLength += float64(length)
			}
		}
	}
	byLength += float64(pcodec.Entropy(counts[:])) / pcodec.Bit
	return size * c.latents.Size(c.other, log) / max(1, byLength)
}

// Repeats returns how many items of a block of 4 or 8 bytes each equal one before them, in per
// cent, by one in eight values. It returns 0 if they surely are less than the least, which the
// first items show.
func (e *Encoder) Repeats(src []byte, least int) int {
	clear(e.values[:])
	front := len(src) / repeatsPart / e.size * e.size
	again, seen := e.repeats(src[:front])

	// All others may be repeated.
	if (100-least)*repeatsPart*seen < 100*(seen-again) {
		return 0
	}
	more, rest := e.repeats(src[front:])
	return (again + more) * 100 / max(1, seen+rest)
}

// repeatsPart is the part of a block that may show that too few items repeat others.
const repeatsPart = 8

// repeats returns how many items of those that it looks at equal one before them, and how many
// there are.
func (e *Encoder) repeats(src []byte) (again, seen int) {
	look := func(v uint64) {
		h := v * 0x9e37_79b9_7f4a_7c15
		if h>>61 != 0 {
			return
		}
		slot := &e.values[h>>(61-valuesLog)]
		if *slot == h|1 {
			again++
		}
		*slot = h | 1
		seen++
	}

	if e.size == 4 {
		for ; len(src) >= 4; src = src[4:] {
			look(uint64(binary.LittleEndian.Uint32(src)))
		}
	} else {
		for ; len(src) >= 8; src = src[8:] {
			look(binary.LittleEndian.Uint64(src))
		}
	}
	return again, seen
}

// valuesLog is the logarithm of the values that Repeats remembers.
const valuesLog = 12
