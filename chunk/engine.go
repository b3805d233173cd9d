package chunk

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// An Engine holds the limits, codecs and filters for work on chunks. It is part of the options of
// this package, and of frames, arrays and stores, which pass it on unchanged. The zero value has
// the default limits and the built-in codecs and filters.
type Engine struct {
	Limits  cairn.Limits      // on untrusted data; zero fields have their defaults
	Codecs  *codecs.Registry  // additional codecs, or nil
	Filters *shuffle.Registry // additional filters, or nil

	// Checked decodes each chunk that is encoded, and compares its items with those that were to be
	// encoded, before it is kept; a difference is an error that matches cairn.ErrCorrupt. Chunks of
	// lossy codecs and filters are not compared.
	Checked bool
}
