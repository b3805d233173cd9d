package ndarray_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/meta"
	"github.com/cairn-go/cairn/ndarray"
)

// TestFloat16AsText writes every Float16 as text and JSON, and reads it back.
func TestFloat16AsText(t *testing.T) {
	for bits := range 1 << 16 {
		h := ndarray.Float16FromBits(uint16(bits))
		text, err := h.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back ndarray.Float16
		if err := back.UnmarshalText(text); err != nil {
			t.Fatal(err)
		}
		number := !math.IsNaN(float64(h.Float32()))
		if back != h && number || number == math.IsNaN(float64(back.Float32())) {
			t.Fatalf("%#x is %q, and that is %v", bits, text, back)
		}
		encoded, err := json.Marshal(h)
		if finite := bits&0x7c00 != 0x7c00; finite != (err == nil) {
			t.Fatalf("%v: %v", h, err)
		}
		if err == nil && (json.Unmarshal(encoded, &back) != nil || back != h) {
			t.Fatalf("%v is %s in JSON, and that is %v", h, encoded, back)
		}
	}
	record := struct {
		Temp  ndarray.Float16
		DType meta.DType
		Codec codecs.Codec
	}{Temp: ndarray.Float16From(1.1), Codec: codecs.Zstd}
	record.DType, _ = meta.ParseDType("<i4")
	encoded, err := json.Marshal(record)
	if want := `{"Temp":1.1,"DType":"\u003ci4","Codec":"zstd"}`; err != nil || string(encoded) != want {
		t.Errorf("%s, %v, want %s", encoded, err, want)
	}
	if text := fmt.Sprint(ndarray.Float16From(-2), ndarray.Float16From(65504), ndarray.Float16From(6e-8)); text != "-2 65500 6e-08" {
		t.Error(text)
	}
	back := record
	back.Temp, back.DType, back.Codec = ndarray.Float16{}, meta.DType{}, codecs.Default
	if err := json.Unmarshal(encoded, &back); err != nil || back.Temp != record.Temp || !back.DType.Equal(record.DType) ||
		back.Codec != record.Codec {
		t.Errorf("%+v, %v", back, err)
	}
	if json.Unmarshal([]byte(`"warm"`), &back.Temp) == nil {
		t.Error("a text was taken for a number")
	}
}
