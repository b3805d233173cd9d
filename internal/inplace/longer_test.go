package inplace

import (
	"bytes"
	"errors"
	"testing"
)

type sized struct {
	bytes.Reader
	size int64
	err  error
}

func (s *sized) Size() (int64, error) { return s.size, s.err }

func TestLonger(t *testing.T) {
	for _, c := range []struct {
		now, before int64
		err         error
		want        bool
	}{{9, 7, nil, true}, {7, 7, nil, false}, {5, 7, nil, false}, {9, 7, errors.New("closed"), false}} {
		if n, ok := Longer(&sized{size: c.now, err: c.err}, c.before); ok != c.want || ok && n != c.now {
			t.Errorf("%d bytes, %d before, %v: %d, %v", c.now, c.before, c.err, n, ok)
		}
	}
	if _, ok := Longer(bytes.NewReader([]byte("ab")), 1); ok {
		t.Error("a reader whose Size is of another kind has become longer")
	}
}
