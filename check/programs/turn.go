package main

// through applies the operations of a view, one after the other.
func (l lens) through(turns []turn) (lens, error) {
	for _, t := range turns {
		switch t.Do {
		case "slice":
			var err error
			if l, err = l.selectKey(t.Key); err != nil {
				return lens{}, err
			}
		case "transpose":
			axes := t.Axes
			shape := make([]int64, len(axes))
			from := make([]int64, len(axes))
			for i, a := range axes {
				shape[i] = l.shape[a]
			}

			l = l.sub(shape, func(c []int64) []int64 {
				for i, a := range axes {
					from[a] = c[i]
				}
				return from
			})
		case "squeeze":
			l = lens{shape: without(l.shape, t.Axes[0]), at: l.at}
		case "expand":
			l = lens{shape: with(l.shape, t.Axes[0], 1), at: l.at}
		case "flip":
			axis := t.Axes[0]
			from := make([]int64, len(l.shape))
			l = l.sub(l.shape, func(c []int64) []int64 {
				copy(from, c)
				from[axis] = l.shape[axis] - 1 - c[axis]
				return from
			})
		}
	}
	return l, nil
}

func without(shape []int64, i int) []int64 {
	return append(shape[:i:i], shape[i+1:]...)
}

func with(shape []int64, i int, n int64) []int64 {
	return append(append(shape[:i:i], n), shape[i:]...)
}
