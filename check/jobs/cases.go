package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-go/cairn/check/objects"
	"github.com/cairn-go/cairn/compute"
	"github.com/cairn-go/cairn/job"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/store"
)

// A site has the inputs of all jobs, and what each must make of them.
type site struct {
	dir    string
	door   *objects.Door // to buckets in memory
	server *httptest.Server
	cases  []*dealt
}

// A dealt case is a job with the digest of its output.
type dealt struct {
	name string
	o    job.Options
	far  bool   // the output is in a bucket
	want string // digest of the output
}

// newSite makes inputs in a directory, and computes each case in this process.
func newSite(ctx context.Context, dir string) (*site, error) {
	s := &site{dir: dir, door: &objects.Door{}}
	s.server = httptest.NewServer(s.door)

	for i, name := range []string{"x.b2nd", "y.b2nd"} {
		values := make([]float32, 120*90)
		for k := range values {
			if k > 2000*i {
				values[k] = float32(k%977)/7 + float32(i*k)
			}
		}

		a, err := ndarray.Create[float32](s.at(name), ndarray.Shape{120, 90},
			&ndarray.Options{ChunkShape: ndarray.Shape{15, 30}, BlockShape: ndarray.Shape{5, 10}})
		if err != nil {
			return nil, err
		}

		if err = errors.Join(a.Write(ctx, values), a.Close()); err != nil {
			return nil, err
		}
	}

	x := job.Input{Path: s.at("x.b2nd")}
	y := job.Input{Path: s.at("y.b2nd")}
	named := []job.Input{{Name: "x", Path: x.Path}, {Name: "y", Path: y.Path}}
	for _, c := range []*dealt{
		{name: "rechunk", o: job.Options{Inputs: []job.Input{y}, ChunkShape: ndarray.Shape{40, 9}}},
		{name: "take over", o: job.Options{Inputs: []job.Input{x}, Sparse: true}},
		{name: "calc", o: job.Options{Kind: job.Calc, Inputs: named, Expression: "x - mean(y, axis=0)"}},
		{name: "mean", o: job.Options{Kind: job.Reduce, Inputs: named[:1], Expression: "mean(x, axis=0)"}},
		{name: "groups", o: job.Options{Kind: job.Reduce, Inputs: named[:1],
			Expression: "std(x, by='weekday')"}},
		{name: "anomalies", o: job.Options{Kind: job.Calc, Inputs: named[:1],
			Expression: "x - clim(x, 'weekday')"}},
		{name: "concat", o: job.Options{Kind: job.Concat, Axis: 1, Inputs: []job.Input{x, y}}},
		{name: "store", o: job.Options{Kind: job.Reduce, Inputs: named[:1], Leaves: []job.Leaf{
			{Key: "mean", Expression: "mean(x)"}, {Key: "std", Expression: "std(x)"}}}},
		{name: "bucket", far: true, o: job.Options{Inputs: []job.Input{y}, ChunkShape: ndarray.Shape{30, 18}}},
		{name: "deviation in a bucket", far: true, o: job.Options{Kind: job.Reduce, Inputs: named,
			Expression: "std(x - y, axis=1)"}},
	} {
		c.o.TaskBytes = 4000
		c.o.MaxReads = 20
		c.o.Workers = 1
		s.cases = append(s.cases, c)
		if err := s.compute(ctx, c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return s, nil
}

// weekdays are seven groups along the first axis.
func weekdays(_ context.Context, _ string, _ []string, shape ndarray.Shape) ([]compute.Groups, error) {
	g := compute.Groups{Of: make([]int, shape[0]), Count: 7}
	for i := range g.Of {
		g.Of[i] = i % 7
	}
	return []compute.Groups{g}, nil
}

func (s *site) at(name string) string { return filepath.Join(s.dir, name) }

// A place is where a job and its output are.
type place struct {
	c      *dealt
	job    string // bucket
	far    string // bucket of the output, or empty
	server string // address of the server of the buckets; empty if they are directories
	door   *objects.Door
	out    string
}

// bucket returns one of the buckets.
func (p *place) bucket(name string) storage.Bucket { return bucketOf(p.server, name) }

// place makes directories for a job.
func (s *site) place(c *dealt, name string, served bool) (*place, error) {
	p := &place{c: c, door: s.door, job: s.at(name + ".job"), out: s.at(name + ".b2nd")}
	if len(c.o.Leaves) > 0 {
		p.out = s.at(name + ".b2z")
	}
	if c.far {
		p.far = s.at(name + ".bucket")
		p.out = "arrays/out"
	}

	if served {
		p.server = s.server.URL
		s.door.Open(filepath.Base(p.job), objects.NewMemory())
		s.door.Open(filepath.Base(p.far), objects.NewMemory())
		return p, nil
	}

	err := os.Mkdir(p.job, 0o777)
	if c.far && err == nil {
		err = os.Mkdir(p.far, 0o777)
	}
	return p, err
}

func (p *place) remove() error {
	p.door.Close(filepath.Base(p.job))
	p.door.Close(filepath.Base(p.far))
	err := os.RemoveAll(p.job)
	for _, path := range []string{p.far, p.out} {
		if filepath.IsAbs(path) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// files returns the file system of the output.
func (p *place) files(ctx context.Context) storage.FS {
	if p.far == "" {
		return nil
	}
	return storage.BucketFS(ctx, p.bucket(p.far))
}

// plan creates the job.
func (p *place) plan(ctx context.Context) (*job.Job, error) {
	o := p.c.o
	o.Output = p.out
	o.FindGroups(weekdays)
	made, err := job.New(ctx, job.Arrays(nil), &o)
	if err != nil {
		return nil, err
	}
	j, err := job.Create(ctx, p.bucket(p.job), "", made)
	if err == nil && p.far != "" {
		j.Place(p.files(ctx))
	}
	return j, err
}

// compute runs a case without disturbance.
func (s *site) compute(ctx context.Context, c *dealt) error {
	p, err := s.place(c, "right", false)
	if err != nil {
		return err
	}

	run := func() error {
		j, err := p.plan(ctx)
		if err != nil {
			return err
		}
		if err := j.Work(ctx, job.Arrays(nil), nil); err != nil {
			return err
		}
		if err := j.Seal(ctx, nil); err != nil {
			return err
		}

		c.want, err = p.digest(ctx)
		if err == nil && c.want == "" {
			err = errors.New("no output")
		}
		return err
	}
	return errors.Join(run(), p.remove())
}

// digest returns a hash of the output, or nothing if there is none.
func (p *place) digest(ctx context.Context) (string, error) {
	files := p.files(ctx)
	if files == nil {
		if _, err := os.Lstat(p.out); errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
	}

	var all []*ndarray.Untyped
	defer func() {
		for _, u := range all {
			_ = u.Close()
		}
	}()

	if strings.HasSuffix(p.out, ".b2z") {
		have, err := store.Open(p.out, nil)
		if err != nil {
			return "", err
		}
		defer have.Close()
		for l := range have.Leaves() {
			u, err := have.Array(context.Background(), l.Key)
			if err != nil {
				return "", err
			}
			all = append(all, u)
		}
	} else {
		u, err := ndarray.Open(p.out, &ndarray.OpenOptions{FS: files})
		if p.far != "" && errors.Is(err, os.ErrNotExist) {
			return "", nil
		} else if err != nil {
			return "", err
		}
		all = append(all, u)
	}

	// The encoded chunks are in it too: all schedules must leave the same bytes.
	sum := sha256.New()
	for _, u := range all {
		chunks, blocks := u.Grid()
		fmt.Fprintf(sum, "%v %s %v %v %q\n", u.Shape(), u.DType(), chunks, blocks, u.Frame().Layers())
		for i := range u.Frame().NumChunks() {
			c, err := u.Frame().EncodedChunk(nil, i)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "%x\n", c)
		}

		raw, err := u.View().Read(ctx)
		if err != nil {
			return "", err
		}
		sum.Write(raw)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
