package naming

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestNamesAppearOnce(t *testing.T) {
	cause := errors.New("the server answers 403")
	read := &fs.PathError{Op: "read", Path: "http://h/a", Err: cause}
	chunk := fmt.Errorf("chunk 3: %w", read)
	for _, c := range []struct {
		err  error
		want string
	}{
		{In("a", cause), "a: the server answers 403"},
		{In("", cause), "the server answers 403"},
		{In("a", In("a", cause)), "a: the server answers 403"},
		{In("a", fmt.Errorf("of b: %w", In("a", cause))), "of b: a: the server answers 403"},
		{In("b", In("a", cause)), "b: a: the server answers 403"},
		{In("http://h/a", read), "read http://h/a: the server answers 403"},
		{In("http://h/a", chunk), "http://h/a: chunk 3: the server answers 403"},
		{In("http://h/a", In("http://h/a", chunk)), "http://h/a: chunk 3: the server answers 403"},
		{In("b", chunk), "b: chunk 3: read http://h/a: the server answers 403"},
	} {
		if c.err.Error() != c.want || !errors.Is(c.err, cause) {
			t.Errorf("%q instead of %q", c.err, c.want)
		}
	}
	if In("a", nil) != nil {
		t.Error("nil is an error")
	}
}

func TestNamesAreKnown(t *testing.T) {
	cause := errors.New("the server answers 403")
	read := &fs.PathError{Op: "read", Path: "http://h/a", Err: cause}
	for _, c := range []struct {
		err        error
		text, name string
	}{
		{cause, "the server answers 403", ""},
		{read, "read http://h/a: the server answers 403", "http://h/a"},
		{Call("open", "a", cause), "open a: the server answers 403", "a"},
		{In("a", Call("open", "a", cause)), "open a: the server answers 403", "a"},
		{Call("open", "http://h/a", read), "open http://h/a: the server answers 403", "http://h/a"},
		{fmt.Errorf("chunk 3: %w", In("a", read)), "chunk 3: a: read http://h/a: the server answers 403", "a"},
		{Without("resize", In("resize", cause)), "the server answers 403", ""},
		{Without("resize", In("a", cause)), "a: the server answers 403", "a"},
		{Plain(fmt.Errorf("%w: %w", cause, fs.ErrExist), fs.ErrExist), "the server answers 403", ""},
	} {
		if c.err.Error() != c.text || Of(c.err) != c.name {
			t.Errorf("%q of %q, want %q of %q", c.err, Of(c.err), c.text, c.name)
		}
		if Reason(c.err).Error() != cause.Error() {
			t.Errorf("the reason of %q is %q", c.err, Reason(c.err))
		}
	}
}
