package command

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/store"
)

// importGroups stores the groups of an input, of those below key: their attributes, and those that
// have nothing in them.
func importGroups(ctx context.Context, std *streams, e *store.Editor, in *operand.Opened, omitted *omission) error {
	below := "/" + strings.Trim(in.Key, "/")
	groups, into := in.Groups(), formats.Store()
	empty := emptyGroups(groups, in.Keys())
	for _, group := range groups {
		if below != "/" && group != below && !strings.HasPrefix(group, below+"/") {
			continue
		}
		attributes, err := in.Attributes(ctx, group)
		if err != nil {
			return err
		}
		if len(attributes) == 0 && !empty[group] {
			continue
		}
		if err := cmp.Or(into.CheckGroup(group), keepsGroups(e)); err != nil {
			omitted.note(std, in.Name+place.Mark+group, formats.Plain(err))
			continue
		}
		if err := e.MakeGroup(ctx, group); err != nil {
			return err
		}
		for _, p := range attributes {
			if err := e.SetAttribute(ctx, group, p.Key.(string), p.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// emptyGroups returns the groups that have neither arrays nor groups in them.
func emptyGroups(groups, arrays []string) map[string]bool {
	empty := map[string]bool{}
	for _, group := range groups {
		empty[path.Join("/", group)] = true
	}
	for _, key := range slices.Concat(groups, arrays) {
		for key = path.Join("/", key); key != "/"; {
			key = path.Dir(key)
			delete(empty, key)
		}
	}
	return empty
}

// keepsGroups returns the reason why a store has no place for empty groups and for attributes of
// groups, or nil.
func keepsGroups(e *store.Editor) error {
	kind, err := e.Kind("/")
	if err == nil && kind != store.TreeStore {
		err = fmt.Errorf("the output is of kind %s, which keeps no attributes of groups, and no empty groups: %w", kind,
			cairn.ErrUnsupported)
	}
	return err
}

// putGroups adds the attributes of all groups to a bundle, below a group, and empty groups. left
// leaves out what the store has no place for.
func putGroups(ctx context.Context, f *operand.Tree, e *store.Editor, b *store.Bundle, base string,
	left func(key string, err error) error,
) error {
	if f.Groups() == nil {
		return nil
	}
	groups, into := f.GroupKeys(), formats.Store()
	empty := emptyGroups(groups, f.Arrays())
	for _, key := range groups {
		if into.CheckGroup(key) != nil {
			continue
		}
		attributes, err := f.GroupAttributes(ctx, key)
		if err != nil {
			return err
		}
		if len(attributes) == 0 && !empty[key] {
			continue
		}
		if err := keepsGroups(e); err != nil {
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
