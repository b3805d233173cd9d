package zarr

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"

	"github.com/cairn-go/cairn/meta"
)

// The CF conventions mark missing items by the attribute _FillValue. xarray keeps it elsewhere:
//
//	version 2   as the fill value of arrays with names of dimensions
//	version 3   as the attribute, of floats in base64: their f64, little-endian
//
// In the labels of arrays it is the attribute, a number.
const fillAttribute = "_FillValue"

// number reports whether a dtype is one of those whose missing items xarray marks with a number.
func (m *metadata) number() bool { return m.dtype.Kind() == 'f' || m.integer() }

func (m *metadata) integer() bool { return m.dtype.Kind() == 'i' || m.dtype.Kind() == 'u' }

// takeMissing sets the attribute from where xarray keeps it. fill is the document's fill value.
func (m *metadata) takeMissing(fill any) {
	i := slices.IndexFunc(m.attributes, func(p meta.Pair) bool { return p.Key == fillAttribute })
	if m.version == 2 {
		if i < 0 && fill != nil && m.dims != nil && m.number() {
			m.attributes = append(slices.Clone(m.attributes), meta.Pair{Key: fillAttribute, Value: m.fillNumber()})
		}
		return
	}
	if i < 0 || m.dtype.Kind() != 'f' {
		return
	}
	text, _ := m.attributes[i].Value.(string)
	if b, err := base64.StdEncoding.DecodeString(text); err == nil && len(b) == 8 {
		m.attributes = slices.Clone(m.attributes)
		m.attributes[i].Value = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
}

// fillNumber returns the fill value as a number.
func (m *metadata) fillNumber() any {
	n, err := numbersIn("fill value", m.dtype)
	switch {
	case err != nil:
		return nil
	case n.kind == 'f':
		return n.float(m.fill)
	case n.kind == 'u' && n.integer(m.fill) < 0:
		return uint64(n.integer(m.fill))
	}
	return n.integer(m.fill)
}

// moveMissing takes the attribute to where xarray looks for it.
func (l *layout) moveMissing(version int) {
	m := metadata{dtype: l.dtype}
	i := slices.IndexFunc(l.labels.Attributes, func(p meta.Pair) bool { return p.Key == fillAttribute })
	if i < 0 || !m.number() {
		return
	}
	value := l.labels.Attributes[i].Value
	if version == 2 {
		item, err := fillItem(value, l.dtype)
		if err == nil && value != nil && l.labels.Dims != nil {
			l.fill = item
			l.labels.Attributes = slices.Delete(slices.Clone(l.labels.Attributes), i, i+1)
		}
		return
	}
	if f, ok := value.(float64); ok && l.dtype.Kind() == 'f' {
		l.labels.Attributes = slices.Clone(l.labels.Attributes)
		l.labels.Attributes[i].Value = base64.StdEncoding.EncodeToString(
			binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
	}
}
