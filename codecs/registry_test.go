package codecs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
)

// reversal is a custom codec: it stores a mark and the bytes in reverse order.
type reversal struct{}

func (reversal) Encode(dst, src []byte) (int, error) {
	if len(dst) <= len(src) {
		return 0, nil
	}
	dst[0] = 'R'
	for i, b := range src {
		dst[len(src)-i] = b
	}
	return len(src) + 1, nil
}

func (reversal) Decode(dst, src []byte) error {
	if len(src) != len(dst)+1 || src[0] != 'R' {
		return cairn.Corruptf("reversal stream", 0, "wrong mark or length")
	}
	for i := range dst {
		dst[i] = src[len(src)-1-i]
	}
	return nil
}

func reversalRow(id uint8, name string) codecs.Row {
	return codecs.Row{
		ID: id, Name: name,
		NewEncoder: func(codecs.Params) (codecs.Encoder, error) { return reversal{}, nil },
		NewDecoder: func(codecs.Params) (codecs.Decoder, error) { return reversal{}, nil },
	}
}

func TestRows(t *testing.T) {
	rows := plainCodecs()
	if len(rows) != 6 {
		t.Fatalf("%d rows, want 6", len(rows))
	}
	for i, row := range rows {
		if int(row.ID) != i {
			t.Errorf("row %d has id %d", i, row.ID)
		}
		byName, err := codecs.ParseCodec(strings.ToUpper(row.Name), nil)
		if err != nil || byName.ID() != row.ID || byName.String() != row.Name {
			t.Errorf("%q parses to %v with id %d: %v", row.Name, byName, byName.ID(), err)
		}
		if found, err := (*codecs.Registry)(nil).Lookup(row.ID); err != nil || found.Name != row.Name {
			t.Errorf("id %d is %q: %v", row.ID, found.Name, err)
		}
	}
	for _, c := range []codecs.Codec{codecs.NDLZ(8), codecs.ZFPAccuracy(-3), codecs.ZFPPrecision(255),
		codecs.ZFPRate(1)} {
		if byName, err := codecs.ParseCodec(c.String(), nil); err != nil || byName != c {
			t.Errorf("%v parses to %v: %v", c, byName, err)
		}
	}
	rows[0].Name = "changed"
	if plainCodecs()[0].Name != "blosclz" {
		t.Error("Rows gives away the table itself")
	}
}

// TestSplits tests the rule of the automatic split mode, which affects sizes but not readers.
func TestSplits(t *testing.T) {
	for _, row := range plainCodecs() {
		for level := range 10 {
			want := row.Name == "blosclz" || row.Name == "lz4" || row.Name == "zstd" && level <= 5
			if got := row.Splits(level); got != want {
				t.Errorf("%s at level %d: splits is %v", row.Name, level, got)
			}
		}
	}
}

func TestRegistry(t *testing.T) {
	reg := new(codecs.Registry)
	if err := reg.Add(reversalRow(200, "reversal")); err != nil {
		t.Fatal(err)
	}
	row, err := reg.Lookup(200)
	if err != nil || row.Name != "reversal" || row.WireCode != 6 || row.Splits(5) || row.Memory(5, 1000) != 1<<20 {
		t.Errorf("id 200 is %+v: %v", row, err)
	}
	for text, want := range map[string]codecs.Codec{"Reversal": 200, "codec 200": 200,
		"reversal:255": codecs.ByID(200, 255), "codec 200:7": codecs.ByID(200, 7)} {
		if c, err := codecs.ParseCodec(text, reg); err != nil || c != want || c.ID() != 200 {
			t.Errorf("%q parses to %v: %v", text, c, err)
		}
	}
	nameless := reversalRow(202, "")
	headless := reversalRow(202, "headless")
	headless.NewDecoder = nil
	for what, row := range map[string]codecs.Row{
		"an id below the user range": reversalRow(159, "low"),
		"a built-in id":              reversalRow(1, "low"),
		"an id that is taken":        reversalRow(200, "other"),
		"a name that is taken":       reversalRow(201, "reversal"),
		"a built-in name":            reversalRow(201, "zstd"),
		"no name":                    nameless,
		"no decoder":                 headless,
	} {
		if err := reg.Add(row); err == nil {
			t.Errorf("a codec with %s is accepted", what)
		}
	}
	if err := (*codecs.Registry)(nil).Add(reversalRow(200, "reversal")); err == nil {
		t.Error("a nil registry accepts a codec")
	}
}

// TestUnsupported checks that the error for a missing codec names it.
func TestUnsupported(t *testing.T) {
	for id, want := range map[uint8]string{
		6: "codec 6:", 31: "codec 31:",
		36: "codec 36 (openhtj2k)", 37: "codec 37 (grok)", 38: "codec 38 (openzl)", 39: "codec 39 (j2k)", 40: "codec 40 (htj2k)",
		41: "codec 41:", 160: "codec 160:", 255: "codec 255:",
	} {
		for _, reg := range []*codecs.Registry{nil, {}} {
			_, err := reg.Lookup(id)
			if !errors.Is(err, cairn.ErrUnsupported) || !strings.Contains(err.Error(), want) {
				t.Errorf("looking up %d gives %v, want %q", id, err, want)
			}
		}
	}
}

func TestCodecNames(t *testing.T) {
	for c, want := range map[codecs.Codec]string{
		codecs.Default: "zstd", codecs.BloscLZ: "blosclz", codecs.LZ4: "lz4", codecs.LZ4HC: "lz4hc", codecs.Snappy: "snappy",
		codecs.Zlib: "zlib", codecs.Zstd: "zstd", codecs.NDLZ(4): "ndlz:4",
		codecs.ZFPAccuracy(-3): "zfp_acc:-3", codecs.ZFPAccuracy(0): "zfp_acc:0",
		codecs.ZFPPrecision(255): "zfp_prec:255", codecs.ZFPRate(40): "zfp_rate:40",
		codecs.ByID(37, 0): "grok", codecs.ByID(31, 0): "codec 31", 255: "codec 255",
		codecs.ByID(200, 255): "codec 200:255", codecs.Codec(300): "Codec(300)",
	} {
		if got := c.String(); got != want {
			t.Errorf("%d prints as %q, want %q", c, got, want)
		}
	}
	for _, name := range []string{"", "default", "lz", "codec 31", "lz4 ", "lz4:", "lz4:0", "zfp_acc",
		"zfp_acc:", "zfp_acc:128", "zfp_rate:0", "ndlz:-4", "codec 200"} {
		if c, err := codecs.ParseCodec(name, nil); err == nil {
			t.Errorf("%q parses to %v", name, c)
		}
	}
	if _, err := codecs.ParseCodec("grok", nil); !errors.Is(err, cairn.ErrUnsupported) {
		t.Errorf("grok: %v", err)
	}
}

// plainCodecs returns the codecs that accept any bytes: all but the shaped ones.
func plainCodecs() []codecs.Row {
	return slices.DeleteFunc(codecs.Rows(), func(r codecs.Row) bool { return r.Shaped })
}
