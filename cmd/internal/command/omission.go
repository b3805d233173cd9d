package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/console"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/internal/described"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/naming"
	"github.com/cairn-go/cairn/internal/place"
)

// mostNotes is how many links of a file are listed one by one.
const mostNotes = 20

// An omission is the arrays that a conversion of several leaves out, each with a note.
type omission struct {
	names map[string]bool
}

// note says on standard error that an array is left out, and why, unless it has been said.
func (n *omission) note(std *streams, name string, why error) {
	if n.names[name] {
		return
	}
	if n.names == nil {
		n.names = map[string]bool{}
	}
	n.names[name] = true
	std.Complain(console.OneLine(naming.In(name, why).Error()) + "; left out")
}

// count returns the number of arrays that have been left out.
func (n *omission) count() int { return len(n.names) }

// code returns the error for the exit code: nil if nothing was left out.
func (n *omission) code() error {
	if n.count() > 0 {
		return exitError(exitLost)
	}
	return nil
}

// holdable returns those of the arrays of a file that an output can hold by their names. The others
// are left out before anything is written.
func (n *omission) holdable(std *streams, from string, keys []string, row *formats.Format) []string {
	kept, left := row.Held(keys)
	for _, l := range left {
		n.note(std, from+place.Mark+l.Key, l.Why)
	}
	return kept
}

// noArrays returns the error for a file without an array that can be converted.
func noArrays(name string) error {
	return fmt.Errorf("%s holds no array that can be converted: %w", name, cairn.ErrUnsupported)
}

// A groupError says why an output has no place for a group.
type groupError struct{ error }

// isDamaged reports whether an error is about the bytes of an input.
func isDamaged(err error) bool {
	return errors.Is(err, cairn.ErrCorrupt) || errors.Is(err, cairn.ErrChecksum)
}

// damaged leaves out an array of a tree that an error is about, if it is damaged, not the only one,
// and not part of a table. It returns other errors.
func (n *omission) damaged(std *streams, x *operand.Tree, key string, err error) error {
	var group *groupError
	if errors.As(err, &group) {
		n.note(std, x.Name+place.Mark+strings.Trim(x.Base+key, "/"), group.error)
		return nil
	}
	var failed *formats.KeyError
	if !errors.As(err, &failed) || !isDamaged(err) || len(x.Names) == 1 || x.InTable(key) {
		return err
	}

	// The error may name the copy by its temporary name, besides the array.
	n.note(std, x.Name+place.Mark+strings.Trim(x.Base+key, "/"), naming.Reason(failed.Err))
	return nil
}

// leafKey returns the key of the leaf that an array becomes.
func leafKey(key string) string { return path.Join("/", key) }

// supported returns those of the arrays that can be read, and the number of bytes of their items.
// The others are left out, unless there are no others.
func supported(ctx context.Context, std *streams, f *operand.Opened, keys []string, omitted *omission) (
	kept []string, total int64, err error,
) {
	for _, key := range keys {
		src, err := f.Open(ctx, key)
		if (errors.Is(err, cairn.ErrUnsupported) || isDamaged(err)) && len(keys)+omitted.count() > 1 {
			omitted.note(std, f.Name+place.Mark+strings.Trim(key, "/"), errors.New(err.Error()+linkRemedy(f.Name, err)))
			continue
		}
		if err != nil {
			return nil, 0, &operand.ForeignError{Name: f.Name, Err: err}
		}

		kept, total = append(kept, key), total+described.Bytes(src)
		if err := operand.CloseSource(src); err != nil {
			return nil, 0, err
		}
	}

	if len(keys) > 0 && len(kept) == 0 {
		return nil, 0, noArrays(f.Name)
	}
	return kept, total, nil
}

// withLinked returns the arrays of a selection with those to which links lead out of it. Links to
// what is selected are noted, as an output has each array once. Broken links are left out.
func withLinked(ctx context.Context, std *streams, f *operand.Opened, keys []string, omitted *omission) ([]string, error) {
	links := f.Links()
	base := strings.TrimSuffix(formats.Key(f.Key), "/")
	below := func(key string) bool { return strings.HasPrefix(key, base+"/") }
	notes := 0

	for i := range links {
		l := &links[i]
		name := f.Name + place.Mark + l.Key
		missing := errors.Is(l.Err, fs.ErrNotExist) || errors.Is(l.Err, cairn.ErrNotFound)

		switch {
		case !below(l.Key):
		case l.Err != nil && missing && l.File == "":
			notes++
			if notes <= mostNotes {
				std.Complain(name + " is a " + formats.Says(l) + ", where nothing is")
			}
		case l.Err != nil:
			omitted.note(std, name, errors.New(formats.Plain(l.Err).Error()+linkRemedy(f.Name, l.Err)))
		case below(l.To+"/") || l.To == "/" && base == "":
			if notes++; notes <= mostNotes {
				std.Complain(fmt.Sprintf("%s is a %s; what is there is stored once, as %s", name, formats.Says(l), l.To))
			}
		case formats.IsGroup(ctx, f, l.To):
			keys = append(keys, formats.Throughout(l, f.Keys())...)
		default:
			keys = append(keys, strings.Trim(l.Key, "/"))
		}
	}

	if notes > mostNotes {
		std.Complain(fmt.Sprintf("%s has %d more such links; cairn info lists them", f.Name, notes-mostNotes))
	}
	return keys, nil
}
