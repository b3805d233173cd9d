package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/serve"
	"github.com/cairn-go/cairn/store"
)

// A world is a folder of arrays, and a server for it.
type world struct {
	dir     string
	host    string
	handler *serve.Handler
	server  *http.Server
	ended   chan error
}

func (w *world) url(fragment string) string { return "http://" + w.host + "/#/" + fragment }

// newWorld makes the arrays that the steps look at, and serves them.
func newWorld() (*world, error) {
	dir, err := os.MkdirTemp("", "arrays-")
	if err != nil {
		return nil, err
	}
	w := &world{dir: dir}
	if err := makeArrays(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return w, w.start("127.0.0.1:0")
}

func (w *world) start(address string) error {
	h, err := serve.New([]serve.Root{{Name: "data", Path: w.dir}}, nil)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return errors.Join(err, h.Close())
	}
	w.handler = h
	w.host = l.Addr().String()
	w.ended = make(chan error, 1)
	w.server = &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { w.ended <- w.server.Serve(l) }()
	return nil
}

func (w *world) stop() error {
	err := w.server.Close()
	<-w.ended
	return errors.Join(err, w.handler.Close())
}

func makeArrays(dir string) error {
	ctx := context.Background()
	if err := os.MkdirAll(filepath.Join(dir, "more", "deep"), 0o755); err != nil {
		return err
	}

	path := func(name string) string { return filepath.Join(dir, name) }
	for _, n := range []ndarray.Shape{{}, {5000}, {90, 130}, {4, 90, 130}, {2, 3, 40, 50}, {2, 2, 3, 30, 40}} {
		if err := save(ctx, path(fmt.Sprintf("dims%d.b2nd", len(n))), n, ramp); err != nil {
			return err
		}
	}

	return errors.Join(
		save(ctx, path("halves.b2nd"), ndarray.Shape{3, 400, 600}, halves),
		save(ctx, path("other.b2nd"), ndarray.Shape{3, 400, 600}, func(at []int64) float32 { return halves(at) + float32(at[2])/600 }),
		save(ctx, path("more/deep/needle.b2nd"), ndarray.Shape{20, 30}, ramp),
		save(ctx, path("large.b2nd"), ndarray.Shape{6000, 5000}, waves),
		save(ctx, path("grow.b2nd"), ndarray.Shape{10, 40, 50}, ramp),
		saveTexts(ctx, path("texts.b2nd")),
		saveRecords(ctx, path("records.b2nd")),
		saveHuge(path("huge.b2nd")),
		saveClimate(ctx, path("climate.b2z")),
		os.WriteFile(path("notes.txt"), []byte("no array"), 0o644),
		saveDamaged(ctx, path("damaged.b2nd")),
		savePacked(ctx, path("packed.b2nd")),
	)
}

// ramp has values that tell where an item is.
func ramp(at []int64) float32 {
	v := int64(0)
	for _, i := range at {
		v = v*100 + i%100
	}
	return float32(v % 100_000)
}

// halves is 0 on the left and 1 on the right; the last plane is the other way round.
func halves(at []int64) float32 {
	right := at[2] >= 300
	if right != (at[0] == 2) {
		return 1
	}
	return 0
}

func waves(at []int64) float32 {
	y := float64(at[0]) / 300
	x := float64(at[1]) / 300
	return float32(math.Sin(x*y/5) + math.Cos(3*x)*math.Sin(2*y)/2)
}

func save(ctx context.Context, path string, shape ndarray.Shape, value func(at []int64) float32) error {
	a, err := ndarray.FromFunc(ctx, path, shape, value, nil)
	if err != nil {
		return err
	}
	return a.Close()
}

func saveTexts(ctx context.Context, path string) error {
	a, err := ndarray.FromSlice([]string{"granite", "basalt", "<b>slate</b>", "marble & tuff"}, ndarray.Shape{4}, nil)
	if err != nil {
		return err
	}
	return ndarray.Save(ctx, path, a.View(), nil)
}

type record struct {
	ID     int32
	Height float64
}

func saveRecords(ctx context.Context, path string) error {
	var all []record
	for i := range 120 {
		all = append(all, record{int32(i), float64(i) * 1.5})
	}
	a, err := ndarray.FromSlice(all, ndarray.Shape{120}, nil)
	if err != nil {
		return err
	}
	return ndarray.Save(ctx, path, a.View(), nil)
}

// saveHuge makes an array of which nobody computes exact means: most of it is one value.
func saveHuge(path string) error {
	a, err := ndarray.Create[float32](path, ndarray.Shape{1 << 20, 1 << 20}, &ndarray.Options{
		ChunkShape: ndarray.Shape{1 << 12, 1 << 12}, BlockShape: ndarray.Shape{512, 512}, Fill: 7})
	if err != nil {
		return err
	}
	return a.Close()
}

// saveClimate makes a tree with coordinates: temperatures on a globe, with a hole.
func saveClimate(ctx context.Context, path string) error {
	const days, lats, lons = 24, 91, 180
	a, err := ndarray.FromFunc(ctx, "", ndarray.Shape{days, lats, lons}, func(at []int64) float32 {
		lat := float64(2*at[1]-90) * math.Pi / 180
		lon := float64(2*at[2]) * math.Pi / 180
		day := float64(at[0]) / 4
		if at[1] > 60 && at[1] < 68 && at[2] > 130 && at[2] < 150 {
			return float32(math.NaN())
		}
		return float32(288 - 55*math.Pow(math.Sin(lat), 2) + 7*math.Sin(3*lon+day)*math.Cos(lat) + 3*math.Sin(7*lon-2*day+4*lat))
	}, &ndarray.Options{ChunkShape: ndarray.Shape{6, 46, 60}})
	if err != nil {
		return err
	}

	err = a.SetLabels(ndarray.Labels{Dims: []string{"time", "lat", "lon"}, Attributes: meta.Map{
		{Key: "long_name", Value: "air temperature, two metres up"}, {Key: "units", Value: "K"}}})
	if err != nil {
		return err
	}

	axis := func(n int, step, first float64, name, units string) (ndarray.Array[float64], error) {
		values := make([]float64, n)
		for i := range values {
			values[i] = first + step*float64(i)
		}
		c, err := ndarray.FromSlice(values, ndarray.Shape{int64(n)}, nil)
		if err != nil {
			return c, err
		}
		return c, c.SetLabels(ndarray.Labels{Dims: []string{name}, Attributes: meta.Map{{Key: "units", Value: units}}})
	}

	time, err1 := axis(days, 6, 0, "time", "hours since 2026-01-01")
	lat, err2 := axis(lats, 2, -90, "lat", "degrees_north")
	lon, err3 := axis(lons, 2, 0, "lon", "degrees_east")
	e, err := store.Create(path, nil)
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return err
	}

	return errors.Join(e.Put(ctx, "/t2m", a, nil), e.Put(ctx, "/time", time, nil), e.Put(ctx, "/lat", lat, nil),
		e.Put(ctx, "/lon", lon, nil), e.Close())
}

// saveDamaged makes an array whose chunks are overwritten.
func saveDamaged(ctx context.Context, path string) error {
	if err := save(ctx, path, ndarray.Shape{100, 100}, func(at []int64) float32 { return float32(at[0]*7919%101) + float32(at[1]*31%17) }); err != nil {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i := 300; i < len(raw)-600; i++ {
		raw[i] ^= 0x5a
	}
	return os.WriteFile(path, raw, 0o644)
}
