package deflate

// Levels is how many levels an encoder has, counted from 0.
const Levels = 10

// effort is what a level stands for.
type effort struct {
	depth   int  // how many places are compared
	nice    int  // a match that long ends the search
	lazy    int  // a shorter match is given up for a longer one that begins a byte later
	insert  int  // of longer matches only the ends are entered
	hurry   uint // the step grows by one with each 1<<hurry bytes without a match
	nearest int  // matches of four bytes have to be that near
}

// The first two levels compare one place and take what they find.
var efforts = [Levels]effort{
	{hurry: 4},
	{hurry: 4},
	{1, 32, 4, 16, 6, 8192},
	{2, 32, 8, 16, 7, 8192},
	{2, 32, 16, 32, 8, 8192},
	{3, 64, 32, 32, 8, 8192},
	{6, 64, 32, 32, 8, 8192},
	{16, 128, 32, 64, 8, 16384},
	{32, 258, 64, 128, 9, 16384},
	{256, 258, 128, 258, 12, 32768},
}

// An Encoder makes DEFLATE data. It owns its memory, allocates nothing once it is made, and serves one goroutine at a time.
type Encoder struct {
	effort
	finder finder
	blocks builder
	before int // length of the last source
}

// NewEncoder returns an encoder for a level from 0 to 9; others count as the nearest one. Higher levels take longer for shorter streams.
func NewEncoder(level int) *Encoder {
	return &Encoder{effort: efforts[max(0, min(level, Levels-1))]}
}

// maxSource is how many bytes a stream may stand for, so that positions fit into 32 bits.
const maxSource = 1<<30 - 2

// Encode compresses src into dst and returns how many bytes of dst it used, or 0 if they do not fit, or if src is longer than 1 GiB.
// It never writes beyond dst, and the result depends on src alone.
func (e *Encoder) Encode(dst, src []byte) int {
	if len(src) > maxSource {
		return 0
	}
	e.finder.reset(len(src), e.before)
	e.before = len(src)
	e.blocks.reset(dst)
	if e.depth == 0 {
		e.greedy(src)
	} else {
		e.lazily(src)
	}
	return e.blocks.finish(src)
}

// lazily takes a match unless a longer one begins a byte later.
func (e *Encoder) lazily(src []byte) {
	i, step := 0, 0
	for end := len(src) - tail; i < end && !e.blocks.failed; {
		length, back := e.finder.find(src, i, shortest-1, e.depth, e.nice)
		if length == 0 || length == shortest && back > e.nearest {
			step++
			i += 1 + step>>e.hurry
			e.blocks.pass(src, min(i, end))
			continue
		}
		i, length, back = e.postpone(src, i, length, back)
		i, length = e.extendBack(src, i, length, back)
		e.blocks.push(src, i-e.blocks.at, length, back)
		e.enter(src, i+1, length-1)
		i = e.again(src, i+length, length, back)
		step = 0
	}
}

// greedy takes the first match.
func (e *Encoder) greedy(src []byte) {
	i, step := 0, 0
	for end := len(src) - tail; i < end && !e.blocks.failed; {
		length, back := e.finder.latest(src, i)
		if length == 0 {
			step++
			i += 1 + step>>e.hurry
			e.blocks.pass(src, min(i, end))
			continue
		}
		i, length = e.extendBack(src, i, length, back)
		e.blocks.push(src, i-e.blocks.at, length, back)
		i = e.again(src, i+length, length, back)
		if i < end {
			e.finder.note(src, i-2)
		}
		step = 0
	}
}

// postpone looks whether a match that begins later than at i is better.
func (e *Encoder) postpone(src []byte, i, length, back int) (int, int, int) {
	for length < e.lazy && i+1 < len(src)-tail {
		depth := e.depth / 2
		if length >= e.lazy/4 {
			depth = e.depth / 4
		}
		longer, far := e.finder.find(src, i+1, length, max(depth, 1), e.nice)
		if longer == 0 {
			break
		}
		i, length, back = i+1, longer, far
	}
	return i, length, back
}

// extendBack lets a match begin earlier if steps have gone past its start.
func (e *Encoder) extendBack(src []byte, i, length, back int) (int, int) {
	for i > e.blocks.at && i > back && length < maxMatch && src[i-1] == src[i-back-1] {
		i--
		length++
	}
	return i, length
}

// enter makes n positions from i on known.
func (e *Encoder) enter(src []byte, i, n int) {
	end := min(i+n, len(src)-tail)
	if n > e.insert {
		i = end - e.insert/2
	}
	for i = max(i, e.finder.next); i < end; i++ {
		e.finder.insert(src, i)
	}
}

// again goes on with a match of the greatest length at the same distance, as long as there is more of it.
func (e *Encoder) again(src []byte, i, length, back int) int {
	for length == maxMatch && i < len(src) {
		length = commonFrom(src, i-back, i, 0, min(maxMatch, len(src)-i))
		if length < maxMatch || e.blocks.failed {
			break
		}
		e.blocks.push(src, 0, length, back)
		i += length
	}
	return i
}
