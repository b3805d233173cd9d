package store

import (
	"errors"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

// A Kind says what a frame is, by the metalayers that python-blosc2 marks it with (format:
// containers). The zero Kind is a frame without marks.
type Kind uint8

const (
	Frame  Kind = iota // plain chunks
	Array              // an N-dimensional array
	Object             // one Python object per chunk, as msgpack
	Batch              // lists of objects, one list per chunk
	List               // a column of lists
	// an expression that is worked out when it is read; the frame has its shape and dtype, and no
	// items
	Lazy
	// an array somewhere else; the frame has its shape and dtype, and no items
	Reference
	Proxy       // a copy of an array somewhere else, as far as it was fetched: an array
	EmbedStore  // a tree in one frame
	DictStore   // what an archive or a directory keeps beside its files
	TreeStore   // the same of a tree with attributes
	Table       // a group of arrays that are the columns of a table
	Remote      // not a frame but the address of an array on a server
	RemoteStore // not a frame but the address of a tree
)

var kindNames = [...]string{"frame", "array", "object array", "batch array", "list array", "lazy array", "reference", "proxy", "embed store", "dict store", "tree store", "table",
	"remote array", "remote store"}

// String returns the kind in words.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// hasItems reports whether ndarray can read the items of a frame of this kind.
func (k Kind) hasItems() bool { return k == Array || k == Proxy }

// layered is a frame or a state of one.
type layered interface {
	Layer(name string) ([]byte, error)
}

// marks are the metalayers that tell, the first that is there first; python-blosc2 looks for them
// in this order.
var marks = []struct {
	layer string
	kind  Kind
}{
	{"b2embed", EmbedStore}, {"b2tree", TreeStore}, {"b2dict", DictStore},
	{"proxy-source", Proxy}, {"b2o", Lazy}, {"listarray", List}, {"vlarray", Object}, {"batcharray", Batch}, {"LazyArray", Lazy},
	{meta.LayerB2ND, Array}, {meta.LayerCaterva, Array},
}

// extensionOf returns how python-blosc2 calls files of a kind.
func extensionOf(k Kind) string {
	switch k {
	case Array, Lazy, Reference, Proxy:
		return ".b2nd"
	case Batch, List:
		return ".b2b"
	}
	return ".b2f"
}

// KindOf returns what a frame is. It is wrong to rely on it for what can be read: a mark is a note
// by whoever wrote the frame.
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

// carried returns the kind of an array that stands for something else.
func carried(content []byte) Kind {
	v, err := meta.Unpack(content)
	if m, ok := v.(meta.Map); err == nil && ok {
		if kind, _ := m.Get("kind"); kind == "c2array" {
			return Reference
		}
	}
	return Lazy
}
