// Package meta reads and writes the description of a frame's data: metalayers, the b2nd
// metalayer that makes a frame an array, NumPy dtypes, and MessagePack, which encodes them.
//
// It works on bytes in memory. Functions are safe for concurrent use; values are plain data.
package meta
