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

// readItem makes the Go value at p of an item.
func readItem(steps []step, p unsafe.Pointer, item []byte) error {
	for i := range steps {
		s := &steps[i]
		at, raw := unsafe.Add(p, s.mem), item[s.file:][:s.size]
		switch s.kind {
		case stepCopy, stepSwap:
			dst := unsafe.Slice((*byte)(at), s.size)
			copy(dst, raw)
			s.swap(dst)
		case stepBool:
			for k, b := range raw {
				*(*bool)(unsafe.Add(at, k)) = b != 0
			}
		default:
			if err := s.read(at, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// read is readItem for what is not as simple.
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
	case stepEach:
		for k := 0; k < s.count && err == nil; k++ {
			err = readItem(s.steps, unsafe.Add(at, uintptr(k)*s.memStride), raw[k*s.fileStride:])
		}
	}
	return err
}

// writeItem makes an item of the Go value at p. Bytes that no step is about stay as they are.
func writeItem(steps []step, item []byte, p unsafe.Pointer) error {
	for i := range steps {
		s := &steps[i]
		at, raw := unsafe.Add(p, s.mem), item[s.file:][:s.size]
		switch s.kind {
		case stepCopy, stepSwap, stepBool:
			copy(raw, unsafe.Slice((*byte)(at), s.size))
			s.swap(raw)
		default:
			if err := s.write(raw, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// write is writeItem for what is not as simple.
func (s *step) write(raw []byte, at unsafe.Pointer) (err error) {
	switch s.kind {
	case stepBytes:
		err = putBytes(raw, *(*string)(at))
	case stepText:
		err = putText(raw, *(*string)(at), s.big)
	case stepTime:
		err = s.scale.writeTime(raw, *(*time.Time)(at), s.big)
	case stepDuration:
		err = s.scale.writeDuration(raw, *(*time.Duration)(at), s.big)
	case stepEach:
		for k := 0; k < s.count && err == nil; k++ {
			err = writeItem(s.steps, raw[k*s.fileStride:], unsafe.Add(at, uintptr(k)*s.memStride))
		}
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
