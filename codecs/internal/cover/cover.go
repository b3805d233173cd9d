// Package cover chooses the parts of samples that make up a dictionary: those whose contents occur
// in most other samples.
//
// The samples are divided into as many stretches as there are parts in the dictionary. From each
// stretch it takes the part whose sequences of eight bytes occur in most samples. Sequences that
// have been taken no longer count.
package cover

import "encoding/binary"

const (
	hashLog = 16
	hashMul = 0xcf1bbcdcb7a56463 // an odd number with well distributed bits
	width   = 8                  // length of a sequence in bytes
)

// A Chooser holds the tables, of less than 1 MiB. It must not be used concurrently.
type Chooser struct {
	// by hash of a sequence: the number of samples that contain it, minus one
	worth  [1 << hashLog]uint16
	seen   [1 << hashLog]uint32 // the last sample that contained it
	within [1 << hashLog]uint16 // how often the current part contains it
}

func hash(data []byte, at int) uint32 {
	return uint32(binary.LittleEndian.Uint64(data[at:]) * hashMul >> (64 - hashLog))
}

// Append appends at most most bytes of the samples, which are concatenated in data, to dst, in
// parts of about the given length. The best parts come last, where matches have the shortest
// distances. It returns dst unchanged if no sequence occurs in two samples. Since sequences are
// identified by a hash, collisions can make it find more.
func (c *Chooser) Append(dst, data []byte, sizes []int, most, part int) []byte {
	most = min(most, len(data))
	part = max(part, width)
	if most < part {
		return dst
	}

	c.count(data, sizes)
	stretches := max(1, most/part)
	start := len(dst)
	dst = append(dst, data[:most]...) // reserves the space; overwritten below
	out := dst[start:]

	left := most
	for idle := 0; left >= width && idle < stretches; {
		for i := 0; i < stretches && left >= width && idle < stretches; i++ {
			from := len(data) * i / stretches
			to := len(data) * (i + 1) / stretches
			from, to = c.best(data, from, min(to+width-1, len(data)), min(part, left))
			if to-from < width {
				idle++
				continue
			}

			idle = 0
			for at := from; at+width <= to; at++ {
				c.worth[hash(data, at)] = 0
			}
			left -= copy(out[left-(to-from):], data[from:to])
		}
	}

	return append(dst[:start], out[left:]...)
}

// count sets worth. Sequences that cross the boundary of two samples are not counted.
func (c *Chooser) count(data []byte, sizes []int) {
	clear(c.worth[:])
	clear(c.seen[:])
	for i, size := range sizes {
		for at := 0; at+width <= size; at++ {
			h := hash(data, at)
			switch s := &c.seen[h]; {
			case *s == uint32(i)+1:
				continue
			case *s > 0 && c.worth[h] < 1<<16-1:
				c.worth[h]++
				fallthrough
			default:
				*s = uint32(i) + 1
			}
		}
		data = data[size:]
	}
}

// best returns the part of data[from:to] of at most the given length with the highest value,
// without worthless bytes at its ends.
func (c *Chooser) best(data []byte, from, to, length int) (start, end int) {
	var sum, most int
	first := from
	for at := from; at+width <= to; at++ {
		h := hash(data, at)
		if c.within[h]++; c.within[h] == 1 {
			sum += int(c.worth[h])
		}

		if at+width-first > length {
			g := hash(data, first)
			if c.within[g]--; c.within[g] == 0 {
				sum -= int(c.worth[g])
			}
			first++
		}

		if sum > most {
			most = sum
			start = first
			end = at + width
		}
	}

	for ; first+width <= to; first++ {
		c.within[hash(data, first)] = 0
	}

	for start+width <= end && c.worth[hash(data, start)] == 0 {
		start++
	}
	for start+width <= end && c.worth[hash(data, end-width)] == 0 {
		end--
	}
	return start, end
}
