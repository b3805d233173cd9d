package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/hdf5"
	"github.com/cairn-go/cairn/hdf5/filter"
	"github.com/cairn-go/cairn/ndarray"
)

// A change is one of a file, as h5py is told of it.
type change struct {
	Op      string `json:"op"`
	Key     string `json:"key"`
	Name    string `json:"name,omitempty"`
	Value   any    `json:"value,omitempty"`
	N       int    `json:"n"`
	Chunked bool   `json:"chunked"`
	Scale   string `json:"scale,omitempty"`
}

// draw draws a change of something that no other change of the commit is about.
func (c *checker) draw(all []node, used map[string]bool, netcdf bool) (change, bool) {
	n := all[c.rng.IntN(len(all))]
	for name := range used {
		for _, own := range []string{n.Key, aliased(n.Key)} {
			if strings.HasPrefix(name+"/", own+"/") || strings.HasPrefix(own+"/", name+"/") {
				return change{}, false
			}
		}
	}

	d := change{Key: n.Key, N: 1 + c.rng.IntN(30), Chunked: c.rng.IntN(2) == 0}
	switch k := c.rng.IntN(10); {
	case k < 3 && n.Hard:
		d.Op = "set"
		d.Name = fmt.Sprintf("new%d", c.rng.IntN(4))
		if len(n.Attributes) > 0 && k > 0 {
			d.Name = n.Attributes[c.rng.IntN(len(n.Attributes))]
		}

		values := []any{"text of some length", 3.5, []float64{1.5, 2, 4}, strings.Repeat("long ", 1+c.rng.IntN(900)),
			make([]float64, c.rng.IntN(9000))}
		d.Value = values[c.rng.IntN(len(values))]
	case k < 5 && n.Hard && len(n.Attributes) > 0:
		d.Op = "unset"
		d.Name = n.Attributes[c.rng.IntN(len(n.Attributes))]
	case k < 6 && n.Key != "/":
		d.Op = "delete"
	case k < 7 && n.Key != "/" && n.Hard:
		d.Op = "replace"
	case n.Group && k < 9:
		d.Op = "put"
		d.Key = path.Join(n.Key, fmt.Sprintf("%s%d", strings.Repeat("long", c.rng.IntN(9)), c.rng.IntN(1000)))
		if c.rng.IntN(3) == 0 {
			d.Key += "/below"
		}

		for _, o := range all {
			if o.Key == "/scale" && !netcdf && !used[o.Key] && c.rng.IntN(2) == 0 {
				d.Scale = o.Key
			}
		}
	case n.Group:
		d.Op = "group"
		d.Key = path.Join(n.Key, fmt.Sprintf("group%d", c.rng.IntN(1000)))
	default:
		return d, false
	}

	if strings.HasPrefix(d.Name, "_Netcdf4") || strings.HasPrefix(d.Name, "_NC") || d.Name == "NAME" || d.Name == "CLASS" {
		return d, false // h5py may, and the library of netCDF then does not open it
	}
	for _, o := range all {
		if o.Key == d.Key && (d.Op == "put" || d.Op == "group") {
			return d, false
		}
	}

	used[d.Key] = true
	used[aliased(d.Key)] = true
	return d, true
}

// aliased returns the first name of what has two: peer.py links to a group from another one.
func aliased(key string) string {
	if rest, ok := strings.CutPrefix(key, "/g/h/group"); ok && (rest == "" || rest[0] == '/') {
		return "/many" + rest
	}
	return key
}

// make makes the change with cairn.
func (d *change) make(f *hdf5.Changer) error {
	ctx := context.Background()
	switch d.Op {
	case "set":
		return f.SetAttribute(ctx, d.Key, hdf5.Attribute{Name: d.Name, Value: d.Value})
	case "unset":
		return f.DeleteAttribute(ctx, d.Key, d.Name)
	case "delete":
		return f.Delete(ctx, d.Key)
	case "group":
		return f.Group(ctx, d.Key, []hdf5.Attribute{{Name: "n", Value: int64(d.N)}})
	case "replace":
		if err := f.Delete(ctx, d.Key); err != nil {
			return err
		}
	}

	items := make([]float64, 3*d.N)
	for i := range items {
		items[i] = float64(i)
	}
	src, err := ndarray.FromSlice(items, ndarray.Shape{int64(d.N), 3}, nil)
	if err != nil {
		return err
	}
	o := &hdf5.DatasetOptions{Attributes: []hdf5.Attribute{{Name: "made", Value: "by the change"}}}
	if d.Chunked {
		o.Chunks = ndarray.Shape{4, 3}
		o.MaxShape = ndarray.Shape{-1, 3}
		o.Filters = []filter.Filter{{ID: filter.Deflate}}
	}
	if d.Scale != "" {
		o.Scales = []string{d.Scale, ""}
	}
	return f.Put(ctx, d.Key, src, o)
}

// refusal returns why a change was refused, for one that may be, or nothing.
func refusal(err error) string {
	if err == nil || !errors.Is(err, cairn.ErrUnsupported) {
		return ""
	}
	for _, reason := range []string{"is a dimension scale of", "how dimension scales are attached", "within one sector",
		"which has to be deleted before", "64 KiB"} {
		if strings.Contains(err.Error(), reason) {
			return reason
		}
	}
	return ""
}

// makeOurs writes a file of cairn.
func makeOurs(name string) error {
	ctx := context.Background()
	w, err := hdf5.Create(name, nil)
	if err != nil {
		return err
	}
	src, err := ndarray.FromSlice([]float64{1, 2, 3, 4, 5}, ndarray.Shape{5}, nil)
	if err != nil {
		return err
	}

	attributes := []hdf5.Attribute{{Name: "title", Value: "a text"}, {Name: "large", Value: make([]float64, 9000)}}
	err = errors.Join(w.Group("/", attributes), w.Put(ctx, "/scale", src, &hdf5.DatasetOptions{Scale: "scale"}))
	for i := range 9 {
		o := &hdf5.DatasetOptions{Attributes: attributes[:i%3], MaxShape: ndarray.Shape{-1}, Scales: []string{"/scale"}}
		err = errors.Join(err, w.Put(ctx, fmt.Sprintf("/g/h%d/d", i), src, o))
	}
	err = errors.Join(err, w.HardLink("/same", "/g/h3/d"), w.Link("/soft", "/g"))
	if err != nil {
		return errors.Join(err, w.Abort())
	}

	return w.Close()
}
