package storagetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/cairn-go/cairn/storage"
)

// A Model is a kind of crash.
type Model byte

// The models of crashes.
const (
	Kill      Model = 'A' // the process ends between two calls; everything written is there
	Torn      Model = 'B' // like Kill, but in the middle of a write, of which a prefix is there
	PowerLoss Model = 'C' // of everything not synced, any subset is there
)

// A Fate is the effect of a lost piece that would have extended its file.
type Fate byte

// The fates of lost pieces.
const (
	Gone    Fate = iota // the file is not extended
	Zeroed              // the file is extended with zeros
	Garbled             // the file is extended with arbitrary bytes
)

// A Crash is a way in which a log can end. It determines exactly what is left of a log.
type Crash struct {
	Model Model
	At    int   // number of operations that had started
	From  int   // operations before this one are durable, even if not synced
	Cut   int64 // for Torn: bytes of the last write that arrived

	// For PowerLoss. Writes that were not synced are divided into pieces at multiples of Unit. Any
	// other change is one piece.
	Unit   int64
	Pieces uint64 // if Seed is 0: bit i keeps piece i
	Seed   uint64 // otherwise: seed of a random choice, in which 20 to 80 % survive
	// the surviving pieces of a file are the first ones written: after a lost piece all later ones
	// are lost too
	Ordered bool
	// entries of a directory survive independently of each other, unless they have the same name
	Loose bool
	Sizes bool // truncations survive, as in file systems that journal them
	Lost  Fate
}

// String returns the crash in the form that [ParseCrash] accepts.
func (c Crash) String() string {
	return fmt.Sprintf("%c:%d:%d:%d:%d:%x:%d:%t:%t:%t:%d", c.Model, c.At, c.From, c.Cut, c.Unit, c.Pieces, c.Seed, c.Ordered, c.Loose, c.Sizes, c.Lost)
}

// ParseCrash parses the result of [Crash.String].
func ParseCrash(s string) (c Crash, err error) {
	_, err = fmt.Sscanf(s, "%c:%d:%d:%d:%d:%x:%d:%t:%t:%t:%d", &c.Model, &c.At, &c.From, &c.Cut, &c.Unit, &c.Pieces, &c.Seed, &c.Ordered, &c.Loose, &c.Sizes, &c.Lost)
	return c, err
}

// Image returns the file system that a crash leaves.
func (l *Log) Image(c Crash) storage.FS {
	im := l.image(c)
	return im.memory()
}

func (l *Log) image(c Crash) image {
	if c.Model == PowerLoss {
		return l.powerLoss(c)
	}

	im, first := l.start(c.At, c.At)
	last := c.At - 1
	if c.Model == Torn && first == c.At && last >= 0 {
		// The torn write must not be part of the completed operations.
		im, first = l.start(last, last)
	}

	for i := first; i < c.At; i++ {
		op := l.Ops[i]
		if c.Model == Torn && i == last && op.Kind == OpWrite {
			op.Data = op.Data[:min(c.Cut, int64(len(op.Data)))]
		}
		im.run(op)
	}
	return im
}

// choice decides which pieces survive.
type choice struct {
	c     Crash
	rng   *rand.Rand // nil if Pieces decides
	share float64
	next  uint
	cut   map[int]bool // files that have lost a piece
	fill  byte
}

func (ch *choice) keep() bool {
	if ch.rng != nil {
		return ch.rng.Float64() < ch.share
	}
	i := ch.next
	ch.next++
	return i < 64 && ch.c.Pieces>>i&1 == 1
}

func (ch *choice) keepOf(file int) bool {
	keep := ch.keep() && !(ch.c.Ordered && ch.cut[file])
	if !keep {
		ch.cut[file] = true
	}
	return keep
}

func (l *Log) powerLoss(c Crash) image {
	im, first := l.start(c.At, c.From)

	ch := &choice{c: c, cut: map[int]bool{}, fill: byte(c.Seed*37+c.Pieces) | 1}
	if c.Seed != 0 {
		ch.rng = rand.New(rand.NewPCG(c.Seed, 0xc4a5))
		ch.share = 0.2 + 0.6*ch.rng.Float64()
	}

	lost := entryLoss{loose: c.Loose}

	for i := first; i < c.At; i++ {
		op := l.Ops[i]
		switch {
		case i < c.From || l.settled[i] <= c.At:
			im.run(op)

		case op.Kind == OpWrite:
			eachPiece(op, c.Unit, func(piece Op) {
				if ch.keepOf(op.File) {
					im.change(piece)
				} else if c.Lost != Gone {
					im.grow(piece, c.Lost, ch.fill)
				}
			})

		case op.Kind == OpTruncate:
			if c.Sizes || ch.keepOf(op.File) {
				im.change(op)
			}

		default:
			if lost.follows(op) || !ch.keep() {
				lost.add(op)
			} else {
				im.apply(op)
			}
		}
	}
	return im
}

// eachPiece calls f with the parts of a write between multiples of unit.
func eachPiece(op Op, unit int64, f func(Op)) {
	for data, at := op.Data, op.Offset; len(data) > 0; {
		n := min(unit-at%unit, int64(len(data)))
		f(Op{Kind: OpWrite, File: op.File, Offset: at, Data: data[:n]})
		data, at = data[n:], at+n
	}
}
