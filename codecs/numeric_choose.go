package codecs

import "github.com/cairn-go/cairn/internal/numeric"

// How Zstandard and numbers are chosen: what is likely to take least comes first, and another one
// only if the first takes more than was expected of it.
const (
	probes      = 4       // parts of a block that show how it should be encoded
	probed      = 2 << 10 // bytes of each
	leastProbed = 1 << 10 // bytes of each, of small blocks
	smallPart   = 32      // the part of a block that each is of these
	slackPart   = 256     // the part of a block by which any of this may be wrong
	fewPart     = 8       // the part below which parts of a block say little of Zstandard
	littlePart  = 24      // the part of which it is found out if it is less than the next one
	plainPart   = 100     // the part below which nothing is tried but Zstandard
	clearly     = 130     // per cent of one that the other takes, if nothing more need be known
	plainly     = 250     // the same of the usual method, before others are known
	hopelessly  = 200     // the same, by a sample, of numbers, which may have few values
	nearly      = 96      // per cent of numbers that count: of Zstandard, less is known
	easily      = 106     // per cent of numbers up to which Zstandard is taken where it is fastest
	maybe       = 103     // the same, by a sample
	rapidly     = 112     // per cent of numbers up to which Zstandard is taken if it copies most
	surely      = 108     // the same, by a sample
	copiedPart  = 2       // the part of a block that this takes, at least
	densePart   = 4       // the part of a block that this takes, at least
	surprising  = 104     // per cent of what was expected of one, above which the next one is tried
	misleading  = 130     // the same, above which parts of the block were not like the rest
	better      = 97      // per cent of what there is that it is likely to take, at most
	attempts    = 3
)

// numbers is the place of numbers among methods.
const numbers = methodNumbers

func (e *numericEncoder) begin(src []byte) {
	e.src = src
	e.sample = e.sample[:0]
	e.stream = e.stream[:0]
	e.other = e.other[:0]
	e.clear = false
	e.far = false
	e.looked = false
	e.failed = nil
	for method := range e.sizes {
		e.easy[method] = false
		e.whole[method] = false
		e.tried[method] = false
		e.sizes[method] = unsuited
		if e.suits(method, src) {
			e.sizes[method] = unknown
		}
	}
}

// plain returns the method of a block of bytes that repeat so much that nothing else matters, or
// -1.
func (e *numericEncoder) plain() int {
	method := e.usual()
	if e.sizes[method] > len(e.src)/littlePart {
		return -1
	}
	e.probeWhole(method)
	if e.likely(method) > len(e.src)/plainPart {
		return -1
	}
	return method
}

// choose encodes the block in the way that is likely to take less.
func (e *numericEncoder) choose() {
	if method := e.plain(); method >= 0 {
		e.try(method)
		return
	}
	if e.numbers != nil {
		if e.appendNumbers(e.judge); len(e.stream) > 0 {
			e.tried[numbers] = true
			e.expected = e.sizes[numbers]
			if e.numbers.Packed() {
				e.expected = max(e.expected, len(e.stream)) // as it was judged
			}
		}
	}

	for range attempts {
		has := e.least()
		if has > 0 && part(has, 100, surprising) <= e.expected {
			return
		}
		best := e.best()
		if e.failed != nil || best < 0 || has > 0 && !e.pays(best, has) {
			return
		}
		e.expected = e.likely(best)
		e.try(best)
		e.learn(e.wrote)
	}
}

// learn raises what methods are likely to take, of which parts of the block were seen, if one took
// far more than those made expect: so will the others.
func (e *numericEncoder) learn(wrote int) {
	if part(e.expected, misleading, 100) >= wrote {
		return
	}
	for method, size := range e.sizes {
		if method != numbers && size != unknown && size != unsuited && !e.whole[method] {
			e.sizes[method] = part(size, wrote, e.expected)
		}
	}
}

// pays reports whether a method is worth being tried after others, with which the block takes so
// much: the usual one if it may take less at all, as nobody wants more than that.
func (e *numericEncoder) pays(method, has int) bool {
	if method == e.usual() {
		return e.likely(method) < has
	}
	return e.likely(method) < part(has, better, 100)
}

// least returns what the block takes so far, or 0.
func (e *numericEncoder) least() int {
	switch {
	case len(e.stream) == 0:
		return len(e.other)
	case len(e.other) == 0:
		return len(e.stream)
	}
	return min(len(e.stream), len(e.other))
}

// judge says whether numbers should be encoded that take about size.
func (e *numericEncoder) judge(size int, stage numeric.Stage) numeric.Verdict {
	before := e.sizes[numbers]
	slack := len(e.src) / slackPart
	if stage == numeric.Sampled {
		e.sizes[numbers] = size
		e.clear = part(size+slack, plainly, 100) <= e.likely(e.usual())
		if e.clear {
			return numeric.Ask
		}
	} else if e.clear && size <= before+before/8+slack {
		e.sizes[numbers] = size
		return numeric.Take
	}

	e.sizes[numbers] = unsuited
	best := e.best()
	if best != methodZstd {
		e.lookFar(min(size, e.likely(best)))
		best = e.best()
	}
	e.sizes[numbers] = size
	zstd := e.likely(best)
	easy := e.leaveEasy(best, stage)
	switch stage {
	case numeric.Sampled:
		e.clear = part(size+slack, clearly, 100) <= zstd
		if easy || part(zstd, hopelessly, 100) < size {
			return numeric.Leave
		}
		return numeric.Ask
	case numeric.Measured:
		switch {
		case part(size, clearly, 100) <= zstd:
			return numeric.Take
		case easy:
			return numeric.Leave
		}
		return numeric.Ask
	}
	if stage == numeric.Refined {
		size = part(size, nearly, 100)
	}
	if size <= zstd {
		return numeric.Take
	}
	return numeric.Leave
}

// leaveEasy reports whether a block is one for Zstandard though that may take a little more than
// numbers: where it finds hardly anything, or most rows of bytes are stored as they are, it is
// several times as fast.
func (e *numericEncoder) leaveEasy(best int, stage numeric.Stage) bool {
	zstd := e.likely(best)
	easy := e.easy[best] && e.easy[e.usual()] && zstd >= len(e.src)/densePart
	copied := e.level < fewestBytes && e.size >= 4 && best == e.usual() && zstd >= len(e.src)/copiedPart

	percent := 0
	switch sampled := stage == numeric.Sampled; {
	case copied && sampled:
		percent = surely
	case copied:
		percent = rapidly
	case easy && sampled:
		percent = maybe
	case easy:
		percent = easily
	}
	with := part(e.sizes[numbers], percent, 100)
	if zstd > with {
		return false
	}
	e.sizes[numbers] = with
	return true
}

// fewestBytes is the level from which on nothing counts but room.
const fewestBytes = 7

// usual returns the method with Zstandard that most blocks are compared with first.
func (e *numericEncoder) usual() int {
	method := methodZstd
	if e.size > 1 {
		method = methodShuffle
	}
	e.probe(method)
	return method
}

// probe returns what Zstandard takes with a method, by parts of the block.
func (e *numericEncoder) probe(method int) int {
	if e.sizes[method] != unknown || e.failed != nil {
		return e.sizes[method]
	}
	if len(e.sample) == 0 {
		e.takeSample()
	}
	e.probeBytes(method, e.sample)
	return e.sizes[method]
}

// probeBytes sets what Zstandard takes with a method, by some bytes.
func (e *numericEncoder) probeBytes(method int, some []byte) {
	filtered, err := e.filter(method, some)
	if err != nil {
		e.failed = err
		return
	}
	n := e.quick.Estimate(filtered, e.row(method, len(some)))
	e.easy[method] = e.quick.Matches() < len(some)/easyBytes
	e.sizes[method] = max(1, part(len(e.src), n, max(1, len(some))))
	e.whole[method] = len(some) == len(e.src)
}

// easyBytes is for how many bytes there is a match at most where there is hardly anything to find.
const easyBytes = 256

// row returns the length of the rows that a method makes of n bytes, or 0.
func (e *numericEncoder) row(method, n int) int {
	if e.size > 1 && (method == methodShuffle || method == methodDelta) {
		return n / e.size
	}
	return 0
}

// takeSample takes parts of the block.
func (e *numericEncoder) takeSample() {
	n := len(e.src)
	if n <= 2*probes*probed {
		e.sample = append(e.sample, e.src...)
		return
	}
	unit := e.size
	if unit > 255 {
		unit = 1
	}
	each := max(leastProbed, min(probed, n/smallPart))
	for i := range probes {
		at := (n/probes*i + (n/probes-each)/2) / unit * unit
		e.sample = append(e.sample, e.src[at:at+each/unit*unit]...)
	}
}

// likely returns what a method is likely to take for the block. Parts of it have no matches that
// are far apart, and are looked through with less effort.
func (e *numericEncoder) likely(method int) int {
	n := len(e.src)
	size := e.sizes[method]
	switch {
	case method == numbers || size >= n-n/slackPart:
		return min(size, n)
	case method == methodZstd && e.far:
		return part(size, sharesRepeated, 100)
	case e.whole[method]:
		return part(size, sharesOfWhole[method], 100)
	case e.easy[method]:
		return part(size, sharesEasy, 100)
	}
	return part(size, shares[method], 100)
}

// part returns a part of a size.
func part(size, numerator, denominator int) int {
	return int(int64(size) * int64(numerator) / int64(denominator))
}

// What Zstandard takes of blocks, in per cent of what parts of them or the whole take with little
// effort.
var (
	shares        = [methodBits + 1]int{methodZstd: 91, methodShuffle: 97, methodDelta: 97, methodBits: 96}
	sharesOfWhole = [methodBits + 1]int{methodZstd: 93, methodShuffle: 98, methodDelta: 98, methodBits: 99}
)

const (
	sharesEasy     = 99 // where there is nothing more to find
	sharesRepeated = 94 // of the whole, where more effort finds much
	sharesFar      = 70 // of parts, at least, if items occur far apart
)

// best returns the method that is likely to take least of those that have not been tried, or -1.
// Of what takes little, parts of the block do not say enough.
func (e *numericEncoder) best() int {
	for {
		best := -1
		for method := range e.sizes {
			if e.probe(method) == unsuited || e.tried[method] {
				continue
			}
			if best < 0 || e.likely(method) < e.likely(best) {
				best = method
			}
		}
		if best < 0 || best == numbers || e.whole[best] || e.sizes[best] > len(e.src)/fewPart || e.failed != nil {
			return best
		}
		e.probeWhole(best)
	}
}

// probeWhole makes what is known of a method that of the whole block. If that is more, so it is of
// the others.
func (e *numericEncoder) probeWhole(method int) {
	if e.whole[method] {
		return
	}
	before := e.sizes[method]
	e.probeBytes(method, e.src)
	now := e.sizes[method]
	if before == unknown || now <= before {
		return
	}
	for other, size := range e.sizes {
		if other != numbers && size != unknown && size != unsuited && !e.whole[other] {
			e.sizes[other] = part(size, now, before)
		}
	}
}

// lookFar finds out whether most items occur again, maybe far apart, of which parts of the block
// show nothing, if that may make what Zstandard takes for the items as they are the least of all.
func (e *numericEncoder) lookFar(least int) {
	at := part(e.likely(methodZstd), sharesFar, 100)
	if e.looked || e.size < 4 || len(e.src) == len(e.sample) || at > least {
		return
	}
	e.looked = true
	if e.numbers.Repeats(e.src, mostly) >= mostly {
		e.probeFar()
		e.far = true
	}
}

// probeFar sets what Zstandard takes for the items as they are, by the middle of the block and with
// the effort that it would be encoded with, as this makes a difference for items far apart.
func (e *numericEncoder) probeFar() {
	n := len(e.src) / farPart / e.size * e.size
	from := (len(e.src) - n) / 2 / e.size * e.size
	size := e.swift.Estimate(e.src[from:from+n], 0)
	e.sizes[methodZstd] = max(1, part(len(e.src), size, n))
	e.whole[methodZstd] = true
}

const farPart = 3

// mostly is the per cent of items that occurred before, from which on Zstandard finds many of them.
const mostly = 90

// try encodes the block by a method. What takes as much as the block is left out.
func (e *numericEncoder) try(method int) {
	e.tried[method] = true
	if method == numbers {
		e.appendNumbers(nil)
		e.wrote = len(e.stream)
		return
	}

	into := &e.other
	if len(e.other) > 0 {
		into = &e.spare
	}
	*into = scratchFor(into, len(e.src))
	n, err := e.encodeBytes(*into, e.src, method)
	e.failed = err
	*into = (*into)[:n]
	e.wrote = n
	if n > 0 && n < len(e.other) {
		e.other, e.spare = e.spare, e.other
	}
}

// suits reports whether a method with Zstandard is one for a block.
func (e *numericEncoder) suits(method int, src []byte) bool {
	switch method {
	case methodZstd:
		return true
	case methodShuffle:
		// Bytes are shuffled as they are.
		return e.size > 1 && e.size <= 255 && len(src)%e.size == 0
	case methodDelta, methodBits:
		return e.size <= 255 && len(src)%e.size == 0
	}
	return false
}
