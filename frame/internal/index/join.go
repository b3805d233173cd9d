package index

// AppendFrom returns x with n entries of y appended, from entry first on. If x is empty and first
// is 0, the result shares them with y.
func (x Index) AppendFrom(y Index, first, n int) (Index, error) {
	if x.n == 0 && first == 0 {
		return y.first(n), nil
	}
	for n > 0 {
		l, err := y.leaf(first)
		if err != nil {
			return x, err
		}

		count := 0
		slot := first % LeafLen
		if l == nil {
			count = min(n, y.Run(first))
			x, err = x.AppendRun(y.fill, count)
		} else {
			count = min(n, LeafLen-slot)
			x, err = x.appendAll(l[slot : slot+count])
		}
		if err != nil {
			return x, err
		}
		first, n = first+count, n-count
	}

	return x, nil
}

// appendAll returns x with entries appended.
func (x Index) appendAll(entries []int64) (Index, error) {
	for len(entries) > 0 {
		slot := x.n % LeafLen
		n := 1
		if t := x.tail; t != nil && slot > 0 && t.used == slot {
			n = copy(t.leaf[slot:], entries)
			t.used += n
			x.n += n
		} else {
			var err error
			if x, err = x.Append(entries[0]); err != nil {
				return x, err
			}
		}
		entries = entries[n:]
	}
	return x, nil
}

// first returns the first n entries of x.
func (x Index) first(n int) Index {
	if n == 0 {
		return Repeat(0, x.fill)
	}
	x.n = n
	if most := (n-1)/(nodeBlocks*BlockLen) + 1; most < len(x.nodes) {
		x.nodes = x.nodes[:most:most]
	}
	return x.Seal()
}
