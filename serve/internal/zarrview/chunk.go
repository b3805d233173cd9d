package zarrview

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/serve/internal/catalog"
	"github.com/cairn-go/cairn/zarr"
)

// chunk answers with a chunk of an array.
func (h *Handler) chunk(w http.ResponseWriter, r *http.Request, node, key string) error {
	a, err := h.array(r.Context(), node)
	if err != nil {
		return err
	}

	v, err := view(r.Context(), a)
	if err != nil {
		a.Release()
		return err
	}

	version, at, ok := v.ParseKey(key)
	if !ok {
		a.Release()
		return notFound(node + "/" + key)
	}

	tag := `"` + a.Version + "-" + strconv.Itoa(version) + "-" + strings.ReplaceAll(key, "/", ".") + `"`
	if matches(r.Header.Values("If-None-Match"), tag) {
		a.Release()
		w.Header().Set("ETag", tag)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}

	b, done, err := h.encoded(r.Context(), a, v, version, at, tag)
	if err != nil {
		return err
	}
	defer done()

	if len(b) == 0 {
		return notFound(node + "/" + key) // it has the fill value, and readers know that
	}

	release, err := h.limits.Memory.Take(r.Context(), int64(len(b)))
	if err != nil {
		return err
	}
	defer release()

	w.Header().Set("Content-Type", "application/octet-stream")
	return serveBytes(w, r, tag, b)
}

// matches reports whether the values of a header name an entity tag.
func matches(values []string, tag string) bool {
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// encoded returns a chunk, or nothing if it has the fill value. It must not be changed, nor used
// after done is called. What took encoding is kept under the tag. encoded releases the array.
func (h *Handler) encoded(ctx context.Context, a *catalog.Array, v *zarr.View, version int, at []int64, tag string) (
	b []byte, done func(), err error,
) {
	key := a.Path + tag
	encode := func(ctx context.Context, dst []byte) ([]byte, bool, error) {
		ctx, release, err := a.Take(ctx, h.limits.Memory, 2*v.ChunkSize())
		if err != nil {
			return nil, false, err
		}
		defer release()
		return v.AppendChunk(ctx, dst, version, at)
	}

	if !v.Copies() {
		entry, err := h.chunks.Get(ctx, key, "", a.Release, func(ctx context.Context) ([]byte, error) {
			b, _, err := encode(ctx, nil)
			return b, err
		})
		if err != nil {
			return nil, nil, err
		}
		return entry.Value, func() {}, nil
	}

	defer a.Release()

	if b, ok := h.chunks.Kept(key); ok {
		return b, func() {}, nil
	}

	buf, ok := h.buffers.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}

	b, recoded, err := encode(ctx, (*buf)[:0])
	if err == nil && recoded {
		h.chunks.Put(key, bytes.Clone(b))
	}
	if cap(b) > 0 {
		*buf = b
	}
	return b, func() { h.buffers.Put(buf) }, err
}
