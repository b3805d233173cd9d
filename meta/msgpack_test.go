package meta

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-go/cairn"
)

// packedValues are the values of testdata/gen_frames.py, by name.
func packedValues() map[string]any {
	maps := Map{}
	for i := range 16 {
		maps = append(maps, Pair{"k" + string(rune('0'+i/10)) + string(rune('0'+i%10)), int64(i)})
	}
	count := func(n int) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = int64(i)
		}
		return list
	}
	x := func(n int) string { return strings.Repeat("x", n) }
	y := func(n int) []byte { return bytes.Repeat([]byte("y"), n) }
	return map[string]any{
		"nil":   nil,
		"true":  true,
		"false": false,
		"ints": []any{int64(0), int64(1), int64(127), int64(128), int64(255), int64(256), int64(65535), int64(65536), int64(1<<32 - 1), int64(1 << 32),
			int64(math.MaxInt64), uint64(1 << 63), uint64(math.MaxUint64)},
		"negative":    []any{int64(-1), int64(-32), int64(-33), int64(-128), int64(-129), int64(-32768), int64(-32769), int64(-1 << 31), int64(-1<<31 - 1), int64(math.MinInt64)},
		"floats":      []any{0.0, 1.5, -2.25, 1e300, math.Inf(1)},
		"strings":     []any{"", "a", x(31), x(32), x(255), x(256), "é漢"},
		"bytes":       []any{[]byte{}, []byte{0, 255}, y(255), y(256)},
		"arrays":      []any{[]any{}, count(15), count(16)},
		"maps":        []any{Map{}, Map{{"a", int64(1)}, {"b", []any{true}}}, maps},
		"mixed keys":  Map{{int64(1), "one"}, {"two", int64(2)}, {nil, int64(3)}},
		"tuple":       Tuple{int64(1), "a", Tuple{2.5}, []any{}},
		"nested":      Map{{"a", []any{Map{{"b", Tuple{int64(1), Map{{"c", nil}}}}}}}},
		"long string": strings.Repeat("z", 65536),
	}
}

func TestPackLikePython(t *testing.T) {
	values := packedValues()
	for _, p := range readRecorded(t).Packed {
		value, known := values[p.Name]
		if !known {
			t.Errorf("no value named %q", p.Name)
			continue
		}
		delete(values, p.Name)
		got, err := Pack(value)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		back, err := Unpack(got)
		if err != nil || !reflect.DeepEqual(back, value) {
			t.Errorf("%s: unpacked %v, %v", p.Name, back, err)
		}
		if p.Name == "long string" { // recorded by its first bytes
			got = got[:len(p.Packed)]
		}
		if !bytes.Equal(got, p.Packed) {
			t.Errorf("%s: packed % x, python-blosc2 % x", p.Name, got, []byte(p.Packed))
		}
	}
	for name := range values {
		t.Errorf("value %q was not recorded", name)
	}
}

func TestPackGoTypes(t *testing.T) {
	for _, c := range []struct{ in, out any }{
		{int8(-5), int64(-5)}, {int16(-500), int64(-500)}, {int32(70000), int64(70000)}, {int(7), int64(7)},
		{uint8(200), int64(200)}, {uint16(60000), int64(60000)}, {uint32(1 << 31), int64(1 << 31)}, {uint(9), int64(9)}, {uint64(10), int64(10)},
		{float32(1.5), float32(1.5)},
		{[]string{"a", "b"}, []any{"a", "b"}}, {[]int{1, 2}, []any{int64(1), int64(2)}}, {[]int64{3}, []any{int64(3)}},
		{[]float64{1.5, -2}, []any{1.5, -2.0}}, {[]float32{0.1}, []any{float32(0.1)}}, {[]bool{true}, []any{true}},
		{[][]float64{{1}, nil}, []any{[]any{1.0}, []any{}}}, {[][]byte{{1}, {}}, []any{[]byte{1}, []byte{}}},
		{[2]uint16{1, 2}, []any{int64(1), int64(2)}}, {[]uint64{math.MaxUint64}, []any{uint64(math.MaxUint64)}},
		{[]Map{{{"a", 1}}}, []any{Map{{"a", int64(1)}}}}, {[]Tuple{{1}}, []any{Tuple{int64(1)}}},
		{map[string]float64{"b": 1, "a": 2}, Map{{"a", 2.0}, {"b", 1.0}}},
		{map[string][]any{"x": {1, []string{"y"}}}, Map{{"x", []any{int64(1), []any{"y"}}}}},
		{map[string]any{"z": 1, "a": nil, "m": "x"}, Map{{"a", nil}, {"m", "x"}, {"z", int64(1)}}},
		{Ext{-1, []byte{1, 2, 3}}, Ext{-1, []byte{1, 2, 3}}},
	} {
		b, err := Pack(c.in)
		if err != nil {
			t.Errorf("%T: %v", c.in, err)
			continue
		}
		if got, err := Unpack(b); err != nil || !reflect.DeepEqual(got, c.out) {
			t.Errorf("%T: %#v, %v", c.in, got, err)
		}
	}
	for _, n := range []int{0, 1, 2, 3, 4, 8, 16, 17, 255, 256, 65536} {
		e := Ext{42, bytes.Repeat([]byte{1}, n)}
		b, err := Pack(e)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Unpack(b); err != nil || !reflect.DeepEqual(got, e) {
			t.Errorf("extension of %d bytes: %v", n, err)
		}
	}
	deep := any(nil)
	for range maxPackDepth + 1 {
		deep = []any{deep}
	}
	for name, v := range map[string]any{"struct": struct{}{}, "inner struct": []any{Map{{"a", struct{}{}}}}, "inner key": Map{{struct{}{}, 1}}, "text": "\xff", "too deep": deep,
		"channel": make(chan int), "times": []time.Duration{1}, "keys of numbers": map[int]string{1: "a"}, "pointer": new(int)} {
		if b, err := Pack(v); !errors.Is(err, cairn.ErrInvalid) {
			t.Errorf("%s: packed as % x, %v", name, b, err)
		}
	}
}

func TestMapGet(t *testing.T) {
	m := Map{{"a", 1}, {2, "b"}, {"a", 3}}
	if v, ok := m.Get("a"); v != 3 || !ok {
		t.Errorf("%v, %v", v, ok)
	}
	if v, ok := m.Get("b"); v != nil || ok {
		t.Errorf("%v, %v", v, ok)
	}
}

func TestUnpackErrors(t *testing.T) {
	for name, in := range map[string]string{
		"nothing": "", "two values": "\x01\x02", "reserved marker": "\xc1", "cut string": "\xa2a", "cut integer": "\xcf\x00", "cut float": "\xca\x00",
		"cut bytes": "\xc4\x02\x00", "cut extension": "\xd8\x01\x00", "cut size": "\xdb\x00\x00", "cut array": "\x92\x01", "cut map": "\x81\x01",
		"huge array": "\xdd\xff\xff\xff\xff", "huge map": "\xdf\xff\xff\xff\xff\x01\x02", "huge bytes": "\xc6\xff\xff\xff\xff", "text": "\xa1\xff",
		"too deep": strings.Repeat("\x91", maxPackDepth+1) + "\xc0",
	} {
		_, err := Unpack([]byte(in))
		var corrupt *cairn.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Layer != "msgpack" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnpackAllocatesByInput nests arrays that each claim as many elements as bytes are left. Their
// allocations must not add up.
func TestUnpackAllocatesByInput(t *testing.T) {
	b := make([]byte, 1<<20)
	for i := range maxPackDepth {
		copy(b[5*i:], []byte{0xdd, 0, 0x0f, 0, 0})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Unpack(b); !errors.Is(err, cairn.ErrCorrupt) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d bytes allocated for %d", n, len(b))
	}
}

func FuzzUnpack(f *testing.F) {
	for _, p := range readRecorded(f).Packed {
		f.Add([]byte(p.Packed))
	}
	f.Add([]byte("\xc7\x03\x2aabc"))
	f.Add([]byte("\xdc\x00\x01\xd2\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Unpack(b)
		if err != nil {
			if !errors.Is(err, cairn.ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		budget := int64(100)
		if _, err := UnpackWithin(b, &budget); err != nil && !errors.Is(err, cairn.ErrLimit) || budget < 0 {
			t.Fatalf("%d bytes are left of a budget: %v", budget, err)
		}
		short, err := Pack(v)
		if err != nil || len(short) > len(b) {
			t.Fatalf("%v packs to %d bytes, %v, from %d", v, len(short), err, len(b))
		}
		again, err := Unpack(short)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := Pack(again); err != nil || !bytes.Equal(twice, short) {
			t.Fatalf("% x, then % x, %v", short, twice, err)
		}
	})
}
