package job

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/store"
)

// several is a reduction with two results.
func several() *Options {
	return &Options{Kind: Reduce, Inputs: []Input{{Name: "x", Path: "a.b2nd"}}, Output: "out.b2z", TaskBytes: 8000,
		Leaves: []Leaf{{Key: "mean", Expression: "mean(x, axis=0)"}, {Key: "std", Expression: "std(x, axis=0)"}}}
}

// TestReductionToStore seals several results of one pass.
func TestReductionToStore(t *testing.T) {
	s := newSite(t)
	j := s.job(several())
	if j.plan.Tasks < 2 {
		t.Fatalf("%d tasks", j.plan.Tasks)
	}
	s.work(j)
	s.seal(j, "")
	have, err := store.Open("out.b2z", &store.OpenOptions{FS: s.fs})
	if err != nil {
		t.Fatal(err)
	}
	defer have.Close()
	for _, l := range j.plan.Leaves {
		src := s.source(&Options{Kind: Calc, Inputs: []Input{{Name: "x", Path: "a.b2nd"}}, Expression: l.Expression})
		if err := ndarray.Save(t.Context(), l.Key+".b2nd", src, &ndarray.CopyOptions{FS: s.fs}); err != nil {
			t.Fatal(err)
		}
		u, err := have.Array(t.Context(), l.Key)
		if err != nil {
			t.Fatal(err)
		}
		err = ndarray.Save(t.Context(), l.Key+"-leaf.b2nd", u, &ndarray.CopyOptions{FS: s.fs})
		if err = errors.Join(err, u.Close()); err != nil {
			t.Fatal(err)
		}
		s.sameChunks(l.Key+"-leaf.b2nd", l.Key+".b2nd")
	}
}

// TestStoreIsCompared seals again after a crash between the commit and the note of it.
func TestStoreIsCompared(t *testing.T) {
	s := newSite(t)
	j := s.job(several())
	s.work(j)
	s.seal(j, "")
	o := several()
	o.Leaves[1].Expression = "var(x, axis=0)"
	o.Output = "other.b2z"
	other := s.job(o)
	s.work(other)
	s.seal(other, "")
	for path, want := range map[string]bool{"out.b2z": true, "other.b2z": false, "a.b2nd": false} {
		if err := j.bucket.Delete(t.Context(), j.name("sealed")); err != nil && want {
			t.Fatal(err)
		}
		err := j.Seal(t.Context(), &SealOptions{FS: s.fs, Path: path})
		if (err == nil) != want || err != nil && !errors.Is(err, cairn.ErrConflict) {
			t.Errorf("seal onto %s: %v", path, err)
		}
	}
}

// TestSealOfReductionNeedsNoInput removes the input before the seal.
func TestSealOfReductionNeedsNoInput(t *testing.T) {
	s := newSite(t)
	j := s.job(&Options{Kind: Reduce, Inputs: []Input{{Name: "x", Path: "a.b2nd"}}, Expression: "max(x, axis='x')",
		Output: "out.b2nd", TaskBytes: 8000})
	s.work(j)
	want := s.source(&Options{Kind: Calc, Inputs: j.plan.Inputs, Expression: j.plan.Expression})
	if err := ndarray.Save(t.Context(), "want.b2nd", want, &ndarray.CopyOptions{FS: s.fs}); err != nil {
		t.Fatal(err)
	}
	if err := s.fs.Remove("a.b2nd"); err != nil {
		t.Fatal(err)
	}
	s.seal(j, "")
	s.sameChunks("out.b2nd", "want.b2nd")
}

// TestKindOfExpressions checks which expressions are divided.
func TestKindOfExpressions(t *testing.T) {
	s := newSite(t)
	for text, want := range map[string]Kind{"mean(x)": Reduce, "sqrt(sum(x*x, axis=1))": Reduce, "x - mean(x)": Calc,
		"median(x, axis=0)": Calc, "x[0]": Calc} {
		j := s.job(&Options{Kind: Calc, Inputs: []Input{{Name: "x", Path: "a.b2nd"}}, Expression: text, Output: "o.b2nd"})
		if j.plan.Kind != want {
			t.Errorf("%s is a job of kind %s", text, j.plan.Kind)
		}
	}
	_, err := New(t.Context(), Arrays(s.fs), &Options{Kind: Reduce, Inputs: []Input{{Name: "x", Path: "a.b2nd"}},
		Expression: "median(x)", Output: "o.b2nd"})
	if !errors.Is(err, compute.ErrIndivisible) || !strings.Contains(err.Error(), "median") {
		t.Error(err)
	}
}

// TestParseRefusesReductions changes plans of reductions.
func TestParseRefusesReductions(t *testing.T) {
	s := newSite(t)
	o := several()
	good, err := New(t.Context(), Arrays(s.fs), o)
	if err != nil {
		t.Fatal(err)
	}
	for what, edit := range map[string]func(p *Plan){
		"no form":           func(p *Plan) { p.Inputs[0].Form = nil },
		"boxes":             func(p *Plan) { p.Box = ndarray.Shape{1} },
		"no pieces":         func(p *Plan) { p.Together = 0 },
		"a leaf twice":      func(p *Plan) { p.Leaves[1].Key = "mean" },
		"no expression":     func(p *Plan) { p.Leaves[1].Expression = "" },
		"another shape":     func(p *Plan) { p.Leaves[1].Shape = ndarray.Shape{3} },
		"both":              func(p *Plan) { p.Expression = "mean(x)" },
		"too many tasks":    func(p *Plan) { p.Tasks = maxTasks + 1 },
		"another kind":      func(p *Plan) { p.Kind = Calc },
		"inputs with names": func(p *Plan) { p.Kind, p.Leaves = Copy, nil },
	} {
		p := *good
		p.Inputs, p.Leaves = slices.Clone(p.Inputs), slices.Clone(p.Leaves)
		edit(&p)
		p.ID = p.hash()
		if _, err := Parse(p.JSON(), nil); !errors.Is(err, cairn.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
