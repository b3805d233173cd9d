package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// goCode returns a program as a Go test in package ndarray_test, with the expected results as
// comments.
func (p *program) goCode() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %+v\n", *p)
	fmt.Fprintf(&b, "func TestProgram(t *testing.T) {\n\tctx := t.Context()\n\tcheck := func(err error) {\n\t\tt.Helper()\n\t\tif err != nil {\n\t\t\tt.Fatal(err)\n\t\t}\n\t}\n")
	fill := ""
	if p.Fill != nil {
		fill = fmt.Sprintf(", Fill: %#v", p.Fill)
	}
	fmt.Fprintf(&b, "\tu, err := ndarray.NewUntyped(%q, %s, &ndarray.Options{ChunkShape: %s, BlockShape: %s, Workers: %d%s}) // in %s, sparse %v, %s %d, %v\n\tcheck(err)\n",
		p.DType, shapeCode(p.Shape), shapeCode(p.Chunks), shapeCode(p.Blocks), p.Workers, fill, p.Place, p.Sparse, p.Codec, p.Level, p.Filter)
	w := newWorld(p)
	for i := range p.Steps {
		w.stepCode(&b, "\t", &p.Steps[i])
	}
	b.WriteString("}\n")
	return b.String()
}

func shapeCode(shape []int64) string {
	if shape == nil {
		return "nil"
	}
	return "ndarray.Shape{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]") + "}"
}

// stepCode writes a step as Go code, and applies it to the model.
func (w *world) stepCode(b *bytes.Buffer, indent string, s *step) {
	data, _ := w.needs(s)
	var mask []bool
	if s.Do == doMask || s.Do == doPaint {
		mask = s.mask(w.now.Shape)
	}
	if s.Do == doAtomically {
		fmt.Fprintf(b, "%serr = u.Atomically(ctx, func() error { // fails at its end: %v\n", indent, s.Fail)
		inner := &world{now: w.now.Clone(), committed: w.committed}
		for i := range s.Steps {
			inner.stepCode(b, indent+"\t", &s.Steps[i])
		}
		fmt.Fprintf(b, "%s\treturn nil\n%s})\n", indent, indent)
		w.apply(s)
		return
	}
	line := s.code(data, mask)
	r := w.apply(s)
	switch {
	case r.err != nil:
		line += " // must fail: " + r.err.Error()
	case r.data != nil:
		line += fmt.Sprintf(" // want %v, %#v", r.shape, r.data)
	}
	fmt.Fprintf(b, "%s%s\n", indent, line)
}

// code returns the line of Go for a step that reads or writes items.
func (s *step) code(data []byte, mask []bool) string {
	bytes := fmt.Sprintf("%#v", data)
	key := fmt.Sprintf("ndarray.MustParse(%q)...", text(s.Key))
	switch s.Do {
	case doRead:
		return "got, err := u.Read(ctx, " + key + ")"
	case doWrite:
		return fmt.Sprintf("check(u.Write(ctx, %s, %s))", bytes, key)
	case doFill:
		return fmt.Sprintf("check(u.Fill(ctx, %s, %s))", bytes, key)
	case doPoints:
		return fmt.Sprintf("got := make([]byte, %d*u.TypeSize()); err := u.ReadPoints(ctx, got, %#v)", len(s.Points), slices.Concat(s.Points...))
	case doScatter:
		return fmt.Sprintf("check(u.WritePoints(ctx, %s, %#v))", bytes, slices.Concat(s.Points...))
	case doMask:
		return fmt.Sprintf("got, err := u.ReadWhere(ctx, ndarray.Items(%#v, u.Shape()))", mask)
	case doPaint:
		return fmt.Sprintf("check(u.WriteWhere(ctx, %s, ndarray.Items(%#v, u.Shape())))", bytes, mask)
	case doView:
		return fmt.Sprintf("got, err := u.View()%s.Read(ctx)", turnsCode(s.Lens))
	case doThrough:
		return fmt.Sprintf("check(u.View()%s.Write(ctx, %s))", turnsCode(s.Lens), bytes)
	}
	return s.lifeCode(bytes)
}

// lifeCode returns the line of Go for any other step.
func (s *step) lifeCode(bytes string) string {
	switch s.Do {
	case doResize:
		return fmt.Sprintf("check(u.Resize(ctx, %s, nil)) // with the fill value of the program", shapeCode(s.Shape))
	case doAppend:
		return fmt.Sprintf("check(u.Append(ctx, %d, %s))", s.Axis, bytes)
	case doInsert:
		return fmt.Sprintf("check(u.Insert(ctx, %d, %d, %s))", s.Axis, s.At, bytes)
	case doDelete:
		return fmt.Sprintf("check(u.Delete(ctx, %d, %d, %d))", s.Axis, s.At, s.To)
	case doConcat:
		return fmt.Sprintf("// u becomes a copy of ndarray.Concat of itself and an array "+
			"of chunks %v and blocks %v with %s, along axis %d", s.Chunks, s.Blocks, bytes, s.Axis)
	case doCopy:
		return fmt.Sprintf("u, err = ndarray.Copy(ctx, u, &ndarray.CopyOptions{ChunkShape: %s, BlockShape: %s})",
			shapeCode(s.Chunks), shapeCode(s.Blocks))
	case doCommit:
		return "check(u.Commit(ctx))"
	case doRollback:
		return "check(u.Rollback())"
	case doCompact:
		return "_, err = u.Compact(ctx)"
	case doSnapshot:
		return "snapshot, err := u.Snapshot(ctx)"
	case doKill:
		return "// u.Abort(), and the array is opened again"
	}
	return "// u.Close(), and the array is opened again"
}

func turnsCode(turns []turn) string {
	code := ""
	for _, t := range turns {
		axes := strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Axes), " ", ", "), "[]")
		switch t.Do {
		case "slice":
			code += fmt.Sprintf(".Slice(ndarray.MustParse(%q)...)", text(t.Key))
		case "transpose":
			code += ".Transpose(" + axes + ")"
		case "squeeze":
			code += ".Squeeze(" + axes + ")"
		case "expand":
			code += ".ExpandDims(" + axes + ")"
		case "flip":
			code += ".Flip(" + axes + ")"
		}
	}
	return code
}
