package deflate

// Levels is the number of levels, from 0.
const Levels = 10

// effort contains the settings of a level.
type effort struct {
	depth  int // number of earlier positions to compare
	nice   int // a match of this length ends the search
	lazy   int // shorter matches are replaced by longer ones a byte later; 0: by the next
	insert int // of longer matches only the ends are inserted
	hurry  int // growth of the step, in 4096ths, per byte without a match
	recent int // number of earlier distances to try first
	part   int // symbols per part of a block

	runs bool // use runs of one byte without a search
}

// The first two levels compare one position and take any match. The next ones prefer few symbols,
// and those with lazy few bits; these also find matches of three bytes.
var efforts = [Levels]effort{
	{hurry: 512, part: 8192},
	{hurry: 512, part: 8192},
	{depth: 1, nice: 24, insert: 16, hurry: 64, part: 4096, runs: true},
	{depth: 2, nice: 24, insert: 32, hurry: 64, recent: 1, part: 4096},
	{depth: 5, nice: 24, insert: 258, hurry: 64, recent: 1, part: 4096},
	{depth: 8, nice: 24, insert: 258, hurry: 32, recent: 1, part: 4096},
	{depth: 24, nice: 64, insert: 258, hurry: 32, recent: 1, part: 4096},
	{depth: 16, nice: 128, lazy: 128, insert: 258, hurry: 16, recent: 4, part: 2048},
	{depth: 32, nice: 258, lazy: 128, insert: 258, hurry: 8, recent: 4, part: 2048},
	{depth: 500, nice: 258, lazy: 258, insert: 258, hurry: 1, recent: 4, part: 2048},
}

// An Encoder encodes DEFLATE data. It owns its memory, does not allocate once created, and must not
// be used concurrently.
type Encoder struct {
	effort
	finder finder
	blocks builder
	before int // length of the last source
}

// NewEncoder returns an encoder for a level from 0 to 9; other levels are clamped. Higher levels
// are slower and produce shorter streams.
func NewEncoder(level int) *Encoder {
	e := &Encoder{effort: efforts[max(0, min(level, Levels-1))]}

	e.finder.set(e.effort)
	e.blocks.partSymbols = e.part
	e.blocks.priced = e.depth > 0
	e.blocks.asks = e.finder.long != nil
	e.blocks.out.makeFixed()
	e.blocks.out.few = fewBits
	if e.depth == 0 {
		e.blocks.out.few = fewBitsInHaste
	}
	return e
}

// maxSource is the maximum size of a source, so that positions fit into 32 bits.
const maxSource = 1<<30 - 2

// Encode compresses src into dst and returns the number of bytes written, or 0 if the stream does
// not fit or src is longer than 1 GiB. It never writes beyond dst. The result depends only on src
// and the level.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) > maxSource {
		return 0
	}

	e.finder.reset(src, e.before)
	e.finder.prepare(src, &e.effort)
	e.before = len(src)
	e.blocks.reset(dst, src)

	switch {
	case e.depth == 0:
		e.greedy(src)
	case e.lazy == 0:
		e.adjacent(src)
	default:
		e.lazily(src)
	}

	e.finder.search.Src = nil
	e.finder.all.Src = nil
	return e.blocks.finish(src)
}

// greedy takes the first match at each position.
func (e *Encoder) greedy(src []byte) {
	var i, step int
	for end := len(src) - tail; i < end && !e.blocks.failed; {
		length, back := e.finder.latest(src, i, e.finder.head[:])
		if length == 0 {
			step++
			i += 1 + step*e.hurry>>12
			e.blocks.pass(src, min(i, end))
			continue
		}

		i, length = e.extendBack(src, i, length, back)
		e.blocks.push(src, i-e.blocks.at, length, back)
		i = e.again(src, i+length, length, back)
		if i < end {
			e.finder.note(src, i-2, e.finder.head[:])
		}
		step = 0
	}
}

// extendBack extends a match backwards if the search has stepped over its start.
func (e *Encoder) extendBack(src []byte, i, length, back int) (int, int) {
	for i > e.blocks.at && i > back && length < maxMatch && src[i-1] == src[i-back-1] {
		i--
		length++
	}
	return i, length
}

// again adds matches of the maximum length at the same distance as long as the bytes repeat.
func (e *Encoder) again(src []byte, i, length, back int) int {
	for length == maxMatch && i < len(src) {
		if longest := min(maxMatch, len(src)-i); commonFrom(src, i-1, i, 0, longest) == maxMatch {
			length = maxMatch
			back = 1 // the distance with the shortest code
		} else {
			length = commonFrom(src, i-back, i, 0, longest)
		}
		if length < maxMatch || e.blocks.failed {
			break
		}
		e.blocks.push(src, 0, length, back)
		i += length
	}
	return i
}
