package ndarray

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/frame"
	"github.com/cairn-go/cairn/storage"
)

// TestZeroHandlesAreClosed calls every method of zero handles, which functions return with an
// error, and of views of them.
func TestZeroHandlesAreClosed(t *testing.T) {
	// methods that access no items, and Abort, which may follow Close
	silent := []string{"Flush", "DType", "Select", "Savepoint", "Lock", "Share", "Unlock", "Abort"}
	var zero Array[float64]
	for _, handle := range []any{zero, Array[time.Time]{}, zero.View(), zero.Slice(Range(0, 3))} {
		h := reflect.ValueOf(handle)
		for i := range h.NumMethod() {
			name, m := h.Type().Method(i).Name, h.Method(i)
			results := m.Call(zeroArguments(t, m.Type()))
			if len(results) == 0 {
				continue
			}
			last := results[len(results)-1]
			if last.Type() != reflect.TypeFor[error]() || slices.Contains(silent, name) {
				continue
			}
			if err, _ := last.Interface().(error); !errors.Is(err, cairn.ErrClosed) {
				t.Errorf("%T.%s: %v", handle, name, err)
			}
		}
	}
	var a Array[float64]
	for _, err := range a.Values(t.Context()) {
		if !errors.Is(err, cairn.ErrClosed) {
			t.Errorf("values: %v", err)
		}
	}
	_, err := a.Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "neither opened nor created") {
		t.Errorf("read: %v", err)
	}
	for what, err := range map[string]error{
		"set": a.Set(3, 1, 2, 3), "close": a.Close(),
		"write": a.WriteBox(t.Context(), nil, []int64{1, 2}, []int64{1, 2}),
	} {
		if !errors.Is(err, cairn.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// zeroArguments returns minimal arguments for a method.
func zeroArguments(t *testing.T, m reflect.Type) (args []reflect.Value) {
	for i := range m.NumIn() {
		switch in := m.In(i); {
		case in == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(t.Context()))
		case in == reflect.TypeFor[Source]():
			args = append(args, reflect.ValueOf(Array[bool]{}))
		case !m.IsVariadic() || i < m.NumIn()-1:
			args = append(args, reflect.Zero(in))
		}
	}
	return args
}

func TestInvalidDTypesAreNotCorruption(t *testing.T) {
	_, first := NewUntyped("<f9", Shape{3}, nil)
	_, second := NewUntyped("flaot", Shape{3}, nil)
	for _, err := range []error{first, second} {
		if !errors.Is(err, cairn.ErrType) || errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%v", err)
		} else if !strings.Contains(err.Error(), "NumPy") {
			t.Errorf("%v", err)
		}
	}
}

func TestCreationNeedsAPath(t *testing.T) {
	memory := storage.NewMemory()
	_, first := Create[float64]("", Shape{3}, &Options{FS: memory})
	_, second := CreateUntyped("", "<f4", Shape{3}, &Options{FS: memory})
	_, third := frame.Create("", &frame.Options{FS: memory})
	for i, err := range []error{first, second, third} {
		if !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "New") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestOpeningRefusesNegativeSizes checks that a size below zero is an error and not the default.
func TestOpeningRefusesNegativeSizes(t *testing.T) {
	u, err := NewUntyped("<f4", Shape{3}, nil)
	check(t, err)
	b, err := u.Bytes()
	check(t, err)
	for _, o := range []OpenOptions{{WriteBehind: -1}, {Workers: -1}} {
		if _, err := FromBytes(b, &o); err == nil || !strings.Contains(err.Error(), "-1") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
