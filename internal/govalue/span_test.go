package govalue

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

// TestMakeKeepsValues checks, for sizes around that from which memory is not cleared, that values
// have the alignment of their type, and that collections of garbage leave them alone.
func TestMakeKeepsValues(t *testing.T) {
	d, err := ParseDType("<f8")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Of(reflect.TypeFor[float64](), d, 8)
	if err != nil || !l.Read {
		t.Fatalf("layout %+v, %v", l, err)
	}

	var all [][]float64
	for _, n := range []int64{0, 1, leastUnset/8 - 1, leastUnset / 8, leastUnset/8 + 1, 1 << 17, 3<<17 + 5} {
		values, err := Make[float64](l, n, 1<<30)
		if err != nil || int64(len(values)) != n {
			t.Fatalf("%d values, want %d: %v", len(values), n, err)
		}
		if n > 0 && uintptr(unsafe.Pointer(&values[0]))%unsafe.Alignof(values[0]) != 0 {
			t.Errorf("%d values are not aligned", n)
		}
		for i := range values {
			values[i] = float64(n) + float64(i)
		}
		all = append(all, values)
		runtime.GC()
	}

	for _, values := range all {
		for i, v := range values {
			if v != float64(len(values))+float64(i) {
				t.Fatalf("of %d values, number %d is %v", len(values), i, v)
			}
		}
	}
}

// TestMakeClears checks that values that are not read directly begin as zeros, also where memory is
// used again.
func TestMakeClears(t *testing.T) {
	l := &Layout{size: 8, width: 8}
	for range 3 {
		values, err := Make[uint64](l, leastUnset, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if v != 0 {
				t.Fatalf("value %d is %d", i, v)
			}
			values[i] = 1
		}
		values = nil
		runtime.GC()
	}
}
