package zstdfind

// Sizes of the tables of a [Double], as powers of two.
const (
	LongLog  = 16
	ShortLog = 15
)

// A Double is a search with two tables: one for matches of at least eight bytes, the other for
// shorter ones. Its fields are those of a [State], and settings.
type Double struct {
	Src   []byte
	Long  [1 << LongLog]uint32
	Short [1 << ShortLog]uint32
	Base  uint32
	// by how much hashes are shifted: 64 less the logarithm of the number of entries in use
	LongShift, ShortShift uint32
	Ignore                uint32 // how many of 64 bits do not enter short hashes: at most 32
	Haste                 uint32 // the step grows by one after every 1<<Haste bytes without a match
	Reach                 int    // every second of a match's first Reach bytes is entered
	Lazy                  bool   // whether to check for a better match at the next position

	Out    [outCount]Match
	N      int
	Anchor int
	At     int
	Latest int
	Before int
}

// SetLog sets how many entries of both tables to use, as a power of two; more than the tables have
// means all.
func (s *Double) SetLog(log int) {
	s.LongShift = uint32(64 - min(log, LongLog))
	s.ShortShift = uint32(64 - min(log, ShortLog))
}

// Enter returns the entries of both tables for a position, and sets them to it.
func (s *Double) Enter(src []byte, at int) (long, short int) {
	now := s.Base + uint32(at)
	l, m := s.slots(load64(src, at))
	long = int(*l) - int(s.Base)
	short = int(*m) - int(s.Base)
	*l = now
	*m = now
	return long, short
}

// slots returns the slots of both tables for eight bytes.
func (s *Double) slots(v uint64) (long, short *uint32) {
	l := v * hashMul >> (s.LongShift & 63)
	m := v << (s.Ignore & 63) * hashMul >> (s.ShortShift & 63)
	return &s.Long[l%(1<<LongLog)], &s.Short[m%(1<<ShortLog)]
}

// longest enters a position and returns its match in the first of the tables that has one, or
// length 0.
func (s *Double) longest(src []byte, at int) (length, from int) {
	v := load64(src, at)
	long, short := s.Enter(src, at)
	if long >= 0 && load64(src, long) == v {
		return 8 + equal(src, long+8, at+8), long
	}
	if short >= 0 && load32(src, short) == uint32(v) {
		return 4 + equal(src, short+4, at+4), short
	}
	return 0, 0
}

// findGeneric is the portable [Double.Find]. It replaces the contents of Out with the next matches,
// until Out is full or the data ends.
func (s *Double) findGeneric() {
	src := s.Src
	limit := len(src) - EndRoom
	at := s.At
	anchor := s.Anchor
	s.N = 0

	for at < limit && s.N < len(s.Out) {
		n, from := s.longest(src, at)

		// A match at the latest distance, two bytes on, is cheaper than any other.
		if latest := at + 2 - s.Latest; latest >= 0 && load32(src, latest) == load32(src, at+2) {
			at += 2
			from = latest
			n = 4 + equal(src, from+4, at+4)
		} else if n == 0 {
			at = Next(at, (at-anchor)>>(s.Haste&31), strideLog)
			continue
		} else {
			if s.Lazy && at+1 < limit {
				n2, from2 := s.longest(src, at+1)
				if n2 > n+1 || n2 == n+1 && at+1-from2 <= (at-from)*2 {
					at++
					n = n2
					from = from2
				}
			}

			s.Before = s.Latest
			s.Latest = at - from
		}

		for at > anchor && from > 0 && src[at-1] == src[from-1] {
			at--
			from--
			n++
		}

		s.add(at-anchor, n, at-from)
		for i := at + 2; i < min(at+n, at+s.Reach, limit); i += 2 {
			s.Enter(src, i)
		}

		at += n
		anchor = at

		if at-2 < limit {
			s.Enter(src, at-2)
		}

		for at < limit && at >= s.Before && s.N < len(s.Out) && load32(src, at) == load32(src, at-s.Before) {
			n := 4 + equal(src, at+4-s.Before, at+4)
			s.add(0, n, s.Before)
			s.Latest, s.Before = s.Before, s.Latest
			at += n
			anchor = at
		}
	}

	s.At = at
	s.Anchor = anchor
}

func (s *Double) add(literals, length, distance int) {
	s.Out[s.N] = Match{uint32(literals), uint32(length), uint32(distance)}
	s.N++
}

// Learn enters the positions from to to-1 of Src. Src must have eight bytes from each of them on.
func (s *Double) Learn(from, to int) {
	for at := from; at < to; at++ {
		s.Enter(s.Src, at)
	}
}

// Restore sets the entries of the positions from to to-1 of Src to those of known, which has the
// same settings. If there are as many positions as entries, it copies the tables.
func (s *Double) Restore(known *Double, from, to int) {
	if to-from >= 1<<ShortLog {
		s.Long = known.Long
		s.Short = known.Short
		return
	}

	for at := from; at < to; at++ {
		v := load64(s.Src, at)
		long, short := s.slots(v)
		l, m := known.slots(v)
		*long = *l
		*short = *m
	}
}
