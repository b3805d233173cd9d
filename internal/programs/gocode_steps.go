package main

import (
	"bytes"
	"fmt"
	"strings"
)

// goCode returns a program as a Go test in package ndarray_test, with what is read commented by what it should be.
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

// stepCode writes a step as Go, and does it to the model.
func (w *world) stepCode(b *bytes.Buffer, indent string, s *step) {
	data, _ := w.needs(s)
	if s.Do == doAtomically {
		fmt.Fprintf(b, "%serr = u.Atomically(ctx, func() error { // fails at its end: %v\n", indent, s.Fail)
		inner := &world{now: w.now.clone(), committed: w.committed}
		for i := range s.Steps {
			inner.stepCode(b, indent+"\t", &s.Steps[i])
		}
		fmt.Fprintf(b, "%s\treturn nil\n%s})\n", indent, indent)
		w.apply(s)
		return
	}
	line := s.code(data)
	r := w.apply(s)
	switch {
	case r.err != nil:
		line += " // must fail: " + r.err.Error()
	case r.data != nil:
		line += fmt.Sprintf(" // want %v, %#v", r.shape, r.data)
	}
	fmt.Fprintf(b, "%s%s\n", indent, line)
}

func (s *step) code(data []byte) string {
	bytes := fmt.Sprintf("%#v", data)
	key := fmt.Sprintf("ndarray.MustParse(%q)...", text(s.Key))
	switch s.Do {
	case doRead:
		return "got, err := u.Read(ctx, " + key + ")"
	case doWrite:
		return fmt.Sprintf("check(u.Write(ctx, %s, %s))", bytes, key)
	case doFill:
		return fmt.Sprintf("check(u.Fill(ctx, %s, %s))", bytes, key)
	case doCommit:
		return "check(u.Commit(ctx))"
	case doRollback:
		return "check(u.Rollback())"
	case doSnapshot:
		return "snapshot, err := u.Snapshot(ctx)"
	}
	return fmt.Sprintf("// %+v", *s)
}
