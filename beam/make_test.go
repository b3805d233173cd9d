package cairnbeam

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

func init() {
	Register("celsius", Map(func(dst []float64, kelvin []float32) {
		for i, k := range kelvin {
			dst[i] = float64(k) - 273.15
		}
	}))
	register.Function2x1(nextOrder)
}

// cases are orders of every kind.
func (f *folder) cases() map[string]job.Options {
	a, b := job.Input{Path: f.at("a.b2nd")}, job.Input{Path: f.at("b.b2nd")}
	return map[string]job.Options{
		"take":    {Inputs: []job.Input{a}},
		"recode":  {Inputs: []job.Input{b}, Codec: codecs.LZ4, Level: 3, Filters: []shuffle.Spec{shuffle.None}},
		"rechunk": {Inputs: []job.Input{b}, ChunkShape: ndarray.Shape{35, 7}},
		"calc": {Kind: job.Calc, Expression: "x - 2*mean(y, axis=0)",
			Inputs: []job.Input{{Name: "x", Path: a.Path}, {Name: "y", Path: b.Path}}},
		"concat":     {Kind: job.Concat, Axis: 1, Inputs: []job.Input{a, b, a}},
		"map":        {Inputs: []job.Input{{Path: "celsius:" + a.Path}}, ChunkShape: ndarray.Shape{90, 10}},
		"joined map": {Kind: job.Concat, Inputs: []job.Input{{Path: "celsius:" + a.Path}, {Path: "celsius:" + b.Path}}},
		"reduce":     {Kind: job.Reduce, Expression: "std(x, axis=0)", Inputs: []job.Input{{Name: "x", Path: a.Path}}},
		"results.b2z": {Kind: job.Reduce, Leaves: []job.Leaf{{Key: "/mean", Expression: "mean(x)"},
			{Key: "/most", Expression: "max(x, axis=1)"}}, Inputs: []job.Input{{Name: "x", Path: "celsius:" + a.Path}}},
		"empty": {Inputs: []job.Input{{Path: f.at("none.b2nd")}}},
	}
}

// TestOutputsAreThoseOfOneProcess makes one array of every kind in one pipeline.
func TestOutputsAreThoseOfOneProcess(t *testing.T) {
	f := newFolder(t)
	var orders []Order
	var paths []any
	for name, o := range f.cases() {
		orders = append(orders, f.order(name, o))
		paths = append(paths, f.at(name))
	}
	for range 2 { // what is made already is found
		f.ok(run(t, func(s beam.Scope) {
			passert.Equals(s, Make(s, beam.CreateList(s, orders)), paths...)
		}))
	}
	for name, o := range f.cases() {
		got := f.read(name)
		if got != f.alone(f.order(name, o)) {
			t.Errorf("%s: the output differs from that of one process", name)
		}
		// A copy of joined arrays writes the same chunks in another order. Several results are no
		// copy of anything.
		if o.Kind != job.Concat && o.Leaves == nil && got != f.saved(o) {
			t.Errorf("%s: the output differs from a copy", name)
		}
		j, err := openJob(t.Context(), f.at(name+".job"))
		f.ok(err)
		if n := j.Plan().Tasks; n < 2 && name != "empty" {
			t.Errorf("%s: %d tasks", name, n)
		}
	}
}

// TestOrdersMayDependOnArrays makes an array of one that the pipeline has made before.
func TestOrdersMayDependOnArrays(t *testing.T) {
	f := newFolder(t)
	first := f.order("columns.b2nd", job.Options{Inputs: []job.Input{{Path: f.at("a.b2nd")}}, ChunkShape: ndarray.Shape{90, 10}})
	f.ok(run(t, func(s beam.Scope) {
		Make(s, beam.ParDo(s, nextOrder, Make(s, beam.Create(s, first))))
	}))
	if f.read("columns.b2nd-squared") != f.alone(nextOrder(t.Context(), f.at("columns.b2nd"))) {
		t.Error("the output differs from that of one process")
	}
}

func nextOrder(_ context.Context, path string) Order {
	return Order{path + "-squared.job", job.Options{Kind: job.Calc, Expression: "x*x",
		Inputs: []job.Input{{Name: "x", Path: path}}, Output: path + "-squared"}}
}

// TestFoldersAreOfOneOrder runs another order for the same folder, and one whose input has changed.
func TestFoldersAreOfOneOrder(t *testing.T) {
	f := newFolder(t)
	o := f.order("out.b2nd", job.Options{Inputs: []job.Input{{Path: f.at("a.b2nd")}}})
	f.ok(plan(t, o))
	other := o
	other.Options.ChunkShape = ndarray.Shape{9, 11}
	err := run(t, func(s beam.Scope) { Make(s, beam.Create(s, other)) })
	if err == nil || !strings.Contains(err.Error(), "out.b2nd.job: the folder has the job of another order") {
		t.Errorf("another order: %v", err)
	}
	if err := plan(t, other); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("another order: %v", err)
	}
	u, err := ndarray.Open(f.at("a.b2nd"), &ndarray.OpenOptions{Mode: ndarray.ReadWrite})
	f.ok(err)
	f.ok(u.Fill(t.Context(), 5, ndarray.Index(7), ndarray.Index(3)))
	f.ok(u.Close())
	err = run(t, func(s beam.Scope) { Make(s, beam.Create(s, o)) })
	if err == nil || !strings.Contains(err.Error(), "has changed since the job was planned") {
		t.Errorf("a changed input: %v", err)
	}
}

func plan(t *testing.T, o Order) error {
	_, err := o.plan(t.Context())
	return err
}

// TestOrdersThatFail plans again with other options after a plan that failed.
func TestOrdersThatFail(t *testing.T) {
	f := newFolder(t)
	o := f.order("out.b2nd", job.Options{Inputs: []job.Input{{Path: f.at("a.b2nd")}}, Memory: 1})
	if err := plan(t, o); !errors.Is(err, cairn.ErrLimit) {
		t.Errorf("a plan with a byte of memory: %v", err)
	}
	o.Options.Memory = 0
	f.ok(plan(t, o))
}

// TestPlannedJobs makes the array of a plan that is there already.
func TestPlannedJobs(t *testing.T) {
	f := newFolder(t)
	o := f.order("out.b2nd", job.Options{Inputs: []job.Input{{Path: f.at("a.b2nd")}}})
	p, err := job.New(t.Context(), openInput, &o.Options)
	f.ok(err)
	b, dir, err := site.Job(t.Context(), o.Job)
	f.ok(err)
	_, err = job.Create(t.Context(), b, dir, p)
	f.ok(err)
	if err := plan(t, o); !errors.Is(err, cairn.ErrConflict) {
		t.Errorf("an order for a folder with a plan: %v", err)
	}
	f.make(Order{Job: o.Job})
	if f.read("out.b2nd") != f.alone(o) {
		t.Error("the output differs from that of one process")
	}
	err = run(t, func(s beam.Scope) { Make(s, beam.Create(s, Order{Job: f.at("nothing")})) })
	if err == nil || !strings.Contains(err.Error(), "plan.json") {
		t.Errorf("no plan: %v", err)
	}
}
