package lz4

import "github.com/cairn-go/cairn/internal/asm/lz"

// A sequence takes about the same time to encode and to decode, whatever the length of its match,
// so speed depends mainly on the number of sequences. An encoder that searches for eight equal
// bytes makes half as many sequences as one that searches for four, if the source has such matches,
// and the block is smaller too. Otherwise it searches for fewer bytes. All constants here are
// measured (docs/experiments.md). For every kind of data the size is within 2 % of liblz4's at the
// same acceleration.

// searches are the searches that an encoder switches between.
type searches struct {
	short lz.Search // for short sources
	long  lz.Search // while this one compresses well

	// If it does not: many is for bytes of many values, whose matches are short and rare; few is
	// for bytes of few values, where matches are frequent; fewNear replaces few in sources of about
	// 64 KiB.
	many, few, fewNear lz.Search
}

const (
	shortBelow = 24 << 10 // shorter sources use short
	nearFrom   = 48 << 10 // shorter sources do not use fewNear

	segment = 32 << 10 // source bytes between choices of a search; the first is at probeAfter

	// encoded size of a segment, in percent, up to which long is continued, and returned to
	goOn   = 75
	goBack = 50
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
			many: searchBy(6, 144, 4), few: searchBy(6, 176, 4), fewNear: searchBy(7, 64, 3)}
	}
	return searches{short: searchBy(5, 24*(acceleration-1), 4), long: searchBy(8, 160, 4),
		many: searchBy(6, 128, 4), few: searchBy(6, 176, 4), fewNear: searchBy(6, 160, 3)}
}

// searchBy returns a search by a hash of the given number of bytes. The second step after a match
// is attempt/64 bytes, rounded down, and each further step is longer by growth/64 bytes.
func searchBy(bytes, attempt, growth int) lz.Search {
	return lz.Search{Factor: hashFactorLong << (64 - 8*bytes), Attempt: attempt, Growth: growth}
}

// first returns the initial search of a source of n bytes.
func (s *searches) first(n int) *lz.Search {
	if n < shortBelow {
		return &s.short
	}
	return &s.long
}

// next returns the search to continue with at c, after the search now went there from the cursor
// from. The step does not change: if nothing has matched for long, a new segment is no reason to
// search more closely. The first dict bytes of src are a dictionary.
func (s *searches) next(now *lz.Search, from, c *lz.Cursor, src []byte, dict int) *lz.Search {
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
	case now == &s.many:
		return &s.long // it was no good for other bytes
	case len(src)-dict >= nearFrom && len(src) < nearLimit+dict:
		return &s.fewNear
	}
	return &s.few
}
