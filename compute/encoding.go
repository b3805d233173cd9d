package compute

import (
	"bytes"
	"encoding/binary"
	"reflect"

	"github.com/cairn-go/cairn"
)

// This file encodes accumulators, as docs/format/job.md describes. Each field of all cells is a
// list of numbers.

func appendNumbers[E any](b []byte, numbers []E) []byte {
	b, err := binary.Append(b, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // E has no fixed size
	}
	return b
}

// takeNumbers sets numbers to the first ones of b, and returns what follows.
func takeNumbers[E any](b []byte, numbers []E) []byte {
	n, err := binary.Decode(b, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // b is too short
	}
	return b[n:]
}

func (c *wrappingSums[T]) width() int             { return 8 }
func (c *wrappingSums[T]) encode(b []byte) []byte { return appendNumbers(b, c.sum) }
func (c *wrappingSums[T]) decode(b []byte) error  { takeNumbers(b, c.sum); return nil }
func (c *counts[T]) width() int                   { return 8 }
func (c *counts[T]) encode(b []byte) []byte       { return appendNumbers(b, c.n) }
func (c *counts[T]) decode(b []byte) error        { takeNumbers(b, c.n); return nil }
func (c *products[T, R]) width() int              { return 8 }
func (c *products[T, R]) encode(b []byte) []byte  { return appendNumbers(b, c.product) }
func (c *products[T, R]) decode(b []byte) error   { takeNumbers(b, c.product); return nil }

func (c *floatSums[T]) width() int {
	if c.counted {
		return 24
	}
	return 16
}

func (c *floatSums[T]) encode(b []byte) []byte {
	b = appendNumbers(appendNumbers(b, c.high), c.low)
	if c.counted {
		b = appendNumbers(b, c.n)
	}
	return b
}

func (c *floatSums[T]) decode(b []byte) error {
	b = takeNumbers(takeNumbers(b, c.high), c.low)
	if c.counted {
		takeNumbers(b, c.n)
	}
	return nil
}

func (c *complexSums[T]) width() int { return c.re.width() + c.im.width() }

func (c *complexSums[T]) encode(b []byte) []byte { return c.im.encode(c.re.encode(b)) }

func (c *complexSums[T]) decode(b []byte) error {
	if err := c.re.decode(b); err != nil {
		return err
	}
	return c.im.decode(b[len(b)/2:])
}

func (c *moments[T]) width() int { return 32 }

func (c *moments[T]) encode(b []byte) []byte {
	numbers := make([]int64, len(c.cell))
	means := make([]float64, len(c.cell))
	squares := make([]float64, len(c.cell))

	for i, m := range c.cell {
		numbers[i] = m.N
		means[i] = m.Mean
		squares[i] = m.M2
	}

	b = appendNumbers(appendNumbers(appendNumbers(b, numbers), means), squares)
	return appendNumbers(b, c.nan)
}

func (c *moments[T]) decode(b []byte) error {
	numbers := make([]int64, len(c.cell))
	means := make([]float64, len(c.cell))
	squares := make([]float64, len(c.cell))

	takeNumbers(takeNumbers(takeNumbers(takeNumbers(b, numbers), means), squares), c.nan)
	for i := range c.cell {
		if numbers[i] < 0 || c.nan[i] < 0 {
			return cairn.Corruptf("accumulators", -1, "%d items and %d NaN", numbers[i], c.nan[i])
		}
		c.cell[i] = Moments{numbers[i], means[i], squares[i]}
	}
	return nil
}

func (c *extremes[T]) width() int {
	n := int(reflect.TypeFor[T]().Size()) + 1
	if c.numbered {
		n += 8
	}
	return n
}

func (c *extremes[T]) encode(b []byte) []byte {
	b = appendNumbers(appendNumbers(b, c.best), c.seen)
	if c.numbered {
		b = appendNumbers(b, c.number)
	}
	return b
}

func (c *extremes[T]) decode(b []byte) error {
	b = takeNumbers(takeNumbers(b, c.best), c.seen)
	if c.numbered {
		takeNumbers(b, c.number)
	}

	if i := bytes.IndexFunc(c.seen, func(r rune) bool { return r > rune(seenNaN) }); i >= 0 {
		return cairn.Corruptf("accumulators", -1, "state %d of an extreme", c.seen[i])
	}
	return nil
}
