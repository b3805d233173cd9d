package storagetest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A trace is a serialized log: a sequence of actions, each with a name and its operations. Numbers
// are little-endian.
//
//	'O' u16 length, name                      begins an action
//	kind u16 length, path u16 length, path2 i64 offset i64 length [bytes]
//	    C create, or truncate what is there   W write (with bytes)   T truncate to offset
//	    R remove                              F sync of a file       D sync of a directory
//	    M make a directory                    N rename path to path2
//	    X exchange path and path2             L link path to path2
//	'E' i32 u64 u64 n, then n x u64           ends it; what is in there is for whoever wrote it
//
// The middle u64 of E is its n.

// maxTrace is the maximum size of one part of a trace.
const maxTrace = 1 << 28

// ReadTrace reads a trace and returns its log and its actions.
func ReadTrace(r io.Reader) (*Log, []Mark, error) {
	t := &traceReader{r: bufio.NewReader(r), names: map[string]int{}}
	for {
		kind, err := t.r.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if err := t.event(kind); err != nil {
			return nil, nil, fmt.Errorf("trace: action %d, operation %d: %w", len(t.marks), len(t.ops), err)
		}
	}

	if t.open {
		return nil, nil, fmt.Errorf("trace: action %q has no end", t.marks[len(t.marks)-1].Name)
	}
	return NewLog(t.ops), t.marks, nil
}

type traceReader struct {
	r     *bufio.Reader
	ops   []Op
	marks []Mark
	open  bool // within an action
	names map[string]int
	files int
}

func (t *traceReader) event(kind byte) error {
	switch kind {
	case 'O':
		name, err := t.text()
		if err != nil || t.open {
			return errors.Join(err, wrongIf(t.open, "an action within another"))
		}
		t.open = true
		t.marks = append(t.marks, Mark{Name: name, From: len(t.ops), To: len(t.ops)})
		return nil
	case 'E':
		if !t.open {
			return errors.New("an end without a begin")
		}

		t.open = false
		t.marks[len(t.marks)-1].To = len(t.ops)
		var end struct {
			Status int32
			N      int64
			Hash   uint64
		}
		if err := binary.Read(t.r, binary.LittleEndian, &end); err != nil {
			return err
		}
		if end.N < 0 || end.N > maxTrace/8 {
			return fmt.Errorf("an end with %d hashes", end.N)
		}

		_, err := t.r.Discard(int(8 * end.N))
		return err
	}

	if !t.open {
		return fmt.Errorf("%q outside of any action", kind)
	}
	return t.operation(kind)
}

func wrongIf(wrong bool, what string) error {
	if wrong {
		return errors.New(what)
	}
	return nil
}

func (t *traceReader) text() (string, error) {
	var n uint16
	if err := binary.Read(t.r, binary.LittleEndian, &n); err != nil {
		return "", err
	}
	b := make([]byte, n)
	_, err := io.ReadFull(t.r, b)
	return string(b), err
}

func (t *traceReader) operation(kind byte) error {
	name, err := t.text()
	if err != nil {
		return err
	}

	to, err := t.text()
	if err != nil {
		return err
	}

	var at struct{ Offset, Length int64 }
	if err := binary.Read(t.r, binary.LittleEndian, &at); err != nil {
		return err
	}

	op := Op{Name: name, To: to}
	file, known := t.names[name]
	if bytes.IndexByte([]byte("WTF"), kind) >= 0 {
		if !known {
			return fmt.Errorf("%q of %q, which does not exist", kind, name)
		}
		op = Op{File: file, Offset: at.Offset}
	}

	if at.Offset < 0 || at.Offset > maxTrace || at.Length < 0 || at.Length > maxTrace {
		return fmt.Errorf("%d bytes at %d", at.Length, at.Offset)
	}

	switch kind {
	case 'C':
		op.Kind = OpCreate
		op.File = t.files
		if known {
			op = Op{Kind: OpTruncate, File: file}
			break
		}
		t.names[name] = t.files
		t.files++
	case 'W':
		op.Kind = OpWrite
		op.Data = make([]byte, at.Length)
		if _, err := io.ReadFull(t.r, op.Data); err != nil {
			return err
		}
	case 'T':
		op.Kind = OpTruncate
	case 'R':
		op.Kind = OpRemove
		moveNames(t.names, name, "")
	case 'N':
		op.Kind = OpRename
		moveNames(t.names, name, to)
	case 'X':
		op.Kind = OpExchange
		exchangeNames(t.names, name, to)
	case 'L':
		op.Kind = OpLink
		t.names[to] = t.names[name]
	case 'F':
		op.Kind = OpSync
	case 'D':
		op.Kind = OpSyncDir
	case 'M':
		op.Kind = OpMkdir
	default:
		return fmt.Errorf("kind %q, which does not exist", kind)
	}

	t.ops = append(t.ops, op)
	return nil
}

// WriteTrace writes a log as a trace. Operations outside of all marks become separate actions.
// Operations on files without a name at that time are omitted, since they have no effect that
// survives a crash.
func WriteTrace(w io.Writer, ops []Op, marks []Mark) error {
	t := &traceWriter{w: bufio.NewWriter(w), names: map[int]string{}}
	done := 0
	for _, m := range marks {
		if m.From > done {
			t.action(Mark{Name: "between", From: done, To: m.From}, ops)
		}
		t.action(m, ops)
		done = m.To
	}

	if done < len(ops) {
		t.action(Mark{Name: "after", From: done, To: len(ops)}, ops)
	}
	return t.w.Flush() // which remembers earlier errors
}

type traceWriter struct {
	w     *bufio.Writer
	names map[int]string
}

func (t *traceWriter) number(v any) {
	_ = binary.Write(t.w, binary.LittleEndian, v) // the writer remembers the error
}

func (t *traceWriter) text(s string) {
	t.number(uint16(len(s)))
	_, _ = t.w.WriteString(s) // the writer remembers the error
}

func (t *traceWriter) action(m Mark, ops []Op) {
	_ = t.w.WriteByte('O') // the writer remembers the error
	t.text(m.Name)
	for _, op := range ops[m.From:m.To] {
		t.operation(op)
	}

	_ = t.w.WriteByte('E')
	t.number(struct {
		Status  int32
		N, Hash int64
	}{Status: 1})
}

func (t *traceWriter) operation(op Op) {
	name := op.Name
	if op.onData() || op.Kind == OpSync {
		var named bool
		if name, named = t.names[op.File]; !named {
			return
		}
	}

	_ = t.w.WriteByte("CWTFMNRDXL"[op.Kind]) // the writer remembers the error
	t.text(name)
	t.text(op.To)
	t.number([2]int64{op.Offset, int64(len(op.Data))})
	_, _ = t.w.Write(op.Data)
	switch op.Kind {
	case OpCreate:
		t.names[op.File] = op.Name
	case OpLink: // the new name is the one that stays
		for file, n := range t.names {
			if n == op.Name {
				t.names[file] = op.To
			}
		}
	case OpRename, OpRemove, OpExchange:
		byName := map[string]int{}
		for file, n := range t.names {
			byName[n] = file
		}

		if op.Kind == OpExchange {
			exchangeNames(byName, op.Name, op.To)
		} else {
			moveNames(byName, op.Name, op.To)
		}

		clear(t.names)
		for n, file := range byName {
			t.names[file] = n
		}
	}
}
