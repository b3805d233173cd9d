// Package blosclz encodes and decodes BloscLZ streams, Blosc's own Lempel-Ziv format for shuffled
// data.
//
// A stream is a sequence of tokens that ends with a literal run. It contains neither its own length
// nor the decoded length.
//
//	literal run    000nnnnn                                     n+1 literal bytes follow
//	near match     lllddddd [more…] dddddddd                    distance d+1, up to 8191
//	far match      lll11111 [more…] 11111111 DDDDDDDD DDDDDDDD  distance D+8192, up to 73727
//
// A match of lll = 1 to 6 copies lll+2 bytes; lll = 7 copies 9 plus the sum of the bytes in more,
// which ends with the first byte that is not 255. D is stored with its high byte first. The first
// token of a stream is always a literal run; its upper three bits are ignored, and encoders set
// them to 001.
//
// docs/format/codecs.md describes the format and the choices of encoders.
package blosclz

const (
	maxRun  = 32   // literals in one run
	maxNear = 8191 // largest distance of a near match
	maxFar  = 1<<16 - 1 + maxNear + 1

	tokenLiteral = 0x20 // smaller tokens are literal runs; also the mark on the first token
	lengthShift  = 5    // the length field of a match token is above the distance bits
	distanceMask = 31
	longLength   = 7 // length field if more length bytes follow
	lengthBias   = 2 // a length field of n means n+2 bytes
	farByte      = 255
)
