package ndarray

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestArraysOfReadersAreNotInMemory looks at how arrays describe themselves.
func TestArraysOfReadersAreNotInMemory(t *testing.T) {
	a, err := New[int32](Shape{4}, nil)
	check(t, err)
	content, err := a.Bytes()
	check(t, err)
	u, err := OpenReader(bytes.NewReader(content), int64(len(content)), nil)
	check(t, err)
	if got := fmt.Sprint(u); !strings.HasPrefix(got, "reader: <i4 [4]") {
		t.Errorf("the array of a reader is %q", got)
	}
	if got := fmt.Sprint(a); !strings.HasPrefix(got, "memory: <i4 [4]") {
		t.Errorf("an array in memory is %q", got)
	}
	check(t, u.Close(), a.Close())
}
