// Package chunk encodes and decodes single Blosc2 chunks: a header and compressed blocks,
// without a container.
//
// Other formats can use it too. Zarr's Blosc codec and the HDF5 filters 32001 and 32026 store
// such chunks.
//
// # The bytes
//
// All integers are little endian.
//
//	0x00  u8     version        2 Blosc1, 3 alpha, 4 beta, 5 current, 6 blocks of variable length
//	0x01  u8     versionlz      version of the codec's stream, 1
//	0x02  u8     flags          see below
//	0x03  u8     typesize       bytes per item, 1 to 255
//	0x04  i32    nbytes         decoded size
//	0x08  i32    blocksize      decoded size of every block but the last;
//	                            the number of blocks if their length varies
//	0x0c  i32    cbytes         encoded size, header included
//	-- the extended header, if flags bits 0 and 2 are both set:
//	0x10  u8×6   filters        filter ids, slot 0 runs first when encoding
//	0x16  u8     codec          codec id
//	0x17  u8     codec meta
//	0x18  u8×6   filters meta   one parameter byte for each slot
//	0x1e  u8     flags2         bit 0: blocks of variable length
//	0x1f  u8     blosc flags    see below
//
// The flags:
//
//	flags, bit 0        byte shuffle (16-byte header); with bit 2: the header is extended
//	bit 1               memcpyed
//	bit 2               bitshuffle (16-byte header)
//	bit 3               delta
//	bit 4               blocks are not split
//	bits 5-7            wire code of the codec; 6 means the codec byte of the extended header
//	flags2, bit 0       blocks of variable length
//	blosc flags, bit 0  a dictionary follows the block offsets
//	bit 1               the writer was big endian (informative)
//	bit 3               lazy: never valid in a stored chunk
//	bits 4-6            special value
//	bit 7               instrumented: the payload is measurements of the codec
//
// What follows depends on the kind of chunk:
//
//	special     nothing, or the value that every item has
//	memcpyed    nbytes raw bytes
//	regular     i32 × blocks: offset of each block from the start of the chunk; then the blocks
//
// A block is filtered as a whole and then stored as one stream, or, if the chunk is split, as
// typesize streams of equal length (after byte shuffle: one for each byte of an item). The last
// block is never split if it is shorter than the others. A stream is an i32 size and as many bytes:
//
//	size > 0    that many bytes of the codec; raw bytes if size is just the decoded length
//	size = 0    all bytes are zero, nothing follows
//	size < 0    one token byte with bit 0 set follows: all bytes are -size
package chunk
