package main

import "github.com/cairn-go/cairn/ndarray"

// selectors returns a selection as cairn takes it.
func selectors(key []axisKey) []ndarray.Selector {
	out := make([]ndarray.Selector, len(key))
	for i, k := range key {
		out[i] = k.selector()
	}
	return out
}

func (k axisKey) selector() ndarray.Selector {
	switch k.Kind {
	case "index":
		return ndarray.Index(*k.Start)
	case "ellipsis":
		return ndarray.Ellipsis
	case "new":
		return ndarray.NewAxis
	case "list":
		return ndarray.Indices(k.List)
	case "mask":
		mask := make([]bool, len(k.List))
		for i, v := range k.List {
			mask[i] = v != 0
		}
		return ndarray.MaskAxis(mask)
	}
	s := ndarray.All
	switch {
	case k.Start != nil && k.Stop != nil:
		s = ndarray.Range(*k.Start, *k.Stop)
	case k.Start != nil:
		s = ndarray.From(*k.Start)
	case k.Stop != nil:
		s = ndarray.To(*k.Stop)
	}
	if k.Step != 0 {
		s = s.Step(k.Step)
	}
	return s
}
