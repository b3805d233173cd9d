//go:build unix

package asmtest

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestGuardFaults checks that an access beyond either end faults. On other systems than Unix,
// NewGuard returns plain memory and only Intact works.
func TestGuardFaults(t *testing.T) {
	g := NewGuard(t, 1)
	for name, i := range map[string]int{"before": -1, "behind": len(g.memory)} {
		if !faults(g.memory, i) {
			t.Errorf("reading %s the memory does not fault", name)
		}
	}
}

func faults(b []byte, i int) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() != nil }()
	sink = peek(b, i)
	return false
}

var sink byte

// peek reads a byte without a bounds check.
func peek(b []byte, i int) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) }
