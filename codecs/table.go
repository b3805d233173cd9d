package codecs

// Row describes one codec. The built-in rows are in one table; a caller's own go into a [Registry].
type Row struct {
	ID       uint8  // the codec's number in the format (format: chunk header byte 0x16)
	WireCode uint8  // the 3-bit code in the flags byte of a chunk (format: chunk header, byte 0x02, bits 5 to 7)
	Name     string // lower case, as the command line and other Blosc2 tools spell it

	// NewEncoder and NewDecoder make one instance with its own scratch memory, to be used for many streams. They fail
	// with an error matching cairn.ErrUnsupported for parameters the codec does not have, such as a dictionary.
	NewEncoder func(Params) (Encoder, error)
	NewDecoder func(Params) (Decoder, error)

	// Splits tells whether the automatic split mode gives each byte plane of a shuffled block its own stream at this
	// level (format: split rule). nil means never.
	Splits func(level int) bool

	// HighRatio marks codecs made for high ratios rather than speed: automatic block sizes are twice as large for them.
	HighRatio bool

	Dict   bool // the format defines dictionaries for this codec
	Legacy bool // only found in chunks of the first Blosc format; C-Blosc2 cannot read it
}

// WirePlugin is the wire code of every codec that has none of its own; the id in the header then says which it is.
const WirePlugin = 6

// table lists the built-in codecs in the order of their ids.
var table = [...]Row{
	{ID: 0, WireCode: 0, Name: "blosclz", NewEncoder: newBloscLZEncoder, NewDecoder: newBloscLZDecoder, Splits: always},
	{ID: 1, WireCode: 1, Name: "lz4", NewEncoder: newLZ4Encoder, NewDecoder: newLZ4Decoder, Splits: always, Dict: true},
	{ID: 2, WireCode: 1, Name: "lz4hc", NewEncoder: newLZ4HCEncoder, NewDecoder: newLZ4Decoder, Dict: true, HighRatio: true},
	{ID: 3, WireCode: 2, Name: "snappy", NewEncoder: newSnappyEncoder, NewDecoder: newSnappyDecoder, Legacy: true},
	{ID: 4, WireCode: 3, Name: "zlib", NewEncoder: newZlibEncoder, NewDecoder: newZlibDecoder, HighRatio: true},
	{ID: 5, WireCode: 4, Name: "zstd", NewEncoder: newZstdEncoder, NewDecoder: newZstdDecoder, Splits: upTo5, Dict: true, HighRatio: true},
}

func always(int) bool      { return true }
func upTo5(level int) bool { return level <= 5 }

// Rows returns a copy of the built-in table, in the order of ids.
func Rows() []Row { return append([]Row(nil), table[:]...) }

// AutoSplits reports whether the automatic split mode splits for this codec at a level from 0 to 9.
func (r Row) AutoSplits(level int) bool { return r.Splits != nil && r.Splits(level) }
