//go:build !unix

package asmtest

import "testing"

// guarded returns plain memory where pages cannot be protected. Only stray writes are detected
// then.
func guarded(_ testing.TB, size int) []byte {
	const room = 4096
	return make([]byte, size+room)
}
