// Package frame keeps chunks in order, together with metalayers, in one file, in a directory or in
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
// What header and trailer mean is in internal/format, the index in internal/index.
//
// A sparse frame is a directory: chunks.b2frame has the header, the index and the trailer, and
// every chunk is a file of its own, numbered by its index entry (sparse.go).
//
// An index entry that is not negative says where its chunk is. A negative one stands for a chunk
// that is not stored at all: the top byte says whether it is full of zeros, NaN or nothing in
// particular (internal/index/entry.go).
//
// # Reading and writing
//
// Reads of a Frame go to its newest state, which includes changes that are not committed yet;
// [Frame.Snapshot] returns one state that nothing changes any more. Any number of goroutines may
// read while one writes.
//
// Changes are staged: new chunks go behind everything that is committed, and [Frame.Commit] makes
// them permanent together, so that after a crash the frame is as it was before the commit or after
// it (commit.go). [Frame.Close] commits what is staged. So everything between two commits is a
// transaction, which [Frame.Rollback] drops; [Frame.Atomically] runs one in a call.
//
// # Trust
//
// Chunks and everything else carry checksums that C-Blosc2 does not see (internal/format), and
// what they say is a [Verdict]; docs/reliability.md has the whole picture.
package frame
