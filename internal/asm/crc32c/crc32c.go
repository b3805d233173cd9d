// Package crc32c computes CRC-32C, the checksum with Castagnoli's polynomial. It is faster than the
// standard library if the processor multiplies polynomials in wide registers.
package crc32c

import "hash/crc32"

// Update returns the checksum of data whose checksum is sum, followed by b. The checksum of empty
// data is 0.
func Update(sum uint32, b []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	var rest [16]byte
	n := fold(&rest, b, ^sum)
	if n > 0 {
		// rest has the same remainder as all data so far, so it replaces that data. crc32.Update
		// would make rest escape to the heap.
		sum = 0
		for _, c := range rest {
			sum = table[byte(sum)^c] ^ sum>>8
		}
		sum = ^sum
	}
	return crc32.Update(sum, table, b[n:])
}
