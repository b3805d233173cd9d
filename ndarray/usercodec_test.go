package ndarray_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/shuffle"
)

// trimmed is a user codec: it removes trailing zeros.
type trimmed struct{}

func (trimmed) Encode(dst, src []byte) (int, error) {
	body := bytes.TrimRight(src, "\x00")
	if len(body) > len(dst) {
		return 0, nil
	}
	return copy(dst, body), nil
}

func (trimmed) Decode(dst, src []byte) error {
	clear(dst[copy(dst, src):])
	return nil
}

// TestUserCodecs writes arrays with user codecs, which have the first and the last possible id, and
// reads boxes. Without the registry the error must name the missing codec.
func TestUserCodecs(t *testing.T) {
	reg := new(codecs.Registry)
	for _, id := range []uint8{160, 255} {
		row := codecs.Row{
			ID: id, Name: fmt.Sprintf("trimmed-%d", id),
			NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return trimmed{}, nil },
			NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return trimmed{}, nil },
		}
		if err := reg.Add(row); err != nil {
			t.Fatal(err)
		}
		u, err := ndarray.NewUntyped("<i4", ndarray.Shape{60, 50}, &ndarray.Options{
			ChunkShape: ndarray.Shape{30, 50}, BlockShape: ndarray.Shape{10, 50}, Engine: chunk.Engine{Codecs: reg},
			Codec: codecs.ByID(id, 0), Filters: []shuffle.Spec{shuffle.Byte},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Repeat([]byte{1, 0, 0, 0, 2, 0, 0, 0}, 1500)
		if err := errors.Join(u.Write(t.Context(), want), u.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		file, err := u.Frame().Bytes()
		if err != nil || len(file) > len(want)/2 {
			t.Fatalf("%d bytes, %v", len(file), err)
		}
		again, err := ndarray.FromBytes(file, &ndarray.OpenOptions{Engine: chunk.Engine{Codecs: reg}})
		if err != nil {
			t.Fatal(err)
		}
		box := make([]byte, 20*10*4)
		if err := again.ReadBytes(t.Context(), box, []int64{25, 10}, []int64{45, 20}); err != nil ||
			!bytes.Equal(box, want[:len(box)]) {
			t.Errorf("codec %d: box differs, %v", id, err)
		}
		without, err := ndarray.FromBytes(file, nil)
		if err == nil {
			_, err = without.Read(t.Context())
		}
		if !errors.Is(err, cairn.ErrUnsupported) || !bytes.Contains([]byte(err.Error()), fmt.Appendf(nil, "codec %d", id)) {
			t.Errorf("codec %d without the registry: %v", id, err)
		}
	}
}
