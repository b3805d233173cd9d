package main

import (
	"context"
	"flag"

	"github.com/cairn-go/cairn/store"
)

func deleteVerb(*flag.FlagSet) action {
	return func(ctx context.Context, _ *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no PATH::/KEY given")
		}
		for _, path := range operands {
			if !isLeaf(path) {
				return usagef("%s names no leaf or group of a tree: want PATH%s/KEY", path, leafMark)
			}
		}
		for _, path := range operands {
			name, key, _ := splitLeaf(path)
			if err := edit(name, 0, func(e *store.Editor) error { return e.Delete(ctx, key) }); err != nil {
				return err
			}
		}
		return nil
	}
}
