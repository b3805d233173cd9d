package main

import (
	"fmt"
	"strings"
)

// text returns a key in the syntax of Python between brackets, which ndarray.Parse reads too.
func text(key []axisKey) string {
	parts := make([]string, len(key))
	for i, k := range key {
		parts[i] = k.String()
	}
	return strings.Join(parts, ", ")
}

func (k axisKey) String() string {
	switch k.Kind {
	case "index":
		return fmt.Sprint(*k.Start)
	case "ellipsis":
		return "..."
	case "new":
		return "None"
	case "list", "mask":
		return strings.ReplaceAll(fmt.Sprint(k.listed()), " ", ", ")
	}
	out := ":"
	if k.Start != nil {
		out = fmt.Sprint(*k.Start) + out
	}
	if k.Stop != nil {
		out += fmt.Sprint(*k.Stop)
	}
	if k.Step != 0 && k.Step != 1 {
		out += fmt.Sprint(":", k.Step)
	}
	return out
}

// listed returns the indices in a list, or those of the true items of a mask.
func (k axisKey) listed() []int64 {
	if k.Kind == "mask" {
		list, _ := k.list(int64(len(k.List)))
		return list
	}
	return k.List
}
