package deflate

import "encoding/binary"

// skip inserts the positions from i at which find would find nothing, and returns the first other
// one, or one at limit or behind it. Most positions of noisy bytes are like that; find, which
// measures and chooses, takes twice as long for them.
func (f *finder) skip(src []byte, i, step, limit, depth, hurry int) (int, int) {
	base := int(f.base)
	head, prev := &f.head, &f.prev
	for i < limit {
		v := binary.LittleEndian.Uint32(src[i:])
		if v == v<<8|v>>24 {
			break // a run of one byte
		}
		for _, d := range f.tried {
			if i >= d && binary.LittleEndian.Uint32(src[i-d:]) == v {
				return i, step
			}
		}
		slot := &head[hash(v)]
		latest := *slot
		nearest := max(i-maxDistance+1, 0)
		candidate := int(latest) - base
		for left := depth; left > 0 && candidate >= nearest; left-- {
			if binary.LittleEndian.Uint32(src[candidate:]) == v {
				return i, step
			}
			candidate = int(prev[(candidate+base)&windowMask]) - base
		}
		*slot = f.base + int32(i)
		prev[(base+i)&windowMask] = latest
		f.next = i + 1
		step++
		i += 1 + step*hurry>>12
	}
	return i, step
}
