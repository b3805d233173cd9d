package job

import (
	"context"
	"io"
	"testing"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
	"github.com/cairn-go/cairn/storage"
)

// A site is a file system in memory with input arrays, and buckets for jobs.
type site struct {
	t  testing.TB
	fs storage.FS
}

func newSite(t testing.TB) *site {
	s := &site{t, storage.NewMemory()}
	fill := func(i int) float32 { return float32(i%1000)/7 + float32(i/5000) }
	s.put("a.b2nd", ndarray.Shape{90, 110}, ndarray.Shape{20, 30}, ndarray.Shape{10, 8}, fill)
	s.put("b.b2nd", ndarray.Shape{90, 110}, ndarray.Shape{20, 30}, ndarray.Shape{10, 8}, func(i int) float32 {
		if i < 4000 {
			return 0
		}
		return float32(i)
	})
	s.put("cube.b2nd", ndarray.Shape{40, 30, 20}, ndarray.Shape{2, 30, 20}, ndarray.Shape{1, 15, 20}, fill)
	s.put("none.b2nd", ndarray.Shape{0, 5}, ndarray.Shape{4, 5}, ndarray.Shape{2, 5}, fill)
	s.put("one.b2nd", ndarray.Shape{}, nil, nil, fill)
	return s
}

func (s *site) put(path string, shape, chunks, blocks ndarray.Shape, item func(i int) float32) {
	s.t.Helper()
	a, err := ndarray.Create[float32](path, shape, &ndarray.Options{ChunkShape: chunks, BlockShape: blocks, FS: s.fs})
	if err != nil {
		s.t.Fatal(err)
	}
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = item(i)
	}
	if err := a.Write(s.t.Context(), values); err != nil {
		s.t.Fatal(err)
	}
	err = a.SetLabels(ndarray.Labels{Attributes: nil, Dims: []string{"x", "y", "z"}[:len(shape)]})
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// job plans a job and creates it in a new folder.
func (s *site) job(o *Options) *Job {
	s.t.Helper()
	p, err := New(s.t.Context(), Arrays(s.fs), o)
	if err != nil {
		s.t.Fatal(err)
	}
	j, err := Create(s.t.Context(), s.bucket(p.ID), p.ID[:4], p)
	if err != nil {
		s.t.Fatal(err)
	}
	return j
}

func (s *site) bucket(name string) storage.Bucket {
	s.t.Helper()
	if err := s.fs.Mkdir(name); err != nil {
		s.t.Fatal(err)
	}
	return storage.FSBucket(s.fs, name)
}

func (s *site) work(j *Job, tasks ...int64) {
	s.t.Helper()
	if err := j.Work(s.t.Context(), Arrays(s.fs), &WorkOptions{Tasks: tasks}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) seal(j *Job, path string) {
	s.t.Helper()
	if err := j.Seal(s.t.Context(), &SealOptions{FS: s.fs, Path: path}); err != nil {
		s.t.Fatal(err)
	}
}

// read returns the bytes of a file.
func (s *site) read(path string) string {
	s.t.Helper()
	f, err := s.fs.Open(path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, size))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// cases are jobs whose outputs are also made in one call.
func (s *site) cases() map[string]struct {
	o    *Options
	save *ndarray.CopyOptions
} {
	a, b := Input{Path: "a.b2nd"}, Input{Path: "b.b2nd"}
	cube := Input{Path: "cube.b2nd"}
	none := []shuffle.Spec{shuffle.None}
	return map[string]struct {
		o    *Options
		save *ndarray.CopyOptions
	}{
		"take over": {&Options{Inputs: []Input{a}}, nil},
		"recode": {&Options{Inputs: []Input{b}, Codec: codecs.LZ4, Level: 3, Filters: none},
			&ndarray.CopyOptions{Codec: codecs.LZ4, Level: 3, Filters: none}},
		"rechunk": {&Options{Inputs: []Input{b}, ChunkShape: ndarray.Shape{35, 7}},
			&ndarray.CopyOptions{ChunkShape: ndarray.Shape{35, 7}}},
		"turn": {&Options{Inputs: []Input{cube}, ChunkShape: ndarray.Shape{40, 5, 4}, Level: chunk.Stored},
			&ndarray.CopyOptions{ChunkShape: ndarray.Shape{40, 5, 4}, Level: chunk.Stored}},
		"empty": {&Options{Inputs: []Input{{Path: "none.b2nd"}}}, nil},
		"item":  {&Options{Inputs: []Input{{Path: "one.b2nd"}}}, nil},
		"calc": {&Options{Kind: Calc, Expression: "x - 2*mean(y, axis=0)",
			Inputs: []Input{{Name: "x", Path: "a.b2nd"}, {Name: "y", Path: "b.b2nd"}}}, nil},
		"mean": {&Options{Kind: Reduce, Expression: "mean(x, axis='y')", Inputs: []Input{{Name: "x", Path: "a.b2nd"}}}, nil},
		"deviation": {&Options{Kind: Calc, Expression: "std(x - y) + argmax(x)", Codec: codecs.LZ4,
			Inputs: []Input{{Name: "x", Path: "a.b2nd"}, {Name: "y", Path: "b.b2nd"}}}, &ndarray.CopyOptions{Codec: codecs.LZ4}},
		"planes": {&Options{Kind: Reduce, Expression: "var(c, axis=(1, 2), ddof=1, keepdims=True)",
			Inputs: []Input{{Name: "c", Path: "cube.b2nd"}}}, nil},
		"none left": {&Options{Kind: Reduce, Expression: "sum(x, axis=0)", Inputs: []Input{{Name: "x", Path: "none.b2nd"}}}, nil},
		"groups": {&Options{Kind: Calc, Expression: "mean(x, by='sevenths') + nanstd(x, by='sevenths')", by: sevenths,
			Inputs: []Input{{Name: "x", Path: "a.b2nd"}}}, nil},
		"anomalies": {&Options{Kind: Calc, Expression: "x - clim(x, 'sevenths')", by: sevenths,
			Inputs: []Input{{Name: "x", Path: "a.b2nd"}}}, nil},
		"concat": {&Options{Kind: Concat, Axis: 1, Inputs: []Input{a, b, a}}, nil},
	}
}

// sevenths finds groups of every seventh index along the first axis.
func sevenths(_ context.Context, _ string, _ []string, shape ndarray.Shape) ([]compute.Groups, error) {
	g := compute.Groups{Of: make([]int, shape[0]), Count: 7}
	for i := range g.Of {
		g.Of[i] = i % 7
	}
	return []compute.Groups{g}, nil
}

// source is what a case copies.
func (s *site) source(o *Options) ndarray.Source {
	s.t.Helper()
	var all []ndarray.Source
	named := map[string]ndarray.Source{}
	for _, in := range o.Inputs {
		u, err := ndarray.Open(in.Path, &ndarray.OpenOptions{FS: s.fs})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = u.Close() })
		all, named[in.Name] = append(all, u), u
	}
	switch o.Kind {
	case Calc, Reduce:
		e, err := compute.Calc(s.t.Context(), o.Expression, named, &compute.CalcOptions{By: o.by})
		if err != nil {
			s.t.Fatal(err)
		}
		return e
	case Concat:
		return ndarray.Concat(o.Axis, all...)
	}
	return all[0]
}
