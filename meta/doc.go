// Package meta reads and writes the description of a frame's data: metalayers, the b2nd metalayer
// that makes a frame an array, NumPy dtypes, and the MessagePack encoding of metalayers.
//
// All functions work on bytes in memory and are safe for concurrent use.
package meta
