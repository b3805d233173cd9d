package command

import (
	"context"
	"path"

	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/store"
)

// putGroups adds the attributes of all groups to a bundle, below a group, and empty groups. left
// leaves out what the store has no place for.
func putGroups(ctx context.Context, f *operand.Tree, e *store.Editor, b *store.Bundle, base string,
	left func(key string, err error) error,
) error {
	if f.Groups() == nil {
		return nil
	}

	groups := f.GroupKeys()
	empty := formats.EmptyGroups(groups, f.Arrays())
	for _, key := range groups {
		if storeFormat.CheckGroup(key) != nil {
			continue
		}

		attributes, err := f.GroupAttributes(ctx, key)
		if err != nil {
			return err
		}
		if len(attributes) == 0 && !empty[key] {
			continue
		}

		if err := formats.KeepsGroups(e); err != nil {
			if err := left(key, &groupError{err}); err != nil {
				return err
			}
			continue
		}

		group := path.Join("/", base, key)
		if err := b.MakeGroup(group); err != nil {
			return err
		}
		for _, p := range attributes {
			if err := b.SetAttribute(group, p.Key.(string), p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}
