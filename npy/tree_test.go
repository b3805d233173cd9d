package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/ndarray"
)

var _ ndarray.Tree = (*Archive)(nil)

func TestArchivesAreTreesOfTheirNames(t *testing.T) {
	var item bytes.Buffer
	if err := Write(t.Context(), &item, ndarray.Items([]int8{7}, ndarray.Shape{1}), nil); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"x.npy", "g/y.npy", "a.npy", "g.npy", "g-1.npy", "..//w.npy", ".npy", "readme", "a.npy"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(item.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := OpenArchiveReader(bytes.NewReader(b.Bytes()), int64(b.Len()), nil)
	if err != nil {
		t.Fatal(err)
	}

	var got string
	for n, err := range ndarray.Walk(t.Context(), a, "/") {
		if err != nil {
			t.Fatal(err)
		}
		got += n.Key + " " + n.Kind.String() + "\n"
		if n.Kind != ndarray.ArrayNode {
			continue
		}
		src, err := a.Open(t.Context(), n.Key)
		if err != nil || src.Shape()[0] != 1 {
			t.Errorf("%s: %v", n.Key, err)
		}
	}
	want := "/..//w array\n/.npy array\n/a damaged\n/g array\n/g group\n/g/y array\n/g-1 array\n/x array\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	if nodes, err := a.Children(t.Context(), "/x"); err != nil || len(nodes) != 1 || nodes[0].Key != "/x" {
		t.Errorf("an array: %v %v", nodes, err)
	}
	if _, err := a.Children(t.Context(), "/none"); !errors.Is(err, cairn.ErrNotFound) {
		t.Errorf("nothing: %v", err)
	}
	if m, err := a.Attributes(t.Context(), "/g"); m != nil || err != nil {
		t.Errorf("%v %v", m, err)
	}
}
