// Package meta reads and writes what describes the data of a frame: metalayers, the b2nd metalayer
// that gives a frame its dimensions, NumPy dtype strings, and msgpack, the encoding of them all.
//
// It works on bytes in memory and does no I/O. Functions are safe for concurrent use; values are
// plain data.
package meta
