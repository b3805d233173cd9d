package lz4

import (
	"cmp"

	"github.com/cairn-go/cairn/internal/asm/lz"
)

// A sequence takes about the same time to encode and to decode, whatever the length of its match,
// so speed depends mainly on the number of sequences. An encoder that searches for eight equal
// bytes makes half as many sequences as one that searches for four, if the source has such matches,
// and the block is often smaller too. All constants here are measured (docs/experiments.md).

// searches are the searches that an encoder chooses from.
type searches struct {
	short lz.Search // for short sources
	far   lz.Search // for sources whose positions do not fit into 16 bits

	// For others: long, unless few is found to make the block clearly smaller.
	long, few lz.Search

	many lz.Search // finds what is not noise
}

const (
	shortBelow = 24 << 10 // shorter sources use short
	trySize    = 4 << 10  // bytes by which two searches are compared first; twice as many later
)

// searchesFor returns the searches of an acceleration from 1 to 9.
func searchesFor(acceleration int) searches {
	switch {
	case acceleration <= 2:
		return searches{short: searchBy(4, 64, 2), far: searchBy(6, 64, acceleration),
			long: searchBy(7, 96, 2), few: searchBy(5, 64, 1), many: searchBy(6, 64, 2)}
	case acceleration <= 4:
		return searches{short: searchBy(5, max(64, 24*(acceleration-1)), 4), far: searchBy(acceleration+3, 96, 2),
			long: searchBy(8, 128, 2), few: searchBy(5, 128, 3), many: searchBy(6, 112, 3)}
	case acceleration <= 6:
		return searches{short: searchBy(5, 24*(acceleration-1), 4), far: searchBy(7, 112, 2),
			long: searchBy(8, 192, 3), few: searchBy(6, 96, 3), many: searchBy(6, 144, 4)}
	}
	return searches{short: searchBy(5, 24*(acceleration-1), 4), far: searchBy(7, 128, 3),
		long: searchBy(8, 192, 4), few: searchBy(6, 160, 4), many: searchBy(6, 128, 4)}
}

// searchBy returns a search by a hash of the given number of bytes. The second step after a match
// is attempt/64 bytes, rounded down, and each further step is longer by growth/64 bytes.
func searchBy(bytes, attempt, growth int) lz.Search {
	return lz.Search{Factor: hashFactorLong << (64 - 8*bytes), Attempt: attempt, Growth: growth}
}

// first returns the initial search of a source of n bytes, near if its positions fit into 16 bits.
func (s *searches) first(n int, near bool) *lz.Search {
	switch {
	case n < shortBelow:
		return &s.short
	case near:
		return &s.long
	}
	return &s.far
}

// progress returns the bytes encoded between two cursors, and those of the source.
func progress(from, to *lz.Cursor) (made, taken int64) {
	made = int64(to.Out + (to.Pos - to.Anchor) - (from.Out + (from.Pos - from.Anchor)))
	return made, int64(to.Pos - from.Pos)
}

// choose continues from c by the search long, up to the middle of src at most, and returns the
// search for the rest. If that is few, the output is that of few, and so is the second table.
func (e *Encoder) choose(c *lz.Cursor, dst, src []byte) *lz.Search {
	long := &e.searches.long
	from := lz.Cursor{Pos: 1}
	e.encode(c, &e.tables[0], e.spares[0][:], src, from.Pos+trySize, long)
	s := e.compare(&from, c, e.spares[0][:], src, from.Pos+trySize, long)
	if c.Out > len(dst) {
		c.Out = -1
		return long
	}
	copy(dst, e.spares[0][:max(c.Out, 0)])

	// The first bytes may be noise, or too regular to tell.
	middle := len(src) / 2
	switch {
	case s != nil || c.Out < 0:
		return cmp.Or(s, long)
	case c.Pos > middle-2*trySize:
		return long
	}
	search := long
	if made, taken := progress(&from, c); made*100 > taken*97 {
		search = &e.searches.many
	}

	e.encode(c, &e.tables[0], dst, src, middle-2*trySize, search)
	if from = *c; from.Out < 0 || from.Pos > middle {
		return search
	}
	c.Step = 1 // there may be other bytes now
	c.Attempt = search.Attempt
	e.encode(c, &e.tables[0], dst, src, middle, search)
	return cmp.Or(e.compare(&from, c, dst, src, middle, search), search)
}

// compare encodes what is between two cursors again, up to limit, by the search few and with an
// empty table. If that makes the block clearly smaller, it takes the place of the output, and to
// becomes the cursor behind it. It returns the better of few and search, or nil if there is no
// reason to compare.
func (e *Encoder) compare(from, to *lz.Cursor, dst, src []byte, limit int, search *lz.Search) *lz.Search {
	if to.Out < 0 {
		return nil
	}

	// Short matches are frequent only among few values. Where long ones have been found, the
	// literals between them count, which are most of the output.
	made, taken := progress(from, to)
	out := dst[max(from.Out, to.Out-int(max(made, 0))):to.Out] // without earlier literals
	margin := int64(115)
	switch {
	case taken < sampled:
		return nil
	case made*4 > taken*3 && unequal(src[from.Pos:to.Pos], fewLimit):
		margin = 97 // there will be more matches once the table is full
	case len(out) < sampled || !unequal(out, fewLiterals):
		return nil
	}

	few := &e.searches.few
	k := *from
	k.Out = 0
	k.Step = 1
	k.Attempt = few.Attempt
	clear(e.tables[1][:1<<lz.NearBits])
	e.encode(&k, &e.tables[1], e.spares[1][:], src, limit, few)
	if k.Out < 0 {
		return nil // many literals are pending
	}

	size, reached := progress(from, &k)
	size += int64(from.Out)
	if size*taken*margin >= made*reached*100 {
		return search
	}

	k.Out += from.Out
	if *to = k; k.Out > len(dst) {
		to.Out = -1
		return few
	}
	copy(dst[from.Out:], e.spares[1][:k.Out-from.Out])
	return few
}
