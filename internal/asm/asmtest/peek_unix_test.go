//go:build unix

package asmtest

import "unsafe"

const canFault = true

// peek reads a byte without a bounds check.
func peek(b []byte, i int) byte { return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)) }
