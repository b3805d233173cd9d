package zstd

// Estimate returns about how many bytes src takes, as a part of much more that is like it, so that
// tables do not count. Rows are those of [Encoder.EncodeRows].
func (e *Encoder) Estimate(src []byte, row int) int {
	e.matches = 0
	if len(src) == 0 || uint64(len(src)) >= 1<<31 {
		return len(src)
	}
	e.repeat = [3]uint32{1, 4, 8}
	e.find.begin(src)

	size := 0
	for from := 0; from < len(src); {
		to := min(from+maxBlock, len(src))
		if row > 0 {
			to = min(to, from+row-from%row)
		}
		size += e.estimateBlock(src, from, to)
		from = to
	}
	return max(1, size)
}

// estimateBlock is Estimate of src[from:to] as a block.
func (e *Encoder) estimateBlock(src []byte, from, to int) int {
	raw := src[from:to]
	if len(raw) < 8 {
		return len(raw)
	}
	if uniform(raw) {
		return 0
	}

	e.seqs = e.seqs[:0]
	e.find.find(e, src, from, to)
	e.matches += len(e.seqs)
	e.gather(raw)
	e.divider.begin(e)
	cost := e.divider.cost(e, part{to: len(raw), litTo: e.litCount, seqTo: len(e.seqs)}) - partCost
	return min(len(raw), (cost+1<<11-1)>>11)
}
