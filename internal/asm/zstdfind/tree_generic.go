package zstdfind

// visitGeneric is the portable [Tree.Visit]. It adds a position, which must have eight bytes behind
// it, and sets Found to the matches on its path through the tree, each longer than the one before.
// It stops at the first match of Nice bytes, and compares no more bytes than that.
func (t *Tree) visitGeneric(at int) {
	src := t.Src
	n := 0
	now := t.Base + uint32(at)
	v := load32(src, at)
	best := 2
	limit := min(at+t.Nice, len(src))
	three := &t.Three[v<<8*hash4Mul>>(32-ThreeLog)]
	if c := int(*three) - int(t.Base); c >= 0 && (load32(src, c)^v)<<8 == 0 {
		best = 3 + equal(src[:limit], c+3, at+3)
		t.Found[0] = Candidate{uint32(best), uint32(at - c)}
		n = 1
	}
	*three = now

	root := &t.Roots[v*hash4Mul>>(32-TreeLog)]
	mask := len(t.Below)/2 - 1
	lower := 2 * (at & mask)
	upper := 2*(at&mask) + 1
	var lowerLen, upperLen int
	c := int(*root) - int(t.Base)
	*root = now

	for depth := t.Depth; c >= 0 && c >= at-mask && depth > 0; depth-- {
		pair := 2 * (c & mask)
		common := min(lowerLen, upperLen)
		common += equal(src[:limit], c+common, at+common)

		if common > best {
			best = common
			t.Found[n] = Candidate{uint32(common), uint32(at - c)}
			n++
		}

		if at+common == limit {
			// The two are equal as far as compared: the new position replaces the old one.
			t.Below[lower] = t.Below[pair]
			t.Below[upper] = t.Below[pair+1]
			t.N = n
			return
		}

		if src[c+common] < src[at+common] {
			t.Below[lower] = t.Base + uint32(c)
			lower = pair + 1
			lowerLen = common
			c = int(t.Below[lower]) - int(t.Base)
		} else {
			t.Below[upper] = t.Base + uint32(c)
			upper = pair
			upperLen = common
			c = int(t.Below[upper]) - int(t.Base)
		}
	}

	t.Below[lower] = 0
	t.Below[upper] = 0
	t.N = n
}
