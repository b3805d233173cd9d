//go:build !unix

package asmtest

const canFault = false

func peek(b []byte, i int) byte { return b[i] }
