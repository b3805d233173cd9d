package command

import (
	"flag"
	"math"
	"strconv"
	"strings"

	"github.com/cairn-go/cairn/chunk"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/loss"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/operand"
	"github.com/cairn-go/cairn/cmd/internal/command/internal/whole"
	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/internal/formats"
	"github.com/cairn-go/cairn/internal/place"
	"github.com/cairn-go/cairn/internal/rounding"
	"github.com/cairn-go/cairn/ndarray"
	"github.com/cairn-go/cairn/npy"
)

// copyFlags say what a copy changes. Everything else stays as it is.
type copyFlags struct {
	chunks, blocks       string
	codec                string
	level                int
	filters              string
	unlimited            string
	recode               bool
	sparse, contiguous   bool
	zarrBlocks           *bool // nil if the flag is not given
	memory               string
	workers              int
	force                bool
	plan, verify, rawOut bool        // of verbs that convert, as all of these
	selection            string      // the text of -s
	items                *npy.Header // of IN, if they are without one
	shaping              shaping
	named                whole.Chunks // of -chunks, if it has names
	history              bool
	keep                 []keptCoordinate
	lossFlags            loss.Flags
	rounded              map[string]bool // arrays of a tree that are data; if they are rounded
	variables            loss.Variables  // that tell how they are rounded
	std                  *streams        // for notes
}

// levelKept is the value of -level if the flag is not given.
const levelKept = math.MinInt32

func (f *copyFlags) declare(set *flag.FlagSet) {
	set.StringVar(&f.chunks, "chunks", "", "chunk `SHAPE`, such as 64,64, or by names of dimensions, "+
		"such as time=24, or auto; that of IN by default")
	set.StringVar(&f.blocks, "blocks", "",
		"block `SHAPE`, such as 16,16, or auto; that of IN by default, or auto if -chunks is given")
	set.StringVar(&f.codec, "codec", "", codecUsage()+"; that of IN by default; "+hdf5Usage)
	set.IntVar(&f.level, "level", levelKept,
		"compression level `N` from 1 to 9, or 0 to store uncompressed; that of IN by default")
	set.StringVar(&f.filters, "filters", "", filtersUsage+strings.Join(filterNames(), ", ")+"; those of IN by default")
	set.BoolVar(&f.recode, "recode", false, "encode everything again, even with the same codec, level and filters")
	set.BoolVar(&f.sparse, "sparse", false, "write a directory with one file per chunk; as IN by default")
	set.BoolVar(&f.contiguous, "contiguous", false, "write a single file; as IN by default")
	set.BoolFunc("zarrblocks", zarrUsage+"; -zarrblocks=false undoes it; as IN by default", func(text string) error {
		on, err := strconv.ParseBool(text)
		f.zarrBlocks = &on
		return err
	})

	f.lossFlags.Declare(set)
	set.StringVar(&f.memory, "memory", "", "use at most `SIZE` bytes of memory, such as 512M; 256M by default")
	set.IntVar(&f.workers, "workers", 0, workersUsage)
	set.BoolVar(&f.force, "force", false, forceUsage)
	f.declareHistory(set)
}

// declareHistory declares the flag of verbs that write whole files.
func (f *copyFlags) declareHistory(set *flag.FlagSet) {
	set.BoolVar(&f.history, "history", true, "begin the attribute history of a whole file that changes with a line "+
		"about this command; -history=false leaves it as it is")
}

// record has the history of a whole file tell of a copy that changes more than how it is stored.
func (f *copyFlags) record(std *streams, in *operand.Opened, o *ndarray.CopyOptions) {
	changes := f.selection != "" || in.Chosen() || loss.BoundOf(o.Loss).Rule != rounding.None
	if f.history && changes {
		in.Record(std.historyLine())
	}
}

// chunksByName sets the chunks of an array whose dimensions -chunks names.
func (f *copyFlags) chunksByName(src ndarray.Source, o *ndarray.CopyOptions) error {
	if f.named == nil {
		return nil
	}
	if err := f.named.Require(src); err != nil {
		return usagef("-chunks: %v", err)
	}
	o.ChunkShape = f.named.Shape(src)
	return nil
}

func (f *copyFlags) declareUnlimited(set *flag.FlagSet) {
	set.StringVar(&f.unlimited, "unlimited", "",
		"comma-separated `NAMES` of dimensions that may grow in NetCDF and HDF5, besides those that may in IN")
}

// grown returns the names that -unlimited has.
func (f *copyFlags) grown() []string {
	if f.unlimited == "" {
		return nil
	}
	return strings.Split(f.unlimited, ",")
}

// hdf5Usage describes the codecs and filters of NetCDF and HDF5.
var hdf5Usage = "of NetCDF and HDF5 " + strings.Join(formats.CodecsOfHDF5(), ", ") +
	", as chunks of IN or else zlib by default, behind -filters shuffle (the default), bitshuffle or none, and with fletcher32 if that " +
	"is the last; what is not zlib, lzf, shuffle or fletcher32 needs plugins in other programs, such as hdf5plugin"

// forHDF5 takes the flags that say how chunks are encoded, if the output is of HDF5, which has
// other names and levels. It returns nil for another output, and without such flags.
func (f *copyFlags) forHDF5(to target) (*formats.Filters, error) {
	row := to.other()
	if row == nil || !row.HDF5 || f.codec == "" && f.filters == "" && f.level == levelKept {
		return nil, nil
	}

	level := f.level
	if level == levelKept {
		level = -1
	} else if level < 0 {
		return nil, usagef("-level is %d, must not be negative", level)
	}
	filters, err := formats.ParseFilters(f.codec, level, f.filters)
	if err != nil {
		return nil, usagef("%v", err)
	}
	f.codec = ""
	f.filters = ""
	f.level = levelKept
	return filters, nil
}

// options turns the flags into options; mistakes are usage errors.
func (f *copyFlags) options() (*ndarray.CopyOptions, error) {
	o := &ndarray.CopyOptions{Recode: f.recode, ZarrBlocks: f.zarrBlocks, Overwrite: f.force, Workers: f.workers}
	var err error
	if f.named, err = whole.ParseChunks(f.chunks); err != nil {
		return nil, usagef("-chunks: %v", err)
	}
	for _, given := range []struct {
		name, text string
		shape      *ndarray.Shape
	}{{"chunks", f.chunks, &o.ChunkShape}, {"blocks", f.blocks, &o.BlockShape}} {
		if given.text == "auto" {
			o.AutoShapes = true
		} else if given.name == "chunks" && f.named != nil {
			continue
		} else if *given.shape, err = parseShape(given.name, given.text); err != nil {
			return nil, err
		}
	}

	if f.codec != "" {
		if o.Codec, err = parseCodec(f.codec); err != nil {
			return nil, err
		}
		o.Checked = o.Codec == codecs.Numeric
	}
	if f.filters != "" {
		if o.Filters, err = parseFilters(f.filters); err != nil {
			return nil, err
		}
	}

	// In options, level 0 is the default, and a level of its own stores without compression.
	switch {
	case f.level == levelKept:
	case f.level < 0 || f.level > 9:
		return nil, usagef("-level is %d, must be 0 to 9", f.level)
	case f.level == 0:
		o.Level = chunk.Stored
	default:
		o.Level = f.level
	}

	switch {
	case f.sparse && f.contiguous:
		return nil, usagef("-sparse and -contiguous cannot be combined")
	case f.sparse:
		o.Sparse = new(true)
	case f.contiguous:
		o.Sparse = new(false)
	}

	b, err := f.lossFlags.Bound()
	if err != nil {
		return nil, usagef("%v", err)
	}
	o.Loss = loss.Of(b, &ndarray.LossErrors{})

	if o.Memory, err = parseSize("memory", f.memory); err != nil {
		return nil, err
	}
	return o, checkWorkers(f.workers)
}

// parseSize reads a number of bytes, with or without K, M, G or T for powers of 1024, which may
// also be written as they are printed: 1.5 GiB. An empty text is 0.
func parseSize(name, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	word := strings.TrimLeft(text, "0123456789.")
	number := strings.TrimSuffix(text, word)
	n, err := strconv.ParseFloat(number, 64)

	word = strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(word)), "B")
	unit := 1.0
	if word != "" {
		power := strings.Index("KMGT", word[:1])
		switch {
		case power < 0:
			err = strconv.ErrSyntax
		case word[1:] == "B":
			return 0, usagef("-%s: %q may mean powers of 1000 or of 1024; write %s%s for the latter", name, text, number,
				word[:1])
		case word[1:] != "" && word[1:] != "I" && word[1:] != "IB":
			err = strconv.ErrSyntax
		}
		unit = math.Pow(1024, float64(1+power))
	}
	if err != nil || n*unit < 1 || n*unit > 1<<62 {
		return 0, usagef("-%s: %q is not a size such as 512M", name, text)
	}
	return int64(n * unit), nil
}

// forLeaf adapts options to an output that is a single file.
func (f *copyFlags) forLeaf(to target, o *ndarray.CopyOptions) error {
	switch {
	case f.sparse && to.One():
		return notSparse(to)
	case f.verify && f.sparse && to.Kind == place.Bucket:
		return usagef("-verify compares before OUT has its name, which -sparse gives it at once in a bucket")
	case to.One() || to.Kind == place.Bucket && !f.sparse:
		o.Sparse = new(false)
	}
	return nil
}

// notSparse is the error for a single file that is to be sparse.
func notSparse(to target) error {
	return usagef("-sparse: %s is a single file, not a directory", to)
}

// rawOutUsage describes -raw of verbs that convert.
const rawOutUsage = "write items as they are stored to formats without attributes too"
