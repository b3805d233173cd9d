package command

import (
	"context"
	"flag"

	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/placing"
	"github.com/cairn-go/cairn/store"
)

func deleteVerb(*flag.FlagSet) action {
	return func(ctx context.Context, _ *streams, operands []string) error {
		if len(operands) == 0 {
			return usagef("no PATH::/KEY given")
		}
		var stores []string
		keys := map[string][]string{}
		for _, path := range operands {
			p := place.Of(path)
			if !p.Keyed {
				return usagef("%s does not name an array or group of a store: want STORE%s/KEY", path, place.Mark)
			}
			if keys[p.Name] == nil {
				stores = append(stores, p.Name)
			}
			keys[p.Name] = append(keys[p.Name], p.Key)
		}
		for _, name := range stores {
			if err := deleteFrom(ctx, name, keys[name]); err != nil {
				return unlessLast(err, name, stores)
			}
		}
		return nil
	}
}

// deleteFrom deletes keys in one edit, which is one step except in a directory.
func deleteFrom(ctx context.Context, name string, keys []string) error {
	return edit(name, 0, func(e *store.Editor) error {
		for _, key := range keys {
			if err := e.Delete(ctx, key); err != nil {
				return unlessLast(err, key, keys)
			}
		}
		return nil
	})
}

// unlessLast returns an error of one of several commits, so that it says whether all have happened.
func unlessLast(err error, done string, of []string) error {
	if done == of[len(of)-1] {
		return err
	}
	return placing.Uncommitted(err)
}
