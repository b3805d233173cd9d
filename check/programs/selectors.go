package main

import (
	"strings"

	"github.com/cairn-go/cairn/ndarray"
)

// selectors converts a selection to the selectors of cairn.
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
		mask := make([]string, len(k.List))
		for i, v := range k.List {
			if mask[i] = "False"; v != 0 {
				mask[i] = "True"
			}
		}
		return ndarray.MustParse("[[" + strings.Join(mask, ",") + "]]")[0]
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
