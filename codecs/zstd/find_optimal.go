package zstd

// An optimalFinder weighs all the ways to put a block together from literals and from matches it found, by what each would take. As
// that depends on what is chosen, it does so several times, each with the prices of what the time before gave.
type optimalFinder struct {
	tree    tree
	depth   int // positions to look at per position
	enough  int // matches of this length are taken without weighing what is within
	passes  int
	thrifty bool // leave out positions that cheaper ways pass by

	quick  *doubleFinder // gives the first prices
	found  []candidate
	from   []uint32 // where the matches of each position begin in found
	nodes  []node
	repeat [][3]uint32 // of each node, once it is looked at
	steps  []step
	stats  statistics
	price  prices
}

// A node is the best known way to a position.
type node struct {
	price    uint32
	length   uint32 // of the match that ends here, or 0 if there are literals
	distance uint32
	literals uint32 // since the last match
}

// A step is some literals and a match.
type step struct{ literals, length, distance uint32 }

const unreached = 1 << 31

func newOptimalFinder(depth, enough, passes int, thrifty bool) *optimalFinder {
	return &optimalFinder{depth: depth, enough: enough, passes: passes, thrifty: thrifty, quick: &doubleFinder{step: 8, haste: 8, lazy: true}}
}

func (f *optimalFinder) begin(src []byte) {
	f.tree.begin(src)
	f.quick.begin(src)
}

func (f *optimalFinder) find(e *Encoder, src []byte, from, to int) {
	n := to - from
	if len(f.nodes) < n+1 {
		f.nodes = make([]node, n+1)
		f.repeat = make([][3]uint32, n+1)
		f.from = make([]uint32, n+2)
	}
	f.collect(src, from, to)
	f.quick.find(e, src, from, to)
	for range f.passes {
		e.gather(src[from:to])
		f.stats.count(e)
		f.price.set(&f.stats)
		e.seqs = e.seqs[:0]
		f.weigh(e.repeat, src[:to], from)
		f.emit(e, to-from)
	}
}

// collect finds the matches of the block.
func (f *optimalFinder) collect(src []byte, from, to int) {
	f.found = f.found[:0]
	limit := min(to, len(src)-endRoom)
	skip := from // matches before this are not wanted
	for at := from; at < to; at++ {
		f.from[at-from] = uint32(len(f.found))
		switch {
		case at >= limit:
		case at < skip:
			if skip-at < 32 || at&7 == 0 {
				start := len(f.found)
				f.found = f.tree.visit(f.found, src, at, f.depth, f.enough)[:start]
			}
		default:
			start := len(f.found)
			f.found = f.tree.visit(f.found, src, at, f.depth, f.enough)
			if n := len(f.found); n > start && int(f.found[n-1].length) >= f.enough {
				m := &f.found[n-1]
				m.length += uint32(matchLength(src, at+int(m.length)-int(m.distance), at+int(m.length), to))
				skip = at + int(m.length)
			}
		}
	}
	f.from[to-from] = uint32(len(f.found))
}

// weigh finds the cheapest way from the start of the block to its end.
func (f *optimalFinder) weigh(repeat [3]uint32, src []byte, from int) {
	n := len(src) - from
	nodes := f.nodes[:n+1]
	for i := range nodes {
		nodes[i].price = unreached
	}
	nodes[0] = node{price: f.price.ofRun(0)} // the price of a node includes that of its run of literals
	f.repeat[0] = repeat
	for i := 0; i < n; {
		here := nodes[i]
		if here.price == unreached {
			i++
			continue
		}
		if i > 0 {
			f.arrive(i, here)
		}
		p := here.price + f.price.literal[src[from+i]] + f.price.ofRun(here.literals+1) - f.price.ofRun(here.literals)
		if next := &nodes[i+1]; p < next.price {
			*next = node{price: p, literals: here.literals + 1}
		} else if f.thrifty && next.price <= here.price+128 {
			i++
			continue
		}
		if n-i < 8 {
			i++
			continue
		}
		longest := f.repeats(nodes[i:], src, from+i, f.repeat[i])
		longest = max(longest, f.matches(nodes[i:], f.found[f.from[i]:f.from[i+1]]))
		if longest >= f.enough {
			i += longest
		} else {
			i++
		}
	}
}

// arrive sets the repeated distances of a node by how it was reached (RFC 8878 §3.1.1.5).
func (f *optimalFinder) arrive(i int, here node) {
	if here.length == 0 {
		f.repeat[i] = f.repeat[i-1]
		return
	}
	before := i - int(here.length)
	r := f.repeat[before]
	switch d := here.distance; {
	case d == r[0] && f.nodes[before].literals > 0:
	case d == r[1]:
		r[0], r[1] = d, r[0]
	default:
		r[0], r[1], r[2] = d, r[0], r[1]
	}
	f.repeat[i] = r
}

// repeats weighs matches at repeated distances and returns the length of the longest.
func (f *optimalFinder) repeats(nodes []node, src []byte, at int, r [3]uint32) (longest int) {
	base := nodes[0].price + f.price.ofRun(0)
	if nodes[0].literals == 0 {
		r[0], r[1], r[2] = r[1], r[2], r[0]-1
	}
	v := load32(src, at) << 8
	for code, distance := range r {
		back := at - int(distance)
		if back < 0 || back >= at || load32(src, back)<<8 != v {
			continue
		}
		n := 3 + matchLength(src, back+3, at+3, len(src))
		f.reach(nodes, 3, n, base+f.price.offset[highBit(uint32(code)+1)], distance)
		longest = max(longest, n)
	}
	return longest
}

// matches weighs what was collected and returns the length of the longest.
func (f *optimalFinder) matches(nodes []node, found []candidate) int {
	shortest := 3
	base := nodes[0].price + f.price.ofRun(0)
	for _, m := range found {
		n := min(int(m.length), len(nodes)-1)
		if n < shortest {
			continue
		}
		f.reach(nodes, shortest, n, base+f.price.offset[highBit(m.distance+3)], m.distance)
		shortest = n + 1
	}
	return shortest - 1
}

// reach offers the nodes from shortest to longest bytes ahead a match.
func (f *optimalFinder) reach(nodes []node, shortest, longest int, base, distance uint32) {
	if longest >= f.enough {
		n := uint32(longest)
		if p := base + f.price.ofLength(n); p < nodes[n].price {
			nodes[n] = node{price: p, length: n, distance: distance}
		}
		return
	}
	lengths := f.price.length[shortest : longest+1]
	nodes = nodes[shortest : longest+1]
	for i, p := range lengths {
		if p += base; p < nodes[i].price {
			nodes[i] = node{price: p, length: uint32(shortest + i), distance: distance}
		}
	}
}

// emit walks back along the cheapest way and pushes it.
func (f *optimalFinder) emit(e *Encoder, n int) {
	f.steps = f.steps[:0]
	for i := n - int(f.nodes[n].literals); i > 0; {
		m := &f.nodes[i]
		i -= int(m.length)
		run := f.nodes[i].literals
		f.steps = append(f.steps, step{run, m.length, m.distance})
		i -= int(run)
	}
	for k := len(f.steps) - 1; k >= 0; k-- {
		s := f.steps[k]
		e.push(int(s.literals), int(s.length), s.distance)
	}
}
