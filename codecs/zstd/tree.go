package zstd

const (
	hash4Mul  = 2654435761
	treeLog   = 16
	threeLog  = 14
	treeLimit = 20 // longest history, as a power of two
)

// A candidate is a match that could be used.
type candidate struct{ length, distance uint32 }

// A tree finds, for every length, a match that is at least that long. Positions with the same hash of four bytes are in a binary tree
// sorted by what follows, the latest at its root: looking one up and making it the new root is one walk.
//
// Positions are stored plus base, which grows from stream to stream; what is below base is nothing.
type tree struct {
	roots [1 << treeLog]uint32
	three [1 << threeLog]uint32 // the latest position with a hash of three bytes
	below []uint32              // two per position: what sorts before it, and what after
	base  uint32
	size  uint32
}

func (t *tree) begin(src []byte) {
	t.base += t.size
	if t.base == 0 || t.base > maxEpoch || len(src) > maxEpoch {
		clear(t.roots[:])
		clear(t.three[:])
		t.base = 1
	}
	t.size = uint32(len(src))
	if need := 2 << min(bitLength(max(len(src), 1)-1), treeLimit); len(t.below) < need {
		t.below = make([]uint32, need)
	}
}

// visit inserts a position, which has to have eight bytes behind it, and appends the matches it comes across to found, each longer
// than the one before. It looks at up to depth positions, and at no more once one matches for nice bytes. What it returns as matches
// may reach to the end of src.
func (t *tree) visit(found []candidate, src []byte, at, depth, nice int) []candidate {
	now := t.base + uint32(at)
	v := load32(src, at)
	best := 2
	three := &t.three[v<<8*hash4Mul>>(32-threeLog)]
	if c := int(*three) - int(t.base); c >= 0 && (load32(src, c)^v)<<8 == 0 {
		best = 3 + matchLength(src, c+3, at+3, min(at+nice, len(src)))
		found = append(found, candidate{uint32(best), uint32(at - c)})
	}
	*three = now
	root := &t.roots[hash4(v, treeLog)&(1<<treeLog-1)]
	mask := len(t.below)/2 - 1
	lower, upper := &t.below[2*(at&mask)], &t.below[2*(at&mask)+1]
	lowerLen, upperLen := 0, 0
	c := int(*root) - int(t.base)
	*root = now
	limit := min(at+nice, len(src))
	for ; c >= 0 && c >= at-mask && depth > 0; depth-- {
		pair := t.below[2*(c&mask) : 2*(c&mask)+2 : 2*(c&mask)+2]
		n := min(lowerLen, upperLen)
		n += matchLength(src, c+n, at+n, limit)
		if n > best {
			best = n
			found = append(found, candidate{uint32(n), uint32(at - c)})
		}
		if at+n == limit {
			// As good as equal: the new position takes the place of the old one.
			*lower, *upper = pair[0], pair[1]
			return found
		}
		if src[c+n] < src[at+n] {
			*lower, lower, lowerLen = t.base+uint32(c), &pair[1], n
			c = int(pair[1]) - int(t.base)
		} else {
			*upper, upper, upperLen = t.base+uint32(c), &pair[0], n
			c = int(pair[0]) - int(t.base)
		}
	}
	*lower, *upper = 0, 0
	return found
}

func hash4(v uint32, log uint8) uint32 { return v * hash4Mul >> (32 - log&31) }
