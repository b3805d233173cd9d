package grid

import "encoding/binary"

// A nest is loops between memory and a block: the inner ones step evenly on both sides, the outer
// ones go through lists.
type nest struct {
	loops             mover // dst is memory, src is the block
	memoryAt, blockAt int   // start offsets
	lists             int
	list              [MaxDims]listLoop // the first is innermost
}

// A listLoop goes through a list. Memory advances by dst bytes per place, the block by src bytes
// per coordinate from origin on.
type listLoop struct {
	places   []listItem
	dst, src int
	origin   int64
}

func (n *nest) addList(places []listItem, dst, src, origin int64) {
	n.list[n.lists] = listLoop{places, int(dst), int(src), origin}
	n.lists++
}

// spread adds a dimension that only memory has.
func (n *nest) spread(a *meshAxis) {
	if a.Places == nil {
		n.loops.add(a.Count, a.Stride, 0)
		return
	}

	places := make([]listItem, len(a.Places)) // such dimensions are rare
	for k, at := range a.Places {
		places[k].place = at
	}
	n.addList(places, a.Stride, 0, 0)
}

// scatter copies from a block to memory.
func (n *nest) scatter(memory, data []byte, swap int) {
	switch {
	case n.lists == 0:
		n.loops.copy(memory, n.memoryAt, data, n.blockAt, swap)
	case n.loops.levels == 0 && swap == 0:
		n.each(1, func(at, blockAt int) { n.list[0].scatter(memory, at, data, blockAt, n.loops.run) })
	default:
		n.each(0, func(at, blockAt int) { n.loops.copy(memory, at, data, blockAt, swap) })
	}
}

// gather copies from memory to a block.
func (n *nest) gather(data, memory []byte, swap int) {
	n.loops.flip()
	switch {
	case n.lists == 0:
		n.loops.copy(data, n.blockAt, memory, n.memoryAt, swap)
	default:
		n.each(0, func(at, blockAt int) { n.loops.copy(data, blockAt, memory, at, swap) })
	}
}

// fill repeats item, or zero bytes for nil, over the items in memory.
func (n *nest) fill(memory, item []byte, swap int) {
	n.each(0, func(at, _ int) { n.loops.fill(memory, at, item, swap) })
}

// each calls do for every iteration of the lists from number from on, with the offsets in memory
// and in the block.
func (n *nest) each(from int, do func(memoryAt, blockAt int)) {
	var turn [MaxDims]int
	for {
		at := n.memoryAt
		blockAt := n.blockAt
		for k := from; k < n.lists; k++ {
			l := &n.list[k]
			p := l.places[turn[k]]
			at += int(p.place) * l.dst
			blockAt += int(p.at-l.origin) * l.src
		}

		do(at, blockAt)
		k := from
		for ; k < n.lists; k++ {
			if turn[k]++; turn[k] < len(n.list[k].places) {
				break
			}
			turn[k] = 0
		}

		if k >= n.lists {
			return
		}
	}
}

// scatter copies runs from a block to memory, one for each place of the list.
func (l *listLoop) scatter(memory []byte, at int, data []byte, blockAt, run int) {
	blockAt -= int(l.origin) * l.src // may overflow in 32 bits; adding p.at undoes that

	switch run {
	case 1:
		for _, p := range l.places {
			memory[at+int(p.place)*l.dst] = data[blockAt+int(p.at)*l.src]
		}
	case 2:
		for _, p := range l.places {
			binary.LittleEndian.PutUint16(memory[at+int(p.place)*l.dst:], binary.LittleEndian.Uint16(data[blockAt+int(p.at)*l.src:]))
		}
	case 4:
		for _, p := range l.places {
			binary.LittleEndian.PutUint32(memory[at+int(p.place)*l.dst:], binary.LittleEndian.Uint32(data[blockAt+int(p.at)*l.src:]))
		}
	case 8:
		for _, p := range l.places {
			binary.LittleEndian.PutUint64(memory[at+int(p.place)*l.dst:], binary.LittleEndian.Uint64(data[blockAt+int(p.at)*l.src:]))
		}
	default:
		for _, p := range l.places {
			to := at + int(p.place)*l.dst
			copy(memory[to:to+run], data[blockAt+int(p.at)*l.src:])
		}
	}
}
