package govalue

import (
	"encoding/binary"
	"time"
	"unsafe"
)

// A step copies a part of an item between its stored bytes and a Go value. A list of steps is
// created once and used for all items.
type step struct {
	kind stepKind
	mem  uintptr // offset in the Go value
	file int     // offset in the item
	size int     // stored size in bytes

	width int       // stepSwap: width of each number
	big   bool      // times and UTF-32 texts: stored as big endian
	scale timeScale // times and durations

	count      int // stepEach: number of values, one of which steps copies
	memStride  uintptr
	fileStride int
	steps      []step
}

type stepKind uint8

const (
	stepCopy stepKind = iota
	stepSwap
	stepBool
	stepBytes // fixed-width bytes and a string
	stepText  // UTF-32 and a string
	stepTime
	stepDuration
	stepEach
)

// moveItem decodes an item to the Go value at p or, if read is false, encodes the value to the
// item. Bytes of the item without a step stay unchanged.
func moveItem(steps []step, p unsafe.Pointer, item []byte, read bool) (err error) {
	for i := 0; i < len(steps) && err == nil; i++ {
		s := &steps[i]
		at := unsafe.Add(p, s.mem)
		raw := item[s.file:][:s.size]

		switch {
		case s.kind == stepEach:
			for k := 0; k < s.count && err == nil; k++ {
				err = moveItem(s.steps, unsafe.Add(at, uintptr(k)*s.memStride), raw[k*s.fileStride:], read)
			}
		case s.kind == stepBool && read:
			for k, b := range raw {
				*(*bool)(unsafe.Add(at, k)) = b != 0
			}
		case s.kind <= stepBool:
			to := unsafe.Slice((*byte)(at), s.size)
			from := raw
			if !read {
				to, from = from, to
			}
			copy(to, from)
			s.swap(to)
		case read:
			err = s.read(at, raw)
		default:
			err = s.write(raw, at)
		}
	}
	return err
}

// read decodes a text or a time.
func (s *step) read(at unsafe.Pointer, raw []byte) (err error) {
	switch s.kind {
	case stepBytes:
		// Fixed-width bytes without trailing NULs, like NumPy.
		n := len(raw)
		for n > 0 && raw[n-1] == 0 {
			n--
		}
		*(*string)(at) = string(raw[:n])
	case stepText:
		*(*string)(at), err = decodeText(raw, s.big)
	case stepTime:
		err = s.scale.readTime((*time.Time)(at), int64At(raw, s.big))
	case stepDuration:
		err = s.scale.readDuration((*time.Duration)(at), int64At(raw, s.big))
	}
	return err
}

// write encodes a text or a time.
func (s *step) write(raw []byte, at unsafe.Pointer) (err error) {
	var n int64
	switch s.kind {
	case stepBytes:
		err = putBytes(raw, *(*string)(at))
	case stepText:
		err = putText(raw, *(*string)(at), s.big)
	case stepTime:
		n, err = s.scale.ofTime(*(*time.Time)(at))
	case stepDuration:
		n, err = s.scale.ofDuration(*(*time.Duration)(at))
	}

	if err == nil && (s.kind == stepTime || s.kind == stepDuration) {
		byteOrder(s.big).PutUint64(raw, uint64(n))
	}
	return err
}

// swap reverses the bytes of each number if the step requires it.
func (s *step) swap(b []byte) {
	if s.kind != stepSwap {
		return
	}
	for ; len(b) > 0; b = b[s.width:] {
		switch s.width {
		case 2:
			b[0], b[1] = b[1], b[0]
		case 4:
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		default:
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
	}
}

// mark marks the bytes of an item that the steps copy.
func mark(steps []step, item []bool) {
	for i := range steps {
		s := &steps[i]
		own := item[s.file:][:s.size]
		if s.kind != stepEach {
			for k := range own {
				own[k] = true
			}
			continue
		}

		for k := range s.count {
			mark(s.steps, own[k*s.fileStride:])
		}
	}
}

// merged merges copies that are adjacent both in the file and in memory.
func merged(steps []step) []step {
	out := steps[:0]
	for _, s := range steps {
		if n := len(out); n > 0 && s.kind == stepCopy && out[n-1].kind == stepCopy {
			last := &out[n-1]
			if last.file+last.size == s.file && last.mem+uintptr(last.size) == s.mem {
				last.size += s.size
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// repeat returns a step that applies steps to count contiguous values.
func repeat(steps []step, count int, mem uintptr, file int, memStride uintptr, fileStride int) step {
	if len(steps) == 1 {
		s := steps[0]
		dense := s.mem == 0 && s.file == 0 && s.size == fileStride && uintptr(s.size) == memStride
		if dense && (s.kind == stepCopy || s.kind == stepSwap || s.kind == stepBool) {
			s.mem, s.file, s.size = mem, file, s.size*count
			return s
		}
	}
	return step{kind: stepEach, mem: mem, file: file, size: count * fileStride, count: count, memStride: memStride, fileStride: fileStride, steps: steps}
}
