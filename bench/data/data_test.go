package data

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestSameEverywhere compares checksums that were computed on amd64.
func TestSameEverywhere(t *testing.T) {
	want := map[string]string{
		"arange.i8":      "8da39b35",
		"walk.f8":        "106cd44f",
		"smooth.f4":      "a9d771a3",
		"photon.u2":      "30e9c490",
		"sparse.f8":      "fdf8b5d4",
		"temperature.f4": "d77c834e",
		"field.f4":       "b187d89b",
		"ct.u2":          "e6710b8f",
		"landcover.u1":   "c82c8731",
		"timestamps.i8":  "1cd6d83e",
		"prices.f8":      "4ce53c88",
		"photo.u1":       "f8e67100",
		"particles.f4":   "c5581953",
		"elevation.i2":   "950c09e0",
		"genes.i4":       "3dc603d9",
		"spectra.f8":     "bbbf29bb",
		"onehot.u1":      "3df0c802",
	}
	for _, k := range Kinds() {
		s := k.Make(200_000)
		items := int64(s.TypeSize)
		for _, n := range s.Shape {
			items *= n
		}
		if items != int64(len(s.Bytes)) || items > 200_000 || items < 180_000 {
			t.Errorf("%s has the shape %v and %d bytes", s.Name, s.Shape, len(s.Bytes))
		}
		if sum := fmt.Sprintf("%08x", crc32.ChecksumIEEE(s.Bytes)); sum != want[k.Name] {
			t.Errorf("%q: %q,", k.Name, sum)
		}
	}
}

func TestSine(t *testing.T) {
	for turns := -2.0; turns < 2; turns += 1.0 / 128 {
		if got, want := sine(turns), math.Sin(turns*2*math.Pi); math.Abs(got-want) > 1e-9 {
			t.Errorf("sine of %v turns is %v, not %v", turns, got, want)
		}
	}
	for x := -4.0; x < 10; x += 0.5 {
		if got := exp(x); math.Abs(got/math.Exp(x)-1) > 1e-4 {
			t.Errorf("exp(%v) is %v", x, got)
		}
	}
}

// TestDrawn compares checksums that were computed on amd64, and checks that another seed draws
// other arrays of the same families.
func TestDrawn(t *testing.T) {
	want := map[string]string{
		"model.f4":   "187c504f",
		"scan.i2":    "883fbb22",
		"rain.f4":    "8172ac2f",
		"sheet.u2":   "cba9c484",
		"counts.i4":  "b332604d",
		"orbits.f8":  "8d13d26a",
		"quotes.f8":  "f8d893e7",
		"times.i8":   "5858c9e7",
		"classes.u2": "07c228ab",
		"picture.u2": "4e1166f1",
		"sensors.f4": "39d80d43",
		"mask.u1":    "55ea377d",
	}
	first := Drawn(1)
	other := Drawn(2)
	for i, k := range first {
		s := k.Make(200_000)
		items := int64(s.TypeSize)
		for _, n := range s.Shape {
			items *= n
		}
		if items != int64(len(s.Bytes)) || items > 200_000 || items < 180_000 {
			t.Errorf("%s has the shape %v and %d bytes", s.Name, s.Shape, len(s.Bytes))
		}
		if sum := fmt.Sprintf("%08x", crc32.ChecksumIEEE(s.Bytes)); sum != want[k.Name] {
			t.Errorf("%q: %q,", k.Name, sum)
		}
		if bytes.Equal(s.Bytes, other[i].Make(200_000).Bytes) {
			t.Errorf("%s is the same with another seed", k.Name)
		}
	}
	for seed := range uint64(8) { // every choice of parameters makes arrays
		for _, k := range Drawn(100 + seed) {
			s := k.Make(1_000_000)
			if len(s.Bytes) < 900_000 || bytes.Count(s.Bytes, []byte{0}) == len(s.Bytes) {
				t.Errorf("seed %d: %s has %d bytes", 100+seed, k.Name, len(s.Bytes))
			}
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	s := &Set{Name: "three", DType: "<i2", TypeSize: 2, Shape: []int64{3}, Bytes: []byte{1, 0, 2, 0, 3, 0}}
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "three.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if (len(raw)-6)%64 != 0 || raw[len(raw)-7] != '\n' || !bytes.Contains(raw, []byte("'shape': (3,)")) {
		t.Errorf("wrote %q", raw)
	}
}
