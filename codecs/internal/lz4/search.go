package lz4

import "github.com/cairn-go/cairn/internal/asm/lz4block"

// A sequence costs the encoder and the decoder about the same time, however long its match is, so
// that what matters most for speed is how few of them there are: an encoder that looks for eight
// equal bytes makes half as many as one that looks for four, where the source has them, and the
// block is smaller too. Where it has not, the search is for fewer bytes. All constants here are
// measured (docs/performance.md); the size of every kind of data was kept within 2 % of what liblz4
// makes at the same acceleration.

// searches are the ways in which an encoder looks for matches.
type searches struct {
	short lz4block.Search // in sources that are too short to tell
	long  lz4block.Search // while that compresses well

	// Where it does not: many are for bytes of many values, whose matches are short and rare, few
	// for bytes of few values, which have them everywhere, fewNear for the latter in sources of
	// about 64 KiB.
	many, few, fewNear lz4block.Search

	again bool // look for long matches again where bytes of few values follow others
}

const (
	shortBelow = 24 << 10 // a source is short
	nearFrom   = 48 << 10 // and from here on long enough for fewNear

	segment = 32 << 10 // source bytes between two choices of a search; the first is at probeAfter

	// What a segment has to be encoded to, in percent, for the search for long matches to go on,
	// and to be returned to.
	goOn, goBack = 95, 50
)

// searchesFor returns the searches of an acceleration from 1 to 9.
func searchesFor(acceleration int) searches {
	switch {
	case acceleration <= 2:
		return searches{short: searchBy(4, 64, 2), long: searchBy(7, 96, 2),
			many: searchBy(6, 64, 2), few: searchBy(5, 128, 2), fewNear: searchBy(6, 128, 2)}
	case acceleration == 3:
		return searches{short: searchBy(5, 64, 4), long: searchBy(7, 128, 3),
			many: searchBy(6, 112, 3), few: searchBy(5, 192, 3), fewNear: searchBy(6, 128, 3)}
	case acceleration == 4:
		return searches{short: searchBy(5, 72, 4), long: searchBy(8, 176, 3),
			many: searchBy(6, 144, 3), few: searchBy(6, 176, 3), fewNear: searchBy(7, 64, 3)}
	case acceleration <= 6:
		return searches{short: searchBy(5, 24*(acceleration-1), 4), long: searchBy(8, 192, 4),
			many: searchBy(6, 144, 4), few: searchBy(6, 176, 4), fewNear: searchBy(7, 64, 3), again: true}
	}
	return searches{short: searchBy(5, 24*(acceleration-1), 4), long: searchBy(8, 160, 4),
		many: searchBy(6, 128, 4), few: searchBy(6, 192, 4), fewNear: searchBy(6, 160, 3), again: true}
}

// searchBy returns a search by the hash of so many bytes. The second step behind a match is of
// attempt 64ths of a byte, rounded down, and each that follows is longer by growth of them.
func searchBy(bytes, attempt, growth int) lz4block.Search {
	return lz4block.Search{Factor: hashFactorLong << (64 - 8*bytes), Attempt: attempt, Growth: growth}
}

// first returns the search that a source of n bytes begins with.
func (s *searches) first(n int) *lz4block.Search {
	if n < shortBelow {
		return &s.short
	}
	return &s.long
}

// next returns the search to go on with at c, after the given one went there from another cursor.
// Steps go on as they are: what has not matched for long is not looked at more closely for having
// been cut. The first dict bytes of src are a dictionary.
func (s *searches) next(now *lz4block.Search, from, c *lz4block.Cursor, src []byte, dict int) *lz4block.Search {
	if now == &s.short {
		return now
	}
	percent := goBack
	if now == &s.long {
		percent = goOn
	}
	taken := c.Pos - from.Pos
	made := c.Out - from.Out + (c.Pos - c.Anchor) - (from.Pos - from.Anchor)
	ahead := src[c.Pos:min(len(src), c.Pos+segment)]
	switch {
	case 100*made <= percent*taken:
		return &s.long
	case !fewValues(ahead):
		return &s.many
	case s.again && now == &s.many:
		return &s.long
	case len(src)-dict >= nearFrom && len(src) < nearLimit+dict:
		return &s.fewNear
	}
	return &s.few
}
