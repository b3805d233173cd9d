package codecs

import (
	"fmt"
	"strings"

	cairn "github.com/cairn-go/cairn"
)

// foreign names codecs that the format assigns an id to and that are not available here.
var foreign = [...]string{
	36: "openhtj2k", 37: "grok", 38: "openzl", 39: "j2k", 40: "htj2k",
}

// nameOf returns the name that the format gives to an id, or "".
func nameOf(id uint8) string {
	if row := builtIn(id); row != nil {
		return row.Name
	}
	if int(id) < len(foreign) {
		return foreign[id]
	}
	return ""
}

// describe returns "codec 37 (grok)", or "codec 99" if the id has no name.
func describe(id uint8) string {
	if name := nameOf(id); name != "" {
		return fmt.Sprintf("codec %d (%s)", id, name)
	}
	return fmt.Sprintf("codec %d", id)
}

// String returns the codec's name, that of Zstd for Default, and "codec 99" for ids that the format does not name.
func (c Codec) String() string {
	if c > 256 {
		return fmt.Sprintf("Codec(%d)", uint16(c))
	}
	if name := nameOf(c.ID()); name != "" {
		return name
	}
	return fmt.Sprintf("codec %d", c.ID())
}

// ParseCodec returns the built-in codec of the given name. Case does not matter.
func ParseCodec(name string) (Codec, error) {
	lower := strings.ToLower(name)
	for i := range table {
		if table[i].Name == lower {
			return ByID(table[i].ID), nil
		}
	}
	for id, known := range foreign {
		if known != "" && known == lower {
			return Default, fmt.Errorf("%s: %w", describe(uint8(id)), cairn.ErrUnsupported)
		}
	}
	return Default, fmt.Errorf("unknown codec %q", name)
}
