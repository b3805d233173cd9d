// Package cairn is the root of a pure-Go engine for Blosc2 and B2ND files: compressed, chunked,
// N-dimensional arrays, byte-compatible with C-Blosc2 and python-blosc2.
//
// The root package holds only what every layer shares: the errors to branch on and the Limits that
// bound what an untrusted file may cost. The work is done by the packages below it:
//
//   - [github.com/cairn-go/cairn/ndarray]: N-dimensional arrays, typed and untyped
//   - [github.com/cairn-go/cairn/frame]: ordered chunks and metalayers in a file, directory or
//     buffer
//   - [github.com/cairn-go/cairn/chunk]: one compressed chunk, without a container
//   - [github.com/cairn-go/cairn/meta]: metalayers, the b2nd metalayer and dtype strings
//   - [github.com/cairn-go/cairn/codecs] and [github.com/cairn-go/cairn/shuffle]: what compresses
//     and what prepares
package cairn
