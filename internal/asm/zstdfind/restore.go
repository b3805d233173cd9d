package zstdfind

// Learn inserts the positions from to to-1 of Src. Src must have eight bytes from each of them on.
func (s *State) Learn(from, to int) {
	for at := from; at < to; at++ {
		*s.slot(load64(s.Src, at)) = s.Base + uint32(at)
	}
}

// Restore copies from known the rows of the positions from to to-1 of Src. Src must have four bytes
// from each of them on. If there are at least as many positions as rows, Restore copies all rows.
func (r *Rows) Restore(known *Rows, from, to int) {
	rows := 1 << (32 - tagBits - r.Shift)
	if to-from >= rows {
		copy(r.First[:rows], known.First[:rows])
		copy(r.Tags[:rows*RowSlots], known.Tags[:rows*RowSlots])
		copy(r.At[:rows*RowSlots], known.At[:rows*RowSlots])
		return
	}

	for at := from; at < to; at++ {
		row, _ := r.place(load32(r.Src, at))
		i := row * RowSlots
		r.First[row] = known.First[row]
		*(*[RowSlots]uint8)(r.Tags[i:]) = *(*[RowSlots]uint8)(known.Tags[i:])
		*(*[RowSlots]uint32)(r.At[i:]) = *(*[RowSlots]uint32)(known.At[i:])
	}
}
