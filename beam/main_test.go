package cairnbeam

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
)

// TestMain also runs the test binary as a worker of Prism's process environment, which says where
// to connect to by one flag, but means three.
func TestMain(m *testing.M) {
	beamlog.LogLevel = "error"
	provision := flag.String("provision_endpoint", "", "")
	flag.Parse()
	if *provision != "" {
		id := strings.Trim(flag.Lookup("id").Value.String(), "'")
		for name, value := range map[string]string{"worker": "true", "id": id, "logging_endpoint": *provision,
			"control_endpoint": *provision} {
			if err := flag.Set(name, value); err != nil {
				log.Fatal(err)
			}
		}
	}
	beam.Init() // which ends a worker
	slog.SetDefault(slog.New(slog.DiscardHandler))
	p, s := beam.NewPipelineWithRoot() // starts Prism
	beam.Create(s, 1)
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

// A folder has input arrays.
type folder struct {
	t    testing.TB
	path string
}

func newFolder(t testing.TB) *folder {
	f := &folder{t, t.TempDir()}
	f.put("a.b2nd", ndarray.Shape{90, 110}, ndarray.Shape{20, 30}, func(i int) float32 { return float32(i%1000) / 7 })
	f.put("b.b2nd", ndarray.Shape{90, 110}, ndarray.Shape{20, 30}, func(i int) float32 { return float32(i - min(i, 4000)) })
	f.put("none.b2nd", ndarray.Shape{0, 5}, ndarray.Shape{4, 5}, func(int) float32 { return 0 })
	return f
}

func (f *folder) put(name string, shape, chunks ndarray.Shape, item func(i int) float32) {
	f.t.Helper()
	a, err := ndarray.Create[float32](f.at(name), shape, &ndarray.Options{ChunkShape: chunks})
	f.ok(err)
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = item(i)
	}
	f.ok(a.Write(f.t.Context(), values))
	f.ok(a.SetLabels(ndarray.Labels{Dims: []string{"x", "y"}}))
	f.ok(a.Close())
}

func (f *folder) at(name string) string { return filepath.Join(f.path, name) }

func (f *folder) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) open(name string) *ndarray.Untyped {
	f.t.Helper()
	u, err := ndarray.Open(f.at(name), nil)
	f.ok(err)
	f.t.Cleanup(func() { _ = u.Close() })
	return u
}

func (f *folder) read(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(f.at(name))
	f.ok(err)
	return string(b)
}

// alone makes what was ordered in this process, and returns the bytes of the file.
func (f *folder) alone(o Order) string {
	f.t.Helper()
	f.ok(os.MkdirAll(f.at("alone"), 0o777))
	name := filepath.Join("alone", filepath.Base(o.Options.Output))
	o.Options.Output = f.at(name)
	o.Job = o.Options.Output + ".job"
	ctx := f.t.Context()
	j, err := o.plan(ctx)
	f.ok(err)
	f.ok(j.Work(ctx, openInput, nil))
	f.ok(j.Seal(ctx, nil))
	return f.read(name)
}

// saved makes what was ordered without a job, and returns the bytes of the file.
func (f *folder) saved(o job.Options) string {
	f.t.Helper()
	var all []ndarray.Source
	named := map[string]ndarray.Source{}
	for _, in := range o.Inputs {
		src, end, err := openInput(f.t.Context(), in.Path)
		f.ok(err)
		defer end()
		all, named[in.Name] = append(all, src), src
	}
	src := all[0]
	switch o.Kind {
	case job.Calc, job.Reduce:
		e, err := compute.Calc(f.t.Context(), o.Expression, named, nil)
		f.ok(err)
		src = e
	case job.Concat:
		src = ndarray.Concat(o.Axis, all...)
	}
	f.ok(ndarray.Save(f.t.Context(), f.at("saved"), src, &ndarray.CopyOptions{Overwrite: true,
		ChunkShape: o.ChunkShape, Codec: o.Codec, Level: o.Level, Filters: o.Filters}))
	return f.read("saved")
}

// order returns an order for an array of this name.
func (f *folder) order(name string, o job.Options) Order {
	o.Output, o.TaskBytes, o.MaxReads = f.at(name), 8000, 20
	return Order{f.at(name + ".job"), o}
}

// run runs a pipeline on Prism in this process.
func run(t testing.TB, build func(s beam.Scope)) error {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	build(s)
	_, err := beam.Run(context.WithoutCancel(t.Context()), "prism", p)
	return err
}

// make runs a pipeline that makes what was ordered.
func (f *folder) make(orders ...Order) {
	f.t.Helper()
	f.ok(run(f.t, func(s beam.Scope) { Make(s, beam.CreateList(s, orders)) }))
}
