package main

import (
	"fmt"
	"math"
)

// flat returns the items of lists of lists, and those of objects that tell the place of one.
func flat(v any) (items []any) {
	if object, ok := v.(map[string]any); ok {
		if item, ok := object["value"]; ok {
			return []any{item}
		}
		return []any{object["v"]}
	}
	list, ok := v.([]any)
	if !ok {
		return []any{v}
	}
	for _, v := range list {
		items = append(items, flat(v)...)
	}
	return items
}

// same compares numbers. Sums in another order and of float32 differ in the last bits.
func (c *checker) same(want []*float64, got []any) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got), len(want))
	}
	for i, v := range got {
		c.compared++
		f, number := v.(float64)
		switch {
		case want[i] == nil && !number: // null, or the text NaN
		case want[i] == nil || !number:
			return fmt.Errorf("number %d is %v, want %v", i, v, show(want[i]))
		case math.Abs(f-*want[i]) > 2e-6*math.Max(1, math.Abs(*want[i])):
			return fmt.Errorf("number %d is %v, want %v", i, f, *want[i])
		}
	}
	return nil
}

func show(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}
