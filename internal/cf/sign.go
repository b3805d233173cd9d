package cf

import (
	"math"
	"slices"

	"github.com/cairn-go/cairn/meta"
)

// unsignedAttribute says that integers are of the other sign than their dtype.
const unsignedAttribute = "_Unsigned"

// Signed returns attributes of unsigned integers of up to 32 bits as those of signed ones with the
// same bits, so that the values are the same.
func Signed(attributes meta.Map, bits int) meta.Map {
	var signed meta.Map
	said := false
	for _, p := range attributes {
		name, _ := p.Key.(string)
		if name == unsignedAttribute {
			said = Text(attributes, name) == "false" // as the new ones are
			continue
		}
		if MarksMissing(name) {
			p.Value = signedValue(p.Value, bits)
		}
		signed = append(signed, p)
	}
	if said {
		return signed
	}
	return append(signed, meta.Pair{Key: unsignedAttribute, Value: "true"})
}

// signedValue returns a value of an attribute with unsigned integers as signed ones.
func signedValue(value any, bits int) any {
	if list, ok := value.([]any); ok {
		list = slices.Clone(list)
		for i, v := range list {
			list[i] = signedValue(v, bits)
		}
		return list
	}

	n, ok := NumberOf(value)
	if !ok || n.Float < math.Ldexp(1, bits-1) || n.Float >= math.Ldexp(1, bits) {
		return value
	}
	return int64(n.Float) - 1<<bits
}
