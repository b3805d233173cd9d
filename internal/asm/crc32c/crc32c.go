// Package crc32c computes the checksum CRC-32C, of Castagnoli's polynomial, faster than the
// standard library where the processor multiplies polynomials in wide registers.
package crc32c

import "hash/crc32"

// Update returns the checksum of what had the checksum sum, followed by b. That of nothing is 0.
func Update(sum uint32, b []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	var rest [16]byte
	n := fold(&rest, b, ^sum)
	if n > 0 {
		// The rest has the remainder that the n bytes have after what came before; so it stands for
		// all of that. crc32.Update would make it escape to the heap.
		sum = 0
		for _, c := range rest {
			sum = table[byte(sum)^c] ^ sum>>8
		}
		sum = ^sum
	}
	return crc32.Update(sum, table, b[n:])
}
