package frame

import "sync"

// buffer is memory for one encoded chunk while it is on its way into a frame or out of it.
type buffer struct{ buf []byte }

// buffers holds idle ones, so that short-lived frames need not clear new memory (docs/decisions/0006-pooled-workspaces.md).
var buffers sync.Pool // of *buffer

// takeBuffer returns memory for a chunk.
func (e *env) takeBuffer() *buffer {
	if b, ok := e.bufferPool().Get().(*buffer); ok {
		return b
	}
	return &buffer{}
}

// returnBuffer takes it back. Nothing may refer to it any more.
func (e *env) returnBuffer(b *buffer) { e.bufferPool().Put(b) }

// bufferPool is the frame's own where codecs or filters of the caller's see the memory.
func (e *env) bufferPool() *sync.Pool {
	if e.engine.Codecs != nil || e.engine.Filters != nil {
		return &e.buffers
	}
	return &buffers
}
