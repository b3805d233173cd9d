package meta_test

import (
	"errors"
	"fmt"

	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/meta"
)

func ExampleParseDType() {
	for _, s := range []string{"<i4", "float64", ">M8[25ns]", "[('t', '<M8[s]'), ('xyz', '>f4', (3,))]"} {
		d, err := meta.ParseDType(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v: kind %c, %d bytes, big-endian %v\n", d, d.Kind(), d.Size(), d.BigEndian())
		for _, f := range d.Fields() {
			fmt.Printf("  %s at %d: %v\n", f.Name, f.Offset, f.Type)
		}
	}
	// Output:
	// <i4: kind i, 4 bytes, big-endian false
	// <f8: kind f, 8 bytes, big-endian false
	// >M8[25ns]: kind M, 8 bytes, big-endian true
	// [('t', '<M8[s]'), ('xyz', '>f4', (3,))]: kind V, 20 bytes, big-endian false
	//   t at 0: <M8[s]
	//   xyz at 8: ('>f4', (3,))
}

func ExampleDType_NumPy() {
	d, _ := meta.ParseDType("{'names': ['a', 'b'], 'formats': ['i1', '<i4'], 'offsets': [0, 4], 'itemsize': 8}")
	fmt.Println(d.NumPy())
	// Output: [('a', '|i1'), ('', '|V3'), ('b', '<i4')]
}

func ExampleParseB2ND() {
	m := &meta.B2ND{Shape: []int64{5, 7}, ChunkShape: []int32{4, 5}, BlockShape: []int32{3, 2}, DType: "<f4"}
	content := m.Append(nil)

	m, err := meta.ParseB2ND(content)
	if err != nil {
		fmt.Println(err)
		return
	}
	size, err := m.ChunkBytes(4)
	fmt.Println(m.Shape, m.DType, m.NumChunks(), "chunks of", size, "bytes", err)

	content[2] = 17
	_, err = meta.ParseB2ND(content)
	fmt.Println(err, errors.Is(err, cairn.ErrCorrupt))
	// Output:
	// [5 7] <f4 4 chunks of 144 bytes <nil>
	// corrupt b2nd metalayer at offset 2: 17 dimensions, at most 16 are possible true
}

func ExamplePack() {
	b, err := meta.Pack(map[string]any{"version": 1, "kind": "grid", "shape": meta.Tuple{2, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := meta.Unpack(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range v.(meta.Map) {
		fmt.Println(p.Key, p.Value)
	}
	// Output:
	// kind grid
	// shape [2 3]
	// version 1
}
