package codecs

import (
	"fmt"
	"strconv"
	"strings"
)

// foreign names the codecs that C-Blosc2 loads from plugins of their own. Programs that need one
// register it with a chunk.Engine.
var foreign = [...]string{
	36: "openhtj2k", 37: "grok", 38: "openzl", 39: "j2k", 40: "htj2k",
}

// nameOf returns the name of an id in the format, or "".
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

// String returns the codec in the form of [ParseCodec]: its name, "zstd" for Default, or "codec
// 200" for unnamed ids, followed by a colon and the parameter if it has one.
func (c Codec) String() string {
	id := c.ID()
	parameter := c.Parameter()
	if c != ByID(id, parameter) && c != Default {
		return fmt.Sprintf("Codec(%d)", uint32(c))
	}

	name := nameOf(id)
	if name == "" {
		name = fmt.Sprintf("codec %d", id)
	}

	switch row := builtIn(id); {
	case row != nil && row.Parameter.Meaning != "":
		return fmt.Sprintf("%s:%d", name, row.Parameter.value(parameter))
	case parameter != 0 && (row == nil || parameter != row.version):
		return fmt.Sprintf("%s:%d", name, parameter)
	}
	return name
}

// MarshalText returns the text of String, so that a Codec is a string in JSON.
func (c Codec) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses text as [ParseCodec] does without a registry.
func (c *Codec) UnmarshalText(text []byte) error {
	parsed, err := ParseCodec(string(text), nil)
	if err != nil {
		return err
	}

	*c = parsed
	return nil
}

// ParseCodec parses a codec: "zstd", "zfp_acc:-3" or, for codecs of a registry, which may be nil, a
// name or "codec 200". A parameter follows a colon. Case is ignored.
func ParseCodec(text string, registry *Registry) (Codec, error) {
	name, parameter, given := strings.Cut(strings.ToLower(text), ":")
	row, err := registry.byName(name)
	if err != nil {
		return Default, err
	}

	p := row.Parameter
	switch {
	case p.Meaning == "" && row.ID >= minUserID:
		p = Parameter{Low: 0, High: 255}
	case p.Meaning == "" && given:
		return Default, fmt.Errorf("codec %s takes no parameter", name)
	case p.Meaning != "" && !given:
		return Default, fmt.Errorf("codec %s needs a parameter, as in %q: %s", name, name+":"+p.example(), p.Meaning)
	}

	if !given {
		return ByID(row.ID, row.version), nil
	}

	n, err := strconv.Atoi(parameter)
	if err != nil || n < p.Low || n > p.High {
		return Default, fmt.Errorf("parameter %q of codec %s is not a number from %d to %d", parameter,
			name, p.Low, p.High)
	}
	return ByID(row.ID, uint8(n)), nil
}

// byName returns the codec of a name, or of an id in the form of String.
func (g *Registry) byName(name string) (Row, error) {
	if row, ok := g.named(name); ok {
		return row, nil
	}

	if number, ok := strings.CutPrefix(name, "codec "); ok {
		if id, err := strconv.ParseUint(number, 10, 8); err == nil {
			return g.Lookup(uint8(id))
		}
	}

	for id, known := range foreign {
		if known != "" && known == name {
			return g.Lookup(uint8(id))
		}
	}
	return Row{}, fmt.Errorf("unknown codec %q", name)
}
