package index

// Stored returns how many entries are not special.
func (x Index) Stored() (int, error) {
	n := 0
	for i := 0; i < x.n; {
		e, err := x.At(i)
		if err != nil {
			return n, err
		}
		run := x.Run(i)
		if i += run; e >= 0 {
			n += run
		}
	}
	return n, nil
}

// Load decodes all blocks of an index.
func (x Index) Load() error {
	for i := 0; i < x.n; i += BlockLen {
		if _, err := x.At(i); err != nil {
			return err
		}
	}
	return nil
}

// Entries returns the set of entries that are not special.
func (x Index) Entries() (map[int64]struct{}, error) {
	used := map[int64]struct{}{}
	for i := 0; i < x.n; i += x.Run(i) {
		e, err := x.At(i)
		if err != nil {
			return nil, err
		}
		if e >= 0 {
			used[e] = struct{}{}
		}
	}
	return used, nil
}

// Decoded reports whether block k needs no decoding any more.
func (x Index) Decoded(k int) bool {
	return !x.disk.has(k) || x.own(k) != nil || x.disk.blocks[k].Load() != nil
}
