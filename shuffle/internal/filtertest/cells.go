package filtertest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/cairn-go/cairn/shuffle"
)

// celled reports whether a filter needs the shape of a block.
func celled(id shuffle.ID) bool { return id == shuffle.IDNDCell || id == shuffle.IDNDMean }

// contexts returns the contexts for testing a filter with a block of length bytes.
func contexts(id shuffle.ID, typeSize, length int) []*shuffle.Context {
	if !celled(id) {
		return []*shuffle.Context{
			{TypeSize: typeSize}, {TypeSize: typeSize, Version: 2}, {TypeSize: typeSize, Version: 5, Ref: Bytes(length+5, 2), FrameTypeSize: typeSize + 300*(length%2)},
		}
	}
	out := []*shuffle.Context{{TypeSize: typeSize}}
	for _, shape := range shapes(int32(length / typeSize)) {
		out = append(out, &shuffle.Context{TypeSize: typeSize, BlockShape: shape})
	}
	return out
}

// shapes returns shapes of n items.
func shapes(n int32) [][]int32 {
	side := int32(math.Sqrt(float64(n)))
	for side > 1 && n%side != 0 {
		side--
	}
	side = max(side, 1)
	half := side
	if side%2 == 0 {
		half /= 2
	}
	return [][]int32{{n}, {side, n / side}, {n / side, side}, {half, n / side, side / half}, {1, half, 1, 1, side / half, 1, n / side, 1}}
}

// misfits reports whether a filter must refuse a block because of its length.
func misfits(id shuffle.ID, length int, ctx *shuffle.Context) bool {
	return celled(id) && (length == 0 || length%ctx.TypeSize != 0)
}

// cellOrder returns the items of a block in the order of cells with the given sides, and the cell
// of each item. Items of a cell are in C order.
func cellOrder(shape []int32, side func(i int) int) (order, cells []int) {
	items := 1
	for _, n := range shape {
		items *= int(n)
	}
	order, cells = make([]int, items), make([]int, items)
	for item := range items {
		order[item] = item
		rest, stride := item, 1
		for i := len(shape) - 1; i >= 0; i-- {
			n := int(shape[i])
			cells[item] += rest % n / side(i) * stride
			stride *= (n + side(i) - 1) / side(i)
			rest /= n
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cells[a], cells[b]) })
	return order, cells
}

func ndCell(src []byte, meta uint8, ctx *shuffle.Context) []byte {
	order, _ := cellOrder(ctx.BlockShape, func(int) int { return int(meta) })
	size := len(src) / len(order)
	out := bytes.Clone(src)
	for to, from := range order {
		copy(out[to*size:(to+1)*size], src[from*size:])
	}
	return out
}

func ndMean(src []byte, meta uint8, ctx *shuffle.Context) []byte {
	order, cells := cellOrder(ctx.BlockShape, func(i int) int { return min(int(meta), int(ctx.BlockShape[i])) })
	size := len(src) / len(order)
	var out []byte
	for len(order) > 0 {
		n := 1
		for n < len(order) && cells[order[n]] == cells[order[0]] {
			n++
		}
		if size == 4 {
			out = append(out, bytes.Repeat(mean32(src, order[:n]), n)...)
		} else {
			out = append(out, bytes.Repeat(mean64(src, order[:n]), n)...)
		}
		order = order[n:]
	}
	return out
}

func mean32(src []byte, items []int) []byte {
	sum := float32(0)
	for _, item := range items {
		bits := binary.LittleEndian.Uint32(src[4*item:])
		x := math.Float32frombits(bits)
		if x != x {
			return binary.LittleEndian.AppendUint32(nil, bits|0x400000)
		}
		if sum += x; sum != sum {
			return []byte{0, 0, 0xc0, 0xff}
		}
	}
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(sum/float32(len(items))))
}

func mean64(src []byte, items []int) []byte {
	sum := 0.0
	for _, item := range items {
		bits := binary.LittleEndian.Uint64(src[8*item:])
		x := math.Float64frombits(bits)
		if x != x {
			return binary.LittleEndian.AppendUint64(nil, bits|0x8000000000000)
		}
		if sum += x; sum != sum {
			return []byte{0, 0, 0, 0, 0, 0, 0xf8, 0xff}
		}
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(sum/float64(len(items))))
}
