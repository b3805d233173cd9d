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
			{TypeSize: typeSize, Exact: someItems(typeSize, length)},
		}
	}

	out := []*shuffle.Context{{TypeSize: typeSize}}
	for _, shape := range shapes(int32(length / typeSize)) {
		out = append(out, &shuffle.Context{TypeSize: typeSize, BlockShape: shape},
			&shuffle.Context{TypeSize: typeSize, BlockShape: shape, Exact: someItems(typeSize, length)})
	}
	return out
}

// someItems returns zero, which items may become, and two items of [Bytes].
func someItems(typeSize, length int) []uint64 {
	items := []uint64{0}
	src := append(Bytes(length, 1), make([]byte, 8)...)
	for _, at := range []int{0, length / 2 / typeSize * typeSize} {
		bits := binary.LittleEndian.Uint64(src[at:])
		if typeSize < 8 {
			bits &= 1<<(8*typeSize) - 1
		}
		items = append(items, bits)
	}
	return items
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

	order = make([]int, items)
	cells = make([]int, items)
	for item := range items {
		order[item] = item
		rest := item
		stride := 1
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
		var cell []byte
		for _, item := range order[:n] {
			cell = append(cell, src[item*size:][:size]...)
		}
		out = append(out, meanCell(cell, size, ctx.Exact)...)
		order = order[n:]
	}
	return out
}

// meanCell returns a cell with the mean of the items that are not kept in place of these.
func meanCell(cell []byte, size int, exact []uint64) []byte {
	sum32 := float32(0)
	sum64 := 0.0
	n := 0
	for at := 0; at < len(cell); at += size {
		if item := cell[at:][:size]; !keptFloat(item, exact) {
			sum32 += math.Float32frombits(binary.LittleEndian.Uint32(item))
			if size == 8 {
				sum64 += math.Float64frombits(binary.LittleEndian.Uint64(item))
			}
			n++
		}
	}

	mean := binary.LittleEndian.AppendUint32(nil, math.Float32bits(sum32/float32(n)))
	if size == 8 {
		mean = binary.LittleEndian.AppendUint64(nil, math.Float64bits(sum64/float64(n)))
	}
	if n == 0 || keptFloat(mean, exact) {
		return cell
	}

	for at := 0; at < len(cell); at += size {
		if item := cell[at:][:size]; !keptFloat(item, exact) {
			copy(item, mean)
		}
	}
	return cell
}

// keptFloat reports whether a float must stay as it is.
func keptFloat(item []byte, exact []uint64) bool {
	v := float64(0)
	if len(item) == 4 {
		v = float64(math.Float32frombits(binary.LittleEndian.Uint32(item)))
	} else {
		v = math.Float64frombits(binary.LittleEndian.Uint64(item))
	}
	return math.IsNaN(v) || math.IsInf(v, 0) || keptInteger(item, exact)
}

// keptInteger reports whether an item is one of those that must stay as they are.
func keptInteger(item []byte, exact []uint64) bool {
	return slices.ContainsFunc(exact, func(bits uint64) bool {
		return bytes.Equal(binary.LittleEndian.AppendUint64(nil, bits)[:len(item)], item)
	})
}
