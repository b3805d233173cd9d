package item

import (
	"fmt"
	"math"

	"github.com/cairn-go/cairn/meta"
)

// Meta converts a msgpack value to JSON: bytes become base64, and other keys than strings, NaN
// and infinities become text.
func Meta(v any) any {
	switch v := v.(type) {
	case meta.Map:
		object := make(map[string]any, len(v))
		for _, p := range v {
			key, ok := p.Key.(string)
			if !ok {
				key = fmt.Sprint(p.Key)
			}
			object[key] = Meta(p.Value)
		}
		return object

	case meta.Tuple:
		return metaList(v)
	case []any:
		return metaList(v)
	case meta.Ext:
		return map[string]any{"ext": v.Type, "data": v.Data}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case float32:
		return Meta(float64(v))
	}
	return v
}

func metaList(list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = Meta(v)
	}
	return out
}
