package lint

import (
	"path"
	"strings"
)

// A layer is a row of the import table: what packages in some folders may import.
//
// Folders are relative to the module root. "*" matches one path element, a trailing "..." the
// folder and everything below it. The first row that matches a folder applies.
type layer struct {
	folders []string
	ours    []string // folders of this module
	modules []string // third-party packages, by path prefix
	oracles []string // third-party packages that test files may import besides
	// may import packages of the standard library that access more than memory: os, net, …
	mayTouch bool
	tests    []string // additional folders for test files
}

// oracles are compressors of others, against which the tests hold ours.
var oracles = []string{"github.com/klauspost/compress", "github.com/pierrec/lz4/v4"}

// importTable is the architecture, lowest layer first; docs/architecture.md shows the rows that are
// not of internal packages.
var importTable = []layer{
	{folders: []string{"."}, tests: []string{"..."}},
	{folders: []string{"internal/osfile", "internal/osfile/fresh"}, modules: []string{"golang.org/x/sys"}, mayTouch: true},
	{folders: []string{"internal/parallel", "internal/test/dense", "internal/show/chart",
		"internal/cf/cftime", "internal/suggest", "internal/show/table", "internal/fletcher", "internal/exact", "internal/streams",
		"internal/keylist", "internal/memo", "internal/naming"}},
	{folders: []string{"internal/pcodec"}, ours: []string{".", "internal/asm/..."}},
	{folders: []string{"internal/numeric"}, ours: []string{".", "internal/asm/...", "internal/pcodec"}},
	{folders: []string{"internal/slab"}, ours: []string{"internal/osfile/fresh"}},
	{folders: []string{"internal/readahead"}, ours: []string{"internal/parallel", "internal/slab"}},
	{folders: []string{"internal/place"}, mayTouch: true},
	{folders: []string{"internal/test/golden"}, mayTouch: true, tests: []string{"..."}},
	{folders: []string{"internal/test/hexdump", "internal/test/lint"}, mayTouch: true},
	{folders: []string{"internal/asm/cpu"}, modules: []string{"golang.org/x/sys/cpu"}},
	{folders: []string{"internal/test/asmtest"}, ours: []string{"internal/asm/cpu"},
		modules: []string{"golang.org/x/sys"}, mayTouch: true},
	{folders: []string{"internal/asm/bitshuffle"}, ours: []string{"internal/asm/cpu", "internal/asm/byteshuffle"}},
	{folders: []string{"internal/asm/zstdcode"}, ours: []string{"internal/asm/cpu", "internal/asm/zstdfind"}},
	{folders: []string{"internal/asm/..."}, ours: []string{"internal/asm/cpu"}},
	{folders: []string{"internal/errkind", "internal/foreign", "internal/zipped"}, ours: []string{"."}},
	{folders: []string{"internal/wire"}, ours: []string{".", "internal/osfile/fresh"}},
	{folders: []string{"internal/msgpack"}, ours: []string{"internal/wire"}},
	{folders: []string{"internal/grid"}, ours: []string{".", "internal/asm/...", "internal/errkind"}},
	{folders: []string{"internal/decoded"}},
	{folders: []string{"internal/chunked"}, ours: []string{".", "internal/decoded", "internal/grid", "internal/parallel", "internal/readahead",
		"internal/slab"}},
	{folders: []string{"internal/test/codectest"}, ours: []string{".", "codecs"}, mayTouch: true},
	{folders: []string{"internal/test/filtertest"}, ours: []string{".", "shuffle", "internal/filterchain"},
		mayTouch: true},
	{folders: []string{"internal/test/storagetest"}, ours: []string{".", "storage", "internal/placing"}, mayTouch: true},
	{folders: []string{"shuffle"}, ours: []string{".", "internal/asm/...", "internal/exact"}, tests: []string{"internal/filterchain"}},
	{folders: []string{"codecs"}, ours: []string{".", "codecs/...", "internal/asm/...", "internal/exact", "internal/numeric", "shuffle"}, modules: []string{"github.com/golang/snappy"}},
	{folders: []string{"codecs/internal/*"}, ours: []string{".", "internal/asm/..."}, oracles: oracles},
	{folders: []string{"internal/filterchain"}, ours: []string{".", "shuffle"}},
	{folders: []string{"chunk"}, ours: []string{".", "shuffle", "codecs", "internal/filterchain", "internal/wire",
		"internal/errkind", "internal/parallel", "internal/slab", "internal/asm/...", "internal/osfile/fresh"}},
	{folders: []string{"meta"}, ours: []string{".", "internal/errkind", "internal/wire", "internal/msgpack", "internal/grid"}},
	{folders: []string{"internal/derived"}, ours: []string{".", "meta"}},
	{folders: []string{"internal/cf/labels"}, ours: []string{"meta"}},
	{folders: []string{"internal/metalist"}, ours: []string{".", "meta", "internal/wire"}},
	{folders: []string{"internal/govalue"}, ours: []string{".", "internal/errkind", "meta", "internal/parallel", "internal/osfile/fresh"}},
	{folders: []string{"internal/cf"}, ours: []string{"meta", "internal/cf/cftime", "internal/govalue"}},
	{folders: []string{"internal/rounding"}, ours: []string{".", "meta", "internal/cf", "internal/govalue"}},
	{folders: []string{"storage"}, ours: []string{".", "internal/osfile", "internal/osfile/fresh"}, mayTouch: true},
	{folders: []string{"storage/diskcache"}, ours: []string{".", "storage", "internal/osfile"}, mayTouch: true,
		tests: []string{"frame", "ndarray", "storage/httprange"}},
	{folders: []string{"storage/httprange"}, ours: []string{".", "storage", "storage/diskcache"}, mayTouch: true,
		tests: []string{"frame", "ndarray", "chunk", "codecs", "compute", "npy", "store", "zarr"}},
	{folders: []string{"internal/objectstore"}, ours: []string{".", "storage", "internal/osfile/fresh"}, mayTouch: true},
	{folders: []string{"internal/placing"}, ours: []string{".", "internal/errkind", "storage"}},
	{folders: []string{"internal/inplace"}, ours: []string{".", "storage"}},
	{folders: []string{"internal/strided"}, ours: []string{".", "storage", "internal/parallel", "internal/slab"}},
	{folders: []string{"internal/inside"}, ours: []string{".", "chunk", "internal/chunked", "meta", "storage"}},
	{folders: []string{"frame/internal/format"}, ours: []string{".", "chunk", "codecs", "meta",
		"shuffle", "internal/metalist", "internal/wire", "internal/asm/crc32c"}},
	{folders: []string{"frame/internal/index"}, ours: []string{".", "chunk", "codecs", "shuffle", "internal/wire"}},
	{folders: []string{"frame/internal/locking"}, ours: []string{".", "storage"}},
	{folders: []string{"frame/internal/bucket"}, ours: []string{".", "storage", "frame/internal/format",
		"frame/internal/index", "internal/wire"}},
	{folders: []string{"frame/internal/remains"}, ours: []string{".", "chunk", "meta",
		"frame/internal/format", "frame/internal/index", "internal/wire"}},
	{folders: []string{"frame/internal/space"}},
	{folders: []string{"frame"}, ours: []string{".", "internal/errkind", "internal/naming", "internal/placing", "chunk", "meta", "storage",
		"shuffle", "codecs", "internal/inside",
		"frame/internal/...",
		"internal/wire", "internal/metalist", "internal/parallel", "internal/readahead", "internal/derived",
		"internal/foreign", "internal/asm/crc32c", "internal/osfile/fresh"}},
	{folders: []string{"ndarray/internal/selection"}, ours: []string{".", "internal/grid", "internal/slab"}},
	{folders: []string{"ndarray"}, ours: []string{".", "internal/errkind", "internal/naming", "internal/rounding", "frame", "chunk", "meta", "storage", "shuffle",
		"codecs", "internal/cf", "internal/chunked", "internal/decoded", "internal/inside", "internal/govalue", "internal/grid", "internal/cf/labels",
		"internal/osfile/fresh", "internal/parallel", "internal/readahead", "internal/slab", "internal/strided", "ndarray/internal/..."}},
	{folders: []string{"store"}, ours: []string{".", "internal/errkind", "internal/naming", "internal/placing", "ndarray", "frame", "chunk", "meta", "storage",
		"codecs", "shuffle",
		"internal/inside", "internal/derived", "internal/keylist", "internal/cf/labels"}},
	{folders: []string{"cmd/internal/advise"}, ours: []string{".", "chunk", "codecs", "ndarray", "shuffle",
		"internal/slab"}},
	{folders: []string{"internal/cf/values"}, ours: []string{".", "meta", "ndarray", "internal/cf", "internal/govalue", "internal/osfile/fresh",
		"internal/asm/marks"}},
	{folders: []string{"internal/cf/coords"}, ours: []string{".", "meta", "ndarray", "internal/cf", "internal/cf/cftime",
		"internal/cf/values", "internal/govalue"}},
	{folders: []string{"internal/cf/groups"}, ours: []string{".", "meta", "ndarray", "internal/cf", "internal/cf/cftime",
		"internal/cf/coords", "internal/suggest"}},
	{folders: []string{"internal/cf/joins"}, ours: []string{".", "meta", "ndarray", "internal/cf", "internal/chunked", "internal/cf/cftime",
		"internal/cf/coords", "internal/govalue"}, tests: []string{"internal/cf/values"}},
	{folders: []string{"compute/internal/expr"}, ours: []string{"."}},
	{folders: []string{"compute/internal/kernel"}, ours: []string{".", "ndarray", "internal/govalue",
		"internal/slab", "internal/asm/..."}},
	{folders: []string{"compute/internal/twosum"}},
	{folders: []string{"compute/internal/window"}, ours: []string{"compute/internal/twosum"}},
	{folders: []string{"compute"}, ours: []string{
		".", "compute/internal/...", "meta", "ndarray", "internal/cf", "internal/cf/cftime", "internal/govalue", "internal/grid", "internal/inside", "internal/errkind",
		"internal/parallel", "internal/slab", "internal/suggest", "internal/asm/...",
	}},
	{folders: []string{"job"}, ours: []string{".", "internal/naming", "chunk", "codecs", "compute", "frame", "meta", "ndarray", "shuffle",
		"store", "storage", "internal/asm/crc32c", "internal/grid", "internal/inside", "internal/errkind", "internal/cf/joins",
		"internal/parallel", "internal/slab", "internal/cf/values", "internal/osfile/fresh"}},
	{folders: []string{"npy"}, ours: []string{".", "internal/grid", "internal/keylist", "internal/naming", "internal/osfile/fresh", "internal/parallel",
		"internal/placing", "internal/readahead", "internal/slab", "internal/strided", "internal/zipped", "meta", "ndarray", "storage"}},
	{folders: []string{"zarr"}, ours: []string{".", "chunk", "codecs", "meta", "ndarray", "shuffle", "storage", "store",
		"frame", "internal/asm/crc32c", "internal/cf", "internal/chunked", "internal/decoded", "internal/fletcher", "internal/grid", "internal/errkind",
		"internal/govalue", "internal/keylist", "internal/naming", "internal/parallel", "internal/pcodec", "internal/placing", "internal/readahead",
		"internal/slab", "internal/streams", "internal/zipped", "internal/osfile/fresh"}},
	{folders: []string{"hdf5/filter"}, ours: []string{".", "chunk", "codecs", "frame", "ndarray", "shuffle",
		"internal/fletcher", "internal/grid", "internal/slab", "internal/streams", "internal/strided"}},
	{folders: []string{"hdf5/internal/hyperslab"}},
	{folders: []string{"hdf5/internal/format"}, ours: []string{".", "hdf5/filter", "hdf5/internal/hyperslab", "internal/inplace",
		"internal/wire", "storage"}},
	{folders: []string{"hdf5"}, ours: []string{".", "hdf5/filter", "hdf5/internal/format", "hdf5/internal/hyperslab",
		"internal/chunked", "internal/decoded", "internal/govalue", "internal/grid", "internal/inplace", "internal/cf/labels", "internal/naming", "internal/parallel",
		"internal/placing", "internal/readahead", "internal/slab", "internal/strided", "meta", "ndarray", "storage", "internal/osfile/fresh"}},
	{folders: []string{"netcdf"}, ours: []string{".", "hdf5", "internal/cf", "internal/chunked", "internal/govalue", "internal/grid", "internal/inplace",
		"internal/keylist", "internal/cf/labels", "internal/naming", "internal/parallel", "internal/placing", "internal/readahead",
		"internal/slab", "internal/strided", "internal/cf/values", "meta", "ndarray", "storage", "internal/osfile/fresh"},
		tests: []string{"hdf5/filter"}},
	{folders: []string{"compute/regrid"}, ours: []string{".", "meta", "ndarray", "netcdf", "internal/cf", "internal/cf/values",
		"internal/govalue", "internal/parallel", "internal/slab"}},
	{folders: []string{"internal/delimited"}, ours: []string{".", "meta", "ndarray"}},
	{folders: []string{"internal/formats"}, ours: []string{".", "chunk", "codecs", "frame", "hdf5", "hdf5/filter", "internal/cf", "internal/delimited", "internal/foreign", "internal/naming", "internal/parallel",
		"internal/slab", "meta", "ndarray", "netcdf", "npy", "storage", "store", "zarr"}},
	{folders: []string{"internal/beside"}, ours: []string{".", "compute", "internal/cf", "internal/cf/coords", "internal/cf/groups",
		"internal/suggest", "meta", "ndarray"}},
	{folders: []string{"tree"}, ours: []string{".", "compute", "internal/beside", "internal/cf", "internal/cf/coords",
		"internal/cf/values", "internal/formats", "internal/naming", "meta", "ndarray", "storage"},
		tests: []string{"netcdf", "npy", "storage/httprange", "store", "zarr"}},
	{folders: []string{"internal/data"}, ours: []string{"internal/cf", "ndarray"}},
	{folders: []string{"internal/described"}, ours: []string{".", "chunk", "codecs", "frame", "hdf5", "internal/cf", "internal/cf/coords",
		"internal/formats", "internal/parallel", "internal/show/item", "meta", "ndarray", "netcdf", "shuffle", "store", "zarr"}},
	{folders: []string{"internal/show/item"}, ours: []string{"internal/govalue", "internal/msgpack", "meta", "ndarray"}, tests: []string{"."}},
	{folders: []string{"internal/show/summary"}, ours: []string{".", "compute", "internal/show/item", "ndarray"}},
	{folders: []string{"internal/show/rows"}, ours: []string{"internal/cf/coords", "internal/slab", "internal/show/item", "internal/show/table", "meta",
		"ndarray"}},
	{folders: []string{"internal/show/sampling"}, ours: []string{".", "internal/govalue", "internal/parallel", "internal/slab",
		"ndarray"}},
	{folders: []string{"internal/show/viewing"}, ours: []string{".", "internal/cf", "internal/show/chart", "internal/cf/coords",
		"internal/govalue", "internal/show/sampling", "internal/cf/values", "meta", "ndarray"}},
	{folders: []string{"serve/..."}, ours: []string{"..."}, mayTouch: true},
	{folders: []string{"cmd/..."}, ours: []string{"..."},
		modules: []string{"golang.org/x/term", "golang.org/x/sys"}, mayTouch: true},
	{folders: []string{"check/..."}, ours: []string{"..."}, mayTouch: true},
}

// testSupport lists what any test may import in addition to what its package may: fixtures and hex
// dumps.
var testSupport = []string{
	"internal/test/golden", "internal/test/hexdump",
	"internal/test/codectest", "internal/test/filtertest", "internal/test/storagetest", "internal/test/asmtest",
}

// beyondMemory lists standard packages that access more than the memory passed to them.
var beyondMemory = []string{"os", "os/...", "net", "net/...", "syscall", "log", "log/...", "plugin",
	"database/...", "expvar"}

func layerOf(dir string) (layer, bool) {
	for _, l := range importTable {
		if matchAny(l.folders, dir) {
			return l, true
		}
	}
	return layer{}, false
}

func matchAny(patterns []string, dir string) bool {
	for _, p := range patterns {
		if match(p, dir) {
			return true
		}
	}
	return false
}

func match(pattern, dir string) bool {
	if pattern == "..." {
		return true
	}
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == below || strings.HasPrefix(dir, below+"/")
	}
	ok, err := path.Match(pattern, dir)
	return ok && err == nil
}
