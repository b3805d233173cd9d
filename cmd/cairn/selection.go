package main

import "github.com/cairn-go/cairn/ndarray"

// parseSelection parses the -s flag.
func parseSelection(text string) ([]ndarray.Selector, error) {
	selectors, err := ndarray.Parse(text)
	if err != nil {
		return nil, usagef("-s: %v", err)
	}
	return selectors, nil
}
