package storagetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/cairn-go/cairn/storage"
)

// A Model says what kind of crash happens.
type Model byte

// The models of crashes.
const (
	Kill      Model = 'A' // the process ends between two calls; everything it wrote is there
	Torn      Model = 'B' // the same in the middle of a write, of which a first part is there
	PowerLoss Model = 'C' // of what was not synced, any part is there
)

// A Fate is what becomes of the bytes of a piece that is lost where it made its file longer.
type Fate byte

// The fates of lost pieces.
const (
	Gone    Fate = iota // the file is not longer for it
	Zeroed              // the file is longer and holds zeros there
	Garbled             // the file is longer and holds anything there
)

// A Crash is one way in which a log can end. Together with the log it says exactly what is left.
type Crash struct {
	Model Model
	At    int   // operations that had been begun
	From  int   // operations before this one count as durable, synced or not
	Cut   int64 // of Torn: bytes of the last write that arrived

	// Of PowerLoss. Writes that were not synced fall into pieces at multiples of Unit; other
	// changes are a piece each.
	Unit   int64
	Pieces uint64 // with Seed 0: bit i keeps piece i
	Seed   uint64 // else: where the choice comes from; a share of 20 to 80 % survives
	// pieces of a file survive in the order in which they were written: one that is lost takes the
	// later ones along
	Ordered bool
	// entries of one directory are independent of each other, unless they have the same name
	Loose bool
	Sizes bool // truncations survive, as those that a file system has in its journal
	Lost  Fate
}

// String describes the crash in the form that [ParseCrash] reads.
func (c Crash) String() string {
	return fmt.Sprintf("%c:%d:%d:%d:%d:%x:%d:%t:%t:%t:%d", c.Model, c.At, c.From, c.Cut, c.Unit, c.Pieces, c.Seed, c.Ordered, c.Loose, c.Sizes, c.Lost)
}

// ParseCrash reads what [Crash.String] writes.
func ParseCrash(s string) (c Crash, err error) {
	_, err = fmt.Sscanf(s, "%c:%d:%d:%d:%d:%x:%d:%t:%t:%t:%d", &c.Model, &c.At, &c.From, &c.Cut, &c.Unit, &c.Pieces, &c.Seed, &c.Ordered, &c.Loose, &c.Sizes, &c.Lost)
	return c, err
}

// Image returns what a crash leaves of a log.
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
		// The write that is cut must not be among what counts as done.
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
	rng   *rand.Rand // nil if bits decide
	share float64
	next  uint
	cut   map[int]bool // files of which a piece was lost
	fill  byte
}

func newChoice(c Crash) *choice {
	ch := &choice{c: c, cut: map[int]bool{}, fill: byte(c.Seed*37+c.Pieces) | 1}
	if c.Seed != 0 {
		ch.rng = rand.New(rand.NewPCG(c.Seed, 0xc4a5))
		ch.share = 0.2 + 0.6*ch.rng.Float64()
	}
	return ch
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
	ch := newChoice(c)
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

// eachPiece calls f with the parts of a write that lie between multiples of unit.
func eachPiece(op Op, unit int64, f func(Op)) {
	for data, at := op.Data, op.Offset; len(data) > 0; {
		n := min(unit-at%unit, int64(len(data)))
		f(Op{Kind: OpWrite, File: op.File, Offset: at, Data: data[:n]})
		data, at = data[n:], at+n
	}
}

// pending counts the pieces that a crash after at operations may lose, up to most.
func (l *Log) pending(at, from int, unit int64, most int) int {
	n := 0
	for i := from; i < at && n <= most; i++ {
		op := l.Ops[i]
		switch {
		case l.settled[i] <= at:
		case op.Kind == OpWrite && len(op.Data) > 0:
			n += int((op.Offset+int64(len(op.Data))-1)/unit - op.Offset/unit + 1)
		case op.Kind != OpWrite:
			n++
		}
	}
	return n
}
