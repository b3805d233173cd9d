package wire

import "encoding/binary"

// Msgpack markers in the fixed parts of the format. The format always uses the fixed-width form of
// numbers, so that fields can be rewritten in place.
const (
	TagFalse    = 0xc2
	TagTrue     = 0xc3
	TagBin32    = 0xc6
	TagUint16   = 0xcd
	TagUint32   = 0xce
	TagUint64   = 0xcf
	TagInt16    = 0xd1
	TagInt32    = 0xd2
	TagInt64    = 0xd3
	TagFixExt16 = 0xd8
	TagStr32    = 0xdb
	TagArray16  = 0xdc
	TagMap16    = 0xde

	TagFixArray = 0x90 // combined with the number of elements, at most 15
	TagFixStr   = 0xa0 // combined with the number of bytes, at most 31
)

// AppendInt16 appends a msgpack int 16: marker and big-endian value.
func AppendInt16(dst []byte, v int16) []byte {
	return binary.BigEndian.AppendUint16(append(dst, TagInt16), uint16(v))
}

// AppendInt32 appends a msgpack int 32: marker and big-endian value.
func AppendInt32(dst []byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, TagInt32), uint32(v))
}

// AppendInt64 appends a msgpack int 64: marker and big-endian value.
func AppendInt64(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, TagInt64), uint64(v))
}

// AppendUint16 appends a msgpack uint 16: marker and big-endian value.
func AppendUint16(dst []byte, v uint16) []byte {
	return binary.BigEndian.AppendUint16(append(dst, TagUint16), v)
}

// AppendUint32 appends a msgpack uint 32: marker and big-endian value.
func AppendUint32(dst []byte, v uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, TagUint32), v)
}

// AppendBin32 appends a msgpack bin 32: marker, big-endian length and the bytes. The caller ensures
// that the length fits into 32 bits.
func AppendBin32(dst, content []byte) []byte {
	dst = binary.BigEndian.AppendUint32(append(dst, TagBin32), uint32(len(content)))
	return append(dst, content...)
}
