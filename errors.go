package cairn

import (
	"errors"
	"fmt"
	"strings"
)

// Errors to test for with [errors.Is]. Returned errors wrap these and add what happened. Errors of
// the operating system are wrapped too, so tests such as errors.Is(err, [io/fs.ErrNotExist]) work
// as usual.
var (
	// ErrCorrupt reports bytes that violate the format. A [CorruptError] says where.
	ErrCorrupt = errors.New("corrupt data")
	// ErrChecksum reports bytes that changed since they were written.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrUnsupported reports a codec, filter, version or layout that is valid but unknown to cairn.
	// Codecs and filters can be registered.
	ErrUnsupported = errors.New("unsupported")
	// ErrLimit reports input that needs more than [Limits] allow.
	ErrLimit = errors.New("limit exceeded")
	// ErrReadOnly reports a write to a handle that was opened for reading.
	ErrReadOnly = errors.New("read-only")
	// ErrClosed reports the use of a closed handle.
	ErrClosed = errors.New("closed")
	// ErrLocked reports a lock that another handle or process did not release within the caller's
	// time limit.
	ErrLocked = errors.New("locked")
	// ErrConflict reports that another writer has made, or is making, a conflicting change.
	ErrConflict = errors.New("conflict")
	// ErrType reports an element type that differs from the stored dtype.
	ErrType = errors.New("type mismatch")
	// ErrBounds reports an index, box or buffer length outside the array or frame.
	ErrBounds = errors.New("out of bounds")
	// ErrNotFound reports a name or a chunk that does not exist.
	ErrNotFound = errors.New("not found")
	// ErrCommitted reports that something failed after a commit: whoever opens the data now finds
	// the new state. It may not survive a loss of power yet, files that are no longer needed may be
	// left, or a file may not have been closed. Do not repeat the change. An error of a commit that
	// does not match it has left the old state in place, unless nobody can tell, as when a bucket
	// no longer answers.
	ErrCommitted = errors.New("failed after the commit")
	// ErrInvalid reports an argument that makes no sense, whatever is stored: a level that does not
	// exist, a negative number of workers, shapes whose numbers of dimensions differ, a text that
	// is no selector, key or expression. A server answers it with 400, as it does ErrBounds and
	// ErrType, which depend on the array.
	ErrInvalid = errors.New("invalid argument")
)

// CorruptError says where input violates the format. It matches [ErrCorrupt] and whatever Err
// matches.
type CorruptError struct {
	Layer string // what was being read: "chunk", "frame header", "index", "b2nd metalayer", …
	Chunk int64  // number of the chunk in its frame; -1 if unknown, or not about a chunk
	// byte offset within the file or, if that is unknown, within the chunk; -1 if unknown
	Offset int64
	Reason string // what is wrong, as a clause: "block 3 decodes to 4090 bytes, want 4096"
	Err    error  // the cause, or nil
}

// Corruptf returns a [CorruptError] with the given layer and offset (-1 if unknown). Its Chunk is
// -1.
func Corruptf(layer string, offset int64, format string, args ...any) *CorruptError {
	return &CorruptError{Layer: layer, Chunk: -1, Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// Error returns one sentence, such as "corrupt chunk 17 at offset 48213: block 3 decodes to 4090
// bytes, want 4096".
func (e *CorruptError) Error() string {
	var b strings.Builder
	b.WriteString("corrupt ")
	b.WriteString(e.Layer)

	if e.Chunk >= 0 {
		if e.Layer == "chunk" {
			fmt.Fprintf(&b, " %d", e.Chunk)
		} else {
			fmt.Fprintf(&b, " of chunk %d", e.Chunk)
		}
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, " at offset %d", e.Offset)
	}

	b.WriteString(": ")
	b.WriteString(e.Reason)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns ErrCorrupt and the cause.
func (e *CorruptError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrCorrupt}
	}
	return []error{ErrCorrupt, e.Err}
}

// InChunk adds a chunk number and its place in the file to an error. If err contains a
// CorruptError, InChunk returns a copy with the chunk number set and the offset increased by base,
// the offset of the chunk in the file. If base is -1, the chunk is not in a file and the offset is
// kept. Any other error is wrapped with the chunk number.
func InChunk(err error, chunk, base int64) error {
	if err == nil {
		return nil
	}
	var ce *CorruptError
	if !errors.As(err, &ce) {
		return fmt.Errorf("chunk %d: %w", chunk, err)
	}
	placed := *ce
	placed.Chunk = chunk
	if placed.Offset >= 0 && base >= 0 {
		placed.Offset += base
	}
	return &placed
}
