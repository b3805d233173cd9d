//go:build !unix

package asmtest

import "testing"

// guarded is plain memory where pages cannot be forbidden: what is left is the check for stray
// writes.
func guarded(_ testing.TB, size int) []byte {
	const room = 4096
	return make([]byte, size+room)
}
