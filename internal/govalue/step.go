package govalue

import (
	"encoding/binary"
	"time"
	"unsafe"
)

// A step moves a part of an item between the file's bytes and a Go value. A list of them, made
// once, does it for all items.
type step struct {
	kind stepKind
	mem  uintptr // from the beginning of the Go value
	file int     // from the beginning of the item
	size int     // bytes in the file

	width int       // stepSwap: of each number
	big   bool      // times and texts in UTF-32: the byte order in the file
	scale timeScale // times and durations

	count      int // stepEach: how many values, of which steps moves one
	memStride  uintptr
	fileStride int
	steps      []step
}

type stepKind uint8

const (
	stepCopy stepKind = iota
	stepSwap
	stepBool
	stepBytes // fixed bytes and a string
	stepText  // UTF-32 and a string
	stepTime
	stepDuration
	stepEach
)

// moveItem makes the Go value at p of an item or, if not read, the item of the value. Bytes of
// items that no step is about stay as they are.
func moveItem(steps []step, p unsafe.Pointer, item []byte, read bool) (err error) {
	for i := 0; i < len(steps) && err == nil; i++ {
		s := &steps[i]
		at, raw := unsafe.Add(p, s.mem), item[s.file:][:s.size]
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
			to, from := unsafe.Slice((*byte)(at), s.size), raw
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

// read makes a text or a time of its bytes.
func (s *step) read(at unsafe.Pointer, raw []byte) (err error) {
	switch s.kind {
	case stepBytes:
		*(*string)(at) = trimmedBytes(raw)
	case stepText:
		*(*string)(at), err = decodeText(raw, s.big)
	case stepTime:
		err = s.scale.readTime((*time.Time)(at), int64At(raw, s.big))
	case stepDuration:
		err = s.scale.readDuration((*time.Duration)(at), int64At(raw, s.big))
	}
	return err
}

// write is the reverse of read.
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

// swap reverses the bytes of each number, if that is what the step does.
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

// mark sets what of an item the steps are about.
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

// merged returns steps with copies that lie side by side in the file and in memory made one.
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

// repeat returns the step that does for count values, one behind the other, what steps do for one.
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
