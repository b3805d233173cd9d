package cairn

import (
	"errors"
	"fmt"
	"strings"
)

// Errors to branch on with [errors.Is]. The text of the errors that wrap them says what happened;
// errors of the operating system pass through wrapped, so [io/fs.ErrNotExist] and friends work too.
var (
	// ErrCorrupt reports bytes that no writer of the format can have meant. A [CorruptError] says
	// where.
	ErrCorrupt = errors.New("corrupt data")
	// ErrChecksum reports bytes that changed since they were written.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrUnsupported reports a codec, filter, version or layout that is valid but not available
	// here.
	ErrUnsupported = errors.New("unsupported")
	// ErrLimit reports input that would cost more than [Limits] allow.
	ErrLimit = errors.New("limit exceeded")
	// ErrReadOnly reports a write through a handle that was opened for reading.
	ErrReadOnly = errors.New("read-only")
	// ErrClosed reports the use of a closed handle.
	ErrClosed = errors.New("closed")
	// ErrLocked reports a lock that others held for longer than the caller wanted to wait.
	ErrLocked = errors.New("locked")
	// ErrConflict reports a change that another writer made in between, or is making.
	ErrConflict = errors.New("conflict")
	// ErrType reports an element type that differs from the stored dtype.
	ErrType = errors.New("type mismatch")
	// ErrBounds reports an index, a box or a buffer length outside of what the array or frame has.
	ErrBounds = errors.New("out of bounds")
	// ErrNotFound reports a name or a chunk that does not exist.
	ErrNotFound = errors.New("not found")
)

// CorruptError says where bytes make no sense. It matches [ErrCorrupt] and whatever Err matches.
type CorruptError struct {
	Layer string // what was being read: "chunk", "frame header", "index", "b2nd metalayer", …
	Chunk int64  // number of the chunk in its frame, -1 if it is not about a chunk or not known
	// byte offset within the outermost thing that is known (file, else chunk), -1 if not known
	Offset int64
	Reason string // what is wrong, as a clause: "block 3 decodes to 4090 bytes, want 4096"
	Err    error  // the cause, or nil
}

// Corruptf returns a [CorruptError] for a layer at an offset (-1 if not known), about no particular
// chunk.
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

// InChunk places an error of a lower layer in its container: a CorruptError anywhere in err is
// replaced by a copy that carries the chunk number and whose offset, if known, is moved by base
// (the chunk's own offset in the file; -1 if the chunk has no place in a file, which leaves the
// offset within the chunk). Other errors are wrapped with the chunk number.
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
