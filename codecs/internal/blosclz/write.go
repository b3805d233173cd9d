package blosclz

// A writer appends tokens to dst, or only counts their bytes.
type writer struct {
	dst      []byte
	n        int
	counting bool
}

// literals appends lits as runs and reports whether they fit.
func (w *writer) literals(lits []byte) bool {
	size := len(lits) + (len(lits)+maxRun-1)/maxRun
	if w.counting {
		w.n += size
		return true
	}
	if size > len(w.dst)-w.n {
		return false
	}

	out := w.dst[w.n : w.n+size]
	for len(lits) >= maxRun {
		out[0] = maxRun - 1
		*(*[maxRun]byte)(out[1:]) = *(*[maxRun]byte)(lits)
		out = out[1+maxRun:]
		lits = lits[maxRun:]
	}

	if len(lits) > 0 {
		out[0] = byte(len(lits) - 1)
		copy(out[1:], lits)
	}

	w.n += size
	return true
}

// match appends a match and reports whether it fits.
func (w *writer) match(length, distance int) bool {
	field := length - lengthBias
	size := 2
	if field >= longLength {
		size += (field-longLength)/farByte + 1
	}
	if distance > maxNear {
		size += 2
	}

	if w.counting {
		w.n += size
		return true
	}
	if size > len(w.dst)-w.n {
		return false
	}
	out := w.dst[w.n : w.n+size]
	w.n += size

	code := distance - 1
	high := byte(code >> 8)
	low := byte(code)
	if distance > maxNear {
		code -= maxNear
		high = distanceMask
		low = farByte
	}

	out[0] = byte(min(field, longLength))<<lengthShift | high
	out = out[1:]
	if field >= longLength {
		more := field - longLength
		for ; more >= farByte; more -= farByte {
			out[0] = farByte
			out = out[1:]
		}
		out[0] = byte(more)
		out = out[1:]
	}

	out[0] = low
	if distance > maxNear {
		out[1] = byte(code >> 8)
		out[2] = byte(code)
	}
	return true
}
