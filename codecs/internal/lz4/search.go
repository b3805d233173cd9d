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

	many  lz.Search // finds what is not noise
	least lz.Search // by four bytes, where hardly anything else matches
}

const (
	shortBelow = 24 << 10 // shorter sources use short
	trySize    = 4 << 10  // bytes by which two searches are compared first; twice as many later
)

// searchesFor returns the searches of an acceleration from 1 to 9.
func searchesFor(acceleration int) searches {
	least := searchBy(4, 64*max(acceleration-1, 1), 2)
	switch {
	case acceleration <= 2:
		return searches{short: searchBy(4, 64, 2), far: searchBy(6, 64, acceleration),
			long: searchBy(7, 96, 2), few: searchBy(5, 64, 1), many: searchBy(6, 64, 2), least: least}
	case acceleration <= 4:
		return searches{short: searchBy(5, max(64, 24*(acceleration-1)), 4), far: searchBy(acceleration+3, 96, 2),
			long: searchBy(8, 128, 2), few: searchBy(5, 128, 3), many: searchBy(5, 112, 3), least: least}
	case acceleration <= 6:
		return searches{short: searchBy(5, 24*(acceleration-1), 4), far: searchBy(7, 112, 2),
			long: searchBy(8, 192, 3), few: searchBy(6, 96, 3), many: searchBy(5, 144, 4), least: least}
	}
	return searches{short: searchBy(5, 24*(acceleration-1), 4), far: searchBy(7, 128, 3),
		long: searchBy(8, 192, 4), few: searchBy(6, 160, 4), many: searchBy(6, 128, 4), least: least}
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
// search for the rest, and its table. If that is another search, the output is that of the other.
func (e *Encoder) choose(c *lz.Cursor, dst, src []byte) (*lz.Search, *table) {
	long := &e.searches.long
	from := lz.Cursor{Pos: 1}
	e.encode(c, &e.tables[0], e.spares[0][:], src, from.Pos+trySize, long)
	s, positions := e.compare(&from, c, e.spares[0][:], src, from.Pos+trySize, long)
	if c.Out > len(dst) {
		c.Out = -1
		return long, positions
	}
	copy(dst, e.spares[0][:max(c.Out, 0)])

	// The first bytes may be noise, or too regular to tell.
	middle := len(src) / 2
	switch {
	case s != nil || c.Out < 0:
		return cmp.Or(s, long), positions
	case c.Pos > middle-2*trySize:
		return long, positions
	}
	search := long
	if made, taken := progress(&from, c); made*100 > taken*97 {
		search = &e.searches.many
	}

	e.encode(c, &e.tables[0], dst, src, middle-2*trySize, search)
	if from = *c; from.Out < 0 || from.Pos > middle {
		return search, positions
	}
	c.Step = 1 // there may be other bytes now
	c.Attempt = search.Attempt
	e.encode(c, &e.tables[0], dst, src, middle, search)
	s, positions = e.compare(&from, c, dst, src, middle, search)
	return cmp.Or(s, search), positions
}

// compare encodes what is between two cursors again, up to limit, by other searches and with an
// empty table. If that makes the block clearly smaller, it takes the place of the output, and to
// becomes the cursor behind it. It returns the best search and its table, but no search if there is
// no reason to compare.
func (e *Encoder) compare(from, to *lz.Cursor, dst, src []byte, limit int, search *lz.Search) (*lz.Search, *table) {
	positions := &e.tables[0]
	spare := &e.tables[1]
	made, taken := progress(from, to)
	if to.Out < 0 || taken < sampled {
		return nil, positions
	}

	// Short matches are frequent only among few values. Where long ones have been found, the
	// literals between them count, which are most of the output.
	part := src[from.Pos:to.Pos]
	out := dst[max(from.Out, to.Out-int(max(made, 0))):to.Out] // without earlier literals
	var best *lz.Search
	t := trial{from: from, to: to, dst: dst, src: src, limit: limit}
	switch {
	case made*4 > taken*3 && unequal(part, fewLimit):
		t.gain = -30 // there will be more matches once the table is full
	case made*4 <= taken*3 && len(out) >= sampled && unequal(out, fewLiterals):
		t.gain = 80
	}

	if t.gain != 0 {
		best = search
		if e.try(&t, &e.searches.few, spare) {
			best = &e.searches.few
			positions, spare = spare, positions
		}
	}

	// If hardly anything matches, only matches of four bytes are left. Their number grows with the
	// number of positions in the table, the more slowly the more values there are.
	made, taken = progress(from, to)
	if to.Out < 0 || made*50 <= taken*49 || !unequal(part, leastLimit) {
		return best, positions
	}
	t.warm = trySize
	t.limit = from.Pos + 2*trySize
	t.gain = 5
	if unequal(part, leastSoon) {
		t.gain = 28
	}
	if e.try(&t, &e.searches.least, spare) {
		return &e.searches.least, spare
	}
	return cmp.Or(best, search), positions
}

// A trial describes what another search is to be compared with.
type trial struct {
	from, to *lz.Cursor // between them is what has been encoded
	dst, src []byte
	warm     int // bytes that fill the table and do not count
	limit    int
	gain     int64 // the other search must save more than this, in thousandths
}

// try encodes by another search from t.from to t.limit. If that makes the block smaller, it takes
// the place of the output, and t.to becomes the cursor behind it.
func (e *Encoder) try(t *trial, other *lz.Search, positions *table) bool {
	k := *t.from
	k.Out = 0
	k.Step = 1
	k.Attempt = other.Attempt
	clear(positions[:1<<lz.NearBits])
	out := e.spares[1][:]
	start := k
	if t.warm > 0 {
		e.encode(&k, positions, out, t.src, k.Pos+t.warm, other)
		if k.Out < 0 {
			return false // as below
		}
		start = k
	}
	e.encode(&k, positions, out, t.src, t.limit, other)
	if k.Out < 0 {
		return false // many literals are pending
	}

	made, taken := progress(t.from, t.to)
	size, reached := progress(&start, &k)
	if size*taken*(1000+t.gain) >= made*reached*1000 {
		return false
	}

	out = out[:k.Out]
	k.Out += t.from.Out
	if *t.to = k; k.Out > len(t.dst) {
		t.to.Out = -1
		return true
	}
	copy(t.dst[t.from.Out:], out)
	return true
}
