package zstd

import "github.com/cairn-go/cairn/internal/asm/zstdfind"

// A lazyFinder finds the longest of several matches, and checks for a better one a byte or two
// later.
//
// Positions are stored plus base, which advances with each stream, so that entries of earlier
// streams are recognised and need not be cleared.
type lazyFinder struct {
	// also compare runs at their ends, and choose among repeated distances
	thorough bool
	patience int // positions to check after a match
	margin   int // what a match must gain beyond the least gain, in bits
	rows     zstdfind.Rows
	scan     zstdfind.Scan
	size     uint32
}

func newLazyFinder(attempts, patience int, thorough bool) *lazyFinder {
	return &lazyFinder{patience: patience, thorough: thorough, rows: zstdfind.Rows{Attempts: attempts}}
}

func (f *lazyFinder) begin(src []byte) {
	r := &f.rows
	r.Base += f.size
	if r.Base == 0 || r.Base > maxEpoch || len(src) > maxEpoch {
		clear(r.At[:])
		r.Base = 1
	}

	f.size = uint32(len(src))
	r.Next = 1
	// Use as many slots as positions.
	r.SetLog(min(max(bitLength(len(src)-1)-5, 4), zstdfind.MaxRowLog))
}

// skip adds only the ends of a long stretch before a position, since the interior repeats itself.
func (f *lazyFinder) skip(at int) {
	r := &f.rows
	if at-r.Next > 384 {
		for end := r.Next + 96; r.Next < end; {
			r.Add()
		}
		r.Next = at - 32
	}
}

// longer returns a longer match of src[at:] than the given one, if it is the start of a run and the
// end of the run has one.
func (f *lazyFinder) longer(at, length, distance int) (int, int) {
	if src := f.rows.Src; f.thorough && load32(src, at) == load32(src, at+1) {
		if n, d := f.aligned(src, at); n > length {
			return n, d
		}
	}
	return length, distance
}

const (
	longRun = 24 // longer runs are treated as repetitive

	gainSpan = 8 << 10 // bytes with the same least gain
)

// aligned returns a match for a run of equal bytes at src[at:], found by the end of the run and the
// bytes after it.
func (f *lazyFinder) aligned(src []byte, at int) (length, distance int) {
	last := at + 1 + matchLength(src, at, at+1, min(at+longRun, len(src))) - 3
	if last > min(at+longRun, len(src)-endRoom)-4 {
		return 0, 0
	}

	n, d := f.rows.Peek(last)
	if d == 0 || at < d || matchLength(src, at-d, at, last) < last-at {
		return 0, 0
	}
	return last - at + n, d
}

// A match is a match at a position, with its length and distance.
type match struct{ at, length, distance int }

// gain returns the value of a match in bits: four per byte, minus the cost of its distance.
func (m *match) gain(rep int) int {
	if m.distance == rep {
		return 4 * m.length
	}
	return 4*m.length - int(highBit(uint32(m.distance)+3))
}

// repeated returns the length of the match at a distance, or 0.
func repeated(src []byte, at, distance int) int {
	if distance > at || load32(src, at-distance) != load32(src, at) {
		return 0
	}
	return 4 + matchLength(src, at-distance+4, at+4, len(src))
}

// first returns the first match at the position of a scan, if there is one: at the latest distance,
// one byte later, or the result of the search if that is better.
func (f *lazyFinder) first(src []byte) (m match, ok bool) {
	at := f.scan.At
	rep := f.scan.Latest
	if n := repeated(src, at+1, rep); n > 0 {
		m = match{at + 1, n, rep}
	}

	n, distance := f.longer(at, f.scan.Length, f.scan.Distance)
	if distance > 0 && 4*n-int(highBit(uint32(distance)+3)) > 4*m.length+f.scan.Least {
		m = match{at, n, distance}
	}
	return m, m.length > 0
}

// better replaces m by a match at a position if that is better by more than handicap.
func (f *lazyFinder) better(m *match, rep int, src []byte, at, handicap int) (found bool) {
	if n := repeated(src, at, rep); n > 0 && 4*n > m.gain(rep) {
		*m = match{at, n, rep}
		found = true
	}

	f.skip(at)
	n, distance := f.rows.Longest(at)
	if n, distance := f.longer(at, n, distance); distance > 0 {
		next := match{at, n, distance}
		if next.gain(rep) > m.gain(rep)+handicap {
			*m = next
			found = true
		}
	}
	return found
}

// leastGain returns how many bits a match must gain, if a byte is taken for four bits, as by gain:
// 0 in noise, where literals cost most, and about four more for each bit that a byte has less. Then
// a short match costs more bits than its literals, and more time to decode than they would. A
// sample decides: every fifth word.
func leastGain(src []byte) int {
	var counts [2][256]uint32

	n := 0
	for ; len(src) >= 40; src = src[40:] {
		v := load64(src, 0)
		for range 4 {
			counts[0][byte(v)]++
			counts[1][byte(v>>8)]++
			v >>= 16
		}
		n += 8
	}

	if n == 0 {
		return 0
	}
	for s, c := range counts[1] {
		counts[0][s] += c
	}

	bits, distinct := entropy(counts[0][:])
	bits += distinct * (256 * 72 / 100) // what a sample lacks

	least := 28 - bits/(n<<6)
	if least > 4 { // fewer than six bits
		return min(least+1, 21)
	}
	return max(least, 0)
}

func (f *lazyFinder) find(e *Encoder, src []byte, from, to int) {
	src = src[:to]
	f.rows.Src = src
	anchor := from
	at := max(from, 1)
	rep := int(e.repeat[0])
	other := int(e.repeat[1])
	limit := to - endRoom
	scan := &f.scan
	scan.Runs = f.thorough

	for next := at; at < limit; {
		if at >= next {
			next = min(at+gainSpan, to)
			scan.Least = leastGain(src[at:next]) + f.margin
		}

		f.skip(at)
		scan.At = at
		scan.Until = min(next, limit)
		scan.Anchor = anchor
		scan.Latest = rep
		found := f.rows.Seek(scan)
		at = scan.At
		if !found {
			continue
		}

		// The scan stops where a match may begin; whether one gains enough is decided here.
		m, ok := f.first(src)
		if !ok {
			at = f.rows.Pass(scan)
			continue
		}

		// A better match may begin a little later, which costs only literals.
		for here, wait := at, 1; wait <= f.patience && here+1 < limit; wait++ {
			here++
			if f.better(&m, rep, src, here, 3*wait+1) {
				wait = 0
			}
		}

		at = m.at
		n := m.length
		back := m.at - m.distance
		for at > anchor && back > 0 && src[at-1] == src[back-1] {
			at--
			back--
			n++
		}

		e.push(at-anchor, n, uint32(m.distance))
		if m.distance != rep {
			rep, other = m.distance, rep
		}
		at += n
		anchor = at

		// What follows often continues at the distance before, at the cost of no literals.
		for at < limit && at >= other && load32(src, at) == load32(src, at-other) {
			n := 4 + matchLength(src, at+4-other, at+4, to)
			e.push(0, n, uint32(other))
			rep, other = other, rep
			at += n
			anchor = at
		}
	}
	f.rows.Src = nil
}
