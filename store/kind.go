package store

import (
	"errors"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// A Kind is what a frame contains, according to the metalayers with which python-blosc2 marks it
// (format: containers). The zero Kind is a frame without marks.
type Kind uint8

const (
	Frame  Kind = iota // plain chunks
	Array              // an N-dimensional array
	Object             // one Python object per chunk, as msgpack
	Batch              // lists of objects, one list per chunk
	List               // a column of lists
	// an expression that is evaluated when it is read; the frame has its shape and dtype, and no
	// items
	Lazy
	// a reference to an array elsewhere; the frame has its shape and dtype, and no items
	Reference
	Proxy       // an array that caches the fetched part of an array elsewhere
	EmbedStore  // a tree in one frame
	DictStore   // the embed store of an archive or a directory
	TreeStore   // the same for a tree with attributes
	Table       // a group of arrays that are the columns of a table
	Remote      // the address of an array on a server, not a frame
	RemoteStore // the address of a tree on a server, not a frame
)

var kindNames = [...]string{"frame", "array", "object array", "batch array", "list array", "lazy array", "reference", "proxy", "embed store", "dict store", "tree store", "table",
	"remote array", "remote store"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// hasItems reports whether ndarray can read the items of a frame of this kind.
func (k Kind) hasItems() bool { return k == Array || k == Proxy }

// layered is a frame or a snapshot of one.
type layered interface {
	Layer(name string) ([]byte, error)
}

// marks are the metalayers that identify a kind. The first one present decides; python-blosc2 uses
// the same order.
var marks = []struct {
	layer string
	kind  Kind
}{
	{"b2embed", EmbedStore}, {"b2tree", TreeStore}, {"b2dict", DictStore},
	{"proxy-source", Proxy}, {"b2o", Lazy}, {"listarray", List}, {"vlarray", Object}, {"batcharray", Batch}, {"LazyArray", Lazy},
	{meta.LayerB2ND, Array}, {meta.LayerCaterva, Array},
}

// extensionOf returns the extension that python-blosc2 gives to files of a kind.
func extensionOf(k Kind) string {
	switch k {
	case Array, Lazy, Reference, Proxy:
		return ".b2nd"
	case Batch, List:
		return ".b2b"
	}
	return ".b2f"
}

// KindOf returns the kind of a frame. It says nothing about what can be read: a mark is only a
// claim of the program that wrote the frame.
func KindOf(f layered) (Kind, error) {
	for _, m := range marks {
		content, err := f.Layer(m.layer)
		if errors.Is(err, cairn.ErrNotFound) {
			continue
		}
		if err != nil {
			return Frame, err
		}
		if m.layer == "b2o" {
			return carried(content), nil
		}
		return m.kind, nil
	}
	return Frame, nil
}

// carried returns the kind of an array that stands for something else, from its metalayer "b2o".
func carried(content []byte) Kind {
	v, err := meta.Unpack(content)
	if m, ok := v.(meta.Map); err == nil && ok {
		if kind, _ := m.Get("kind"); kind == "c2array" || kind == "remote_array" {
			return Reference
		}
	}
	return Lazy
}
