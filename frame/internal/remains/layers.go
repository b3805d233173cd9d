package remains

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/internal/wire"
	"github.com/cairn-go/cairn/meta"
)

// FirstChunk returns the first offset in b, not before from, where a chunk may begin, or the length
// of b if there is none.
func FirstChunk(b []byte, from int) int {
	for p := from; p+chunk.HeaderSize <= len(b); p++ {
		if !mayBegin(b[p:]) {
			continue
		}
		if h, err := chunk.ParseHeader(b[p:]); err == nil && h.NBytes > 0 {
			return p
		}
	}
	return len(b)
}

// A LostLayer is a metalayer of which only the name is left.
type LostLayer struct {
	Name string
	Err  error
}

// LooseLayers reads the metalayers of a damaged list. It searches b for keys, a0|len name d2
// offset, whose offset refers to a content in b. A key without content is a lost layer.
func LooseLayers(b []byte, from, limit int) (layers []meta.Layer, lost []LostLayer) {
	for p := from; p+6 < len(b) && len(layers)+len(lost) < limit; p++ {
		n := int(b[p] & 0x1f)
		end := p + 1 + n + 5
		if b[p]&^0x1f != wire.TagFixStr || n == 0 || end > len(b) || b[end-5] != wire.TagInt32 {
			continue
		}

		name := string(b[p+1 : p+1+n])
		known := func(l meta.Layer) bool { return l.Name == name }
		strange := func(r rune) bool { return !unicode.IsPrint(r) }
		if strings.ContainsFunc(name, strange) || slices.ContainsFunc(layers, known) {
			continue
		}

		at := int64(int32(binary.BigEndian.Uint32(b[end-4:])))
		content, ok := contentAt(b, at, int64(end))
		if ok {
			layers = append(layers, meta.Layer{Name: name, Content: content})
		} else {
			lost = append(lost, LostLayer{name, cairn.Corruptf("metalayer", int64(p), "its content is not at %d", at)})
		}
		p = end - 1
	}

	return layers, lost
}

// contentAt returns the content that is stored at offset at of b; at must not be less than least.
func contentAt(b []byte, at, least int64) ([]byte, bool) {
	if at < least || at > int64(len(b)-5) || b[at] != wire.TagBin32 {
		return nil, false
	}
	size := int64(binary.BigEndian.Uint32(b[at+1:]))
	if size > int64(len(b))-at-5 {
		return nil, false
	}
	return b[at+5 : at+5+size : at+5+size], true
}
