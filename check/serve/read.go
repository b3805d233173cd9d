package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-go/cairn/check/harness"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
	"github.com/cairn-go/cairn/serve"
	"github.com/cairn-go/cairn/storage"
	"github.com/cairn-go/cairn/storage/httprange"
	"github.com/cairn-go/cairn/store"
	"github.com/cairn-go/cairn/zarr"
)

//go:embed peer.py
var peerSource string

type counts struct {
	Seed     uint64
	Versions string
	Arrays   int
	Forms    map[string]int
	Reads    map[string]int // by reader
	Failed   int
	Failures harness.Failures[string]
}

// readAll makes arrays, serves them, and lets everybody read them.
func readAll(seed uint64, python, zarrita string, cases, one int) error {
	c := &counts{Seed: seed, Forms: map[string]int{}, Reads: map[string]int{}}
	peer, versions, err := harness.Python(python, peerSource)
	if err != nil {
		return err
	}
	defer peer.Close()
	c.Versions = versions

	root, err := os.MkdirTemp("", "cairn-serve-")
	if err != nil {
		return err
	}
	if one < 0 {
		defer os.RemoveAll(root)
	} else {
		fmt.Fprintln(os.Stderr, "files are in", root)
	}

	m := &maker{peer: peer, root: filepath.Join(root, "data")}
	for k := 0; one < 0 && len(m.all) < cases || k <= one; k++ {
		m.drawer = drawer{rand.New(rand.NewPCG(seed, uint64(k)))}
		if one >= 0 && k != one {
			continue
		}
		if err := m.place(k); err != nil {
			return err
		}
	}

	s, err := start(m.root)
	if err != nil {
		return err
	}
	defer s.close()
	js, err := harness.StartZarrita(zarrita)
	if err != nil {
		return err
	}
	if js.Peer != nil {
		defer js.Close()
	}

	for _, a := range m.all {
		c.Arrays++
		c.Forms[a.form]++
		r := reading{counts: c, drawer: m.drawer, served: a, base: s.url, peer: peer, js: js}
		err := r.run()
		if errors.Is(err, harness.ErrEnded) {
			return err
		}
		if err != nil {
			c.Failed++
			c.Failures.Add(fmt.Sprintf("%s, %s of %v in chunks %v, blocks %v, codec %d, level %d, filters %v: %v", a.path,
				a.DType, a.Shape, a.Chunks, a.Blocks, a.Codec, a.Level, a.Filter, err))
		}
	}

	return harness.Report("serve", c, c.Failed)
}

// A server serves a folder in this process.
type server struct {
	handler *serve.Handler
	http    *http.Server
	url     string
}

func start(root string) (*server, error) {
	h, err := serve.New([]serve.Root{{Name: "data", Path: root}}, nil)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	s := &server{h, &http.Server{Handler: h}, "http://" + l.Addr().String()}
	go s.http.Serve(l)
	return s, nil
}

func (s *server) close() error { return errors.Join(s.http.Close(), s.handler.Close()) }

// A reading is one array that all read.
type reading struct {
	*counts
	drawer
	*served
	base string
	peer *harness.Peer
	js   harness.Zarrita
}

func (r *reading) run() error {
	start, stop := harness.Box(r.Rand, r.Shape)
	ask := map[string]any{"op": "read", "zarr": r.base + "/zarr/data/" + r.path, "group": r.base + "/zarr/data/" + r.group,
		"member": r.member, "want": r.Want, "dtype": r.DType, "shape": r.Shape, "start": start, "stop": stop,
		"dims": r.Dims, "attributes": r.Attrs, "file": "", "tree": "", "leaf": r.Name,
		"delta": slices.Contains(r.Filter, 3)}
	if r.file != "" {
		ask["file"] = r.base + "/files/data/" + r.file
	}
	if r.tree != "" {
		ask["tree"] = r.base + "/files/data/" + r.tree
	}

	var answer struct {
		Found, Reads []string
	}
	if err := r.peer.Call(ask, &answer); err != nil {
		return err
	}
	for _, name := range answer.Reads {
		r.Reads[name]++
	}

	if len(answer.Found) > 0 {
		return errors.New(strings.Join(answer.Found, "; "))
	}
	return errors.Join(r.zarrita(), r.cairn(start, stop))
}

// cairn compares what cairn reads by HTTP: the file, and the array as Zarr.
func (r *reading) cairn(start, stop []int64) error {
	ctx := context.Background()
	far, err := httprange.NewFS(ctx, nil)
	if err != nil {
		return err
	}
	defer far.Close()

	for _, version := range []string{"zarr.json", ".zarray"} {
		s, err := zarr.Open(r.base+"/zarr/data/"+r.path+"/", &zarr.OpenOptions{FS: only{far, version}})
		if err != nil {
			return fmt.Errorf("cairn, %s: %w", version, err)
		}
		a, err := s.Array(context.Background(), "/")
		if err == nil {
			err = r.same("cairn, "+version, a, start, stop)
		}
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
	}

	url := r.base + "/files/data/"
	switch {
	case r.file != "":
		u, err := ndarray.Open(url+r.file, &ndarray.OpenOptions{FS: far})
		if err != nil {
			return err
		}
		return errors.Join(r.same("cairn, file", u, start, stop), u.Close())
	case r.tree != "":
		s, err := store.Open(url+r.tree, &store.OpenOptions{FS: far})
		if err != nil {
			return err
		}
		defer s.Close()
		u, err := s.Array(context.Background(), "/"+r.Name)
		if err != nil {
			return err
		}
		return errors.Join(r.same("cairn, tree", u, start, stop), u.Close())
	case r.form == "npy":
		a, err := npy.Open(url+r.path, &npy.OpenOptions{FS: far})
		if err != nil {
			return err
		}
		return errors.Join(r.same("cairn, npy", a, start, stop), a.Close())
	}
	return nil
}

// only is a file system without the metadata of the other version.
type only struct {
	*httprange.FS
	name string
}

// hides reports whether a name is that of the other version's metadata.
func (o only) hides(name string) bool {
	base := path.Base(name)
	return base != o.name && (base == "zarr.json" || base == ".zarray")
}

func (o only) Open(name string) (storage.File, error) {
	if o.hides(name) {
		return nil, fs.ErrNotExist
	}
	return o.FS.Open(name)
}

func (o only) Stat(name string) (storage.Info, error) {
	if o.hides(name) {
		return storage.Info{}, fs.ErrNotExist
	}
	return o.FS.Stat(name)
}

// isOf reports whether a dtype is that of the items. python-blosc2 4.14 writes plain bytes as a
// structure of them.
func (r *reading) isOf(d meta.DType) bool {
	if d.Equal(r.dtype) {
		return true
	}
	fields := d.Fields()
	return len(fields) == 1 && fields[0].Name == "f0" && fields[0].Type.Equal(r.dtype)
}

// same compares a source with the items.
func (r *reading) same(who string, src ndarray.Source, start, stop []int64) error {
	r.Reads[who]++
	if !slices.Equal(src.Shape(), r.Shape) || !r.isOf(src.DType()) {
		return fmt.Errorf("%s: %v of %v", who, src.Shape(), src.DType())
	}
	for _, box := range [][2][]int64{{make([]int64, len(r.Shape)), r.Shape}, {start, stop}} {
		want := r.model.Box(box[0], box[1])
		got := make([]byte, len(want))
		if err := src.ReadBytes(context.Background(), got, box[0], box[1]); err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s: items of %v differ", who, box)
		}
	}
	return nil
}

// zarrita compares what zarrita reads with the items. It knows no scalars.
func (r *reading) zarrita() error {
	for version := 2; version <= 3 && len(r.Shape) > 0 && r.js.Knows(r.dtype); version++ {
		if err := r.js.Compare(r.base+"/zarr/data/"+r.path, r.Want, r.dtype, version); err != nil {
			return err
		}
		r.Reads[fmt.Sprintf("zarrita v%d", version)]++
	}
	return nil
}
