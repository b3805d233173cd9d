package grid

// PieceIn fills in what a chunk of the array, by its number, has of the box, and reports whether
// that is anything.
func (pl *Plan) PieceIn(chunk int64, pc *Piece) bool {
	p := pl.part
	if pl.Pieces == 0 {
		return false
	}
	index, step := int64(0), int64(1)
	for i := p.Dims - 1; i >= 0; i-- {
		c := chunk%p.ChunkGrid[i] - pl.firstChunk[i]
		chunk /= p.ChunkGrid[i]
		if c < 0 || c >= pl.chunkCount[i] {
			return false
		}
		index += c * step
		step *= pl.chunkCount[i]
	}
	pl.Piece(int(index), pc)
	return true
}
