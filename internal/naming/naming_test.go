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
