package chunk

import (
	"github.com/cairn-go/cairn"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// An Engine is what work on chunks may use: it is part of the options of this package, and of
// frames, arrays and stores, which hand it down as it is. The zero value has the default limits,
// and the codecs and filters that are built in.
type Engine struct {
	Limits  cairn.Limits      // what bytes from outside may ask for; zero fields mean defaults
	Codecs  *codecs.Registry  // codecs of the caller's, or nil
	Filters *shuffle.Registry // filters of the caller's, or nil
}
