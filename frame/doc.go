// Package frame keeps chunks in order, together with metalayers, in a file, a directory or
// memory.
//
// A contiguous frame (docs/format/frame.md):
//
//	0                        header: sizes, defaults for new chunks, fixed metalayers
//	header_len               chunks, in any order, with any dead bytes between them
//	header_len + cbytes      index: one chunk that holds an int64 for every chunk
//	…                        dead bytes are possible here too
//	frame_len - trailer_len  trailer: metalayers of variable length
//	frame_len                end; a file may go on with something else
//
// Package internal/format describes header and trailer, and internal/index the index.
//
// A sparse frame is a directory. The file chunks.b2frame has the header, the index and the
// trailer, and every chunk is a file, numbered by its index entry (sparse.go).
//
// An index entry is the offset of a chunk, or, if it is negative, stands for a chunk that is not
// stored: its top byte says whether the items are zeros, NaN or uninitialised
// (internal/index/entry.go).
//
// # Reading and writing
//
// Reads of a Frame see its newest state, including changes that are not committed.
// [Frame.Snapshot] returns one state that never changes. Any number of goroutines may read while
// one writes.
//
// Changes are staged: new chunks follow everything that is committed, and [Frame.Commit] makes
// them durable together. After a crash, the frame is as it was before the commit or after it
// (commit.go). [Frame.Rollback] drops staged changes, [Frame.Close] commits them, and
// [Frame.Atomically] runs a transaction in one call.
//
// # Checksums
//
// Chunks, header, index and metalayers carry checksums that C-Blosc2 ignores (internal/format).
// A [Verdict] says how far they vouch for the data; docs/reliability.md explains them.
package frame
