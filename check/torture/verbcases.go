package main

import (
	"slices"
	"strings"
)

// A verbCase is one run of a verb.
type verbCase struct {
	verb string   // name for counting
	kind string   // kind of target
	name string   // name of the target, for %s in command lines
	run  string   // the command line
	make []string // lines that make the target first; see verbRunner.make
	lack string   // a system call that fails, as on systems without it
	slow bool     // the target is large
}

func (v verbCase) String() string { return v.verb + " " + v.kind }

// Inputs of verbs. The narrow array matches that of the C library, the line the leaves of its
// stores.
const (
	oldNPY    = "old.npy"
	newNPY    = "new.npy"
	narrowNPY = "narrow.npy"
	lineNPY   = "line.npy"
	parts     = " -chunks 20,40 -blocks 10,40 "
)

// Files of the C library and of python-blosc2, from the root of the module.
const (
	libraryFile   = "testdata/golden/nd2-05-zstd.b2nd"
	libraryDir    = "testdata/golden/grown-sparse.b2nd"
	libraryFrame  = "testdata/golden/early-2.0.4-zstd-meta.b2frame"
	pythonArchive = "store/testdata/mixed.b2z" // some leaves are embedded
	pythonEmbed   = "store/testdata/embed.b2e"
	pythonTable   = "store/testdata/indexed.b2z"
)

// Layouts and the options for them; variants of arrays, and how they are made.
var (
	layouts  = []string{"contiguous", "sparse"}
	layoutOf = map[string]string{"contiguous": "", "sparse": " -sparse"}
	arrayOf  = map[string]string{
		"contiguous":              "import" + parts + oldNPY + " %s",
		"sparse":                  "import -sparse" + parts + oldNPY + " %s",
		"file of C-Blosc2":        "cp " + libraryFile,
		"directory of C-Blosc2":   "cp " + libraryDir,
		"contiguous, no exchange": "import" + parts + oldNPY + " %s",
		"sparse, no exchange":     "import -sparse" + parts + oldNPY + " %s",
	}
)

// noExchange marks kinds on file systems that cannot exchange names.
const noExchange = ", no exchange"

type verbCases []verbCase

// allVerbCases returns each verb that writes, with each kind of target.
func allVerbCases() verbCases {
	var all verbCases

	for _, l := range layouts {
		all.add("import", "new "+l, "t.b2nd", "import"+layoutOf[l]+parts+newNPY+" %s")
		all.add("copy", "new "+l, "t.b2nd", "copy"+layoutOf[l]+" other.b2nd %s")
		all.add("concat", "new "+l, "t.b2nd", "concat"+layoutOf[l]+" other.b2nd other.b2nd %s")
	}
	all.add("copy", "new frame", "t.b2frame", "copy other.b2frame %s")
	all.add("repair", "new", "t.b2nd", "repair other.b2nd %s")

	all.replacedArrays()
	all.changedArrays()
	all.files()
	all.stores()
	all.pythonStores()
	slices.SortFunc(all, func(a, b verbCase) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func (all *verbCases) add(verb, kind, name, run string, make ...string) {
	one := verbCase{verb: verb, kind: kind, name: name, run: run, make: make}
	if strings.HasSuffix(kind, noExchange) {
		one.lack = "renameat2:error=EINVAL"
	}
	*all = append(*all, one)
}

func (all *verbCases) replacedArrays() {
	for over, make := range arrayOf {
		for _, l := range layouts {
			if over == "contiguous"+noExchange && l == "contiguous" {
				continue // a rename suffices
			}
			kind := l + " over " + over
			flags := " -force" + layoutOf[l]
			all.add("import -force", kind, "t.b2nd", "import"+flags+parts+newNPY+" %s", make)
			all.add("copy -force", kind, "t.b2nd", "copy"+flags+" other.b2nd %s", make)
			all.add("concat -force", kind, "t.b2nd", "concat"+flags+" other.b2nd other.b2nd %s", make)
		}
		if over != "contiguous"+noExchange {
			all.add("repair -force", "over "+over, "t.b2nd", "repair -force other.b2nd %s", make)
		}
	}

	for _, l := range layouts {
		recode := "copy -force -codec lz4 -chunks 7,40 -blocks 7,10" + layoutOf[l] + " other.b2nd %s"
		all.add("copy -force -codec", l, "t.b2nd", recode, arrayOf[l])
		all.add("copy -force -verify", l, "t.b2nd", "copy -force -verify"+layoutOf[l]+" other.b2nd %s", arrayOf[l])
		all.add("copy -force", "frame over "+l+" array", "t.b2frame", "copy -force other.b2frame %s", arrayOf[l])
		all.add("copy -force", l+" frame over frame", "t.b2frame", "copy -force"+layoutOf[l]+" other.b2frame %s",
			"cp "+libraryFrame)
	}
}

func (all *verbCases) changedArrays() {
	for _, l := range layouts {
		all.add("append", l, "t.b2nd", "append %s "+newNPY, arrayOf[l])
		all.add("append -axis 1", l, "t.b2nd", "append -axis 1 %s "+oldNPY, arrayOf[l])
		all.add("resize", l, "t.b2nd", "resize %s 77,40", arrayOf[l])
		all.add("resize", l+" less", "t.b2nd", "resize %s 25,30", arrayOf[l])
		all.add("meta set", l, "t.b2nd", "meta set %s note [1,2]", arrayOf[l])
		all.add("meta rm", l, "t.b2nd", "meta rm %s note", arrayOf[l], "meta set %s note [1,2]")
	}
	for kind, columns := range map[string]string{"file of C-Blosc2": "7", "directory of C-Blosc2": "30"} {
		all.add("resize", kind, "t.b2nd", "resize %s 9,"+columns, arrayOf[kind])
		all.add("meta set", kind, "t.b2nd", "meta set %s note 1", arrayOf[kind])
	}
	// More than 8 MiB are dead then, so a new file replaces the old one.
	all.add("resize", "contiguous, compacted", "t.b2nd", "resize %s 2,1024",
		"npy 3072,1024 large.npy", "import -level 0 -chunks 128,1024 large.npy %s")
	(*all)[len(*all)-1].slow = true
	all.add("append", "file of C-Blosc2", "t.b2nd", "append %s "+narrowNPY, "cp "+libraryFile)
	all.add("meta set", "frame of C-Blosc2", "t.b2frame", "meta set %s note 1", "cp "+libraryFrame)
}

func (all *verbCases) files() {
	all.add("export", "new", "t.npy", "export other.b2nd %s")
	all.add("export -force", "file", "t.npy", "export -force other.b2nd %s", "export small.b2nd %s")
	for _, name := range []string{"t.nc", "t.nc3", "t.h5"} {
		all.add("export", "new "+name, name, "export other.b2nd %s")
		all.add("export -force", "over "+name, name, "export -force other.b2nd %s", "export small.b2nd %s")
	}
	all.add("copy -force", "HDF5 over NetCDF", "t.h5", "copy -force other.nc %s", "copy small.b2nd %s")
	for _, target := range []string{"temperature.b2nd", "temperature.png"} {
		all.add("demo -force", target, "d/"+target, "demo -force -days 2 -out d", "demo -days 1 -out d")
		(*all)[len(*all)-1].slow = true
	}
}

func (all *verbCases) stores() {
	for _, form := range []string{".b2d", ".b2z", ".b2e"} {
		name := "t" + form
		tree := []string{
			"import" + parts + oldNPY + " %s::/a", "copy small.b2nd %s::/g/b", "copy small.b2nd %s::/g/c",
			"copy other.b2frame %s::/g/h/f",
		}
		add := func(verb, run string, more ...string) {
			all.add(verb, form, name, run, append(slices.Clone(tree), more...)...)
		}

		all.add("import leaf", "new "+form, name, "import"+parts+newNPY+" %s::/a")
		all.add("copy store", "new "+form, name, "copy other.b2d %s")
		add("import leaf", "import"+parts+newNPY+" %s::/new/c")
		add("import -force leaf", "import -force"+parts+newNPY+" %s::/a")
		add("copy -force leaf", "copy -force other.b2nd %s::/g/b")
		add("copy -force leaf of another kind", "copy -force other.b2nd %s::/g/h/f")
		add("concat -force leaf", "concat -force other.b2nd other.b2nd %s::/a")
		add("repair -force leaf", "repair -force other.b2nd %s::/a")
		add("append leaf", "append %s::/a "+newNPY)
		add("resize leaf", "resize %s::/a 7,40")
		add("meta set leaf", "meta set %s::/a note 1")
		add("meta rm leaf", "meta rm %s::/a note", "meta set %s::/a note 1")
		add("delete leaf", "delete %s::/a")
		add("delete group", "delete %s::/g")
		add("copy -force store", "copy -force other.b2d %s")

		if form != ".b2d" { // several changes in a directory
			add("delete several", "delete %s::/a %s::/g/h %s::/g/b")
		}
		if form != ".b2e" {
			add("meta set group", "meta set %s::/g units 1")
			add("meta set group again", "meta set %s::/g units 2", "meta set %s::/g units 1")
			add("meta rm group", "meta rm %s::/g units", "meta set %s::/g units 1")
		}
	}

	for _, how := range []string{"", noExchange} {
		archive := []string{"copy other.b2d x.b2z", "cp x.b2z"}
		all.add("copy -force store", ".b2d over archive"+how, "t.b2d", "copy -force small.b2d %s", archive...)
		for _, form := range []string{".b2z", ".b2e"} {
			kind := form + " over directory" + how
			all.add("copy -force store", kind, "t"+form, "copy -force small.b2d %s", "cp other.b2d")
		}
	}
	all.add("copy -force store", ".b2d"+noExchange, "t.b2d", "copy -force small.b2d %s", "copy other.b2d %s")
}

func (all *verbCases) pythonStores() {
	for form, make := range map[string]string{
		".b2d": "unzip " + pythonArchive, ".b2z": "cp " + pythonArchive, ".b2e": "cp " + pythonEmbed,
	} {
		name := "t" + form
		kind := form + " of Python"
		all.add("import leaf", kind, name, "import"+parts+newNPY+" %s::/new/c", make)
		all.add("import -force leaf", kind, name, "import -force"+parts+newNPY+" %s::/a", make)
		all.add("append leaf", kind, name, "append %s::/a "+lineNPY, make)
		all.add("meta set leaf", kind, name, "meta set %s::/g/b note 1", make)
		all.add("delete leaf", kind, name, "delete %s::/g/b", make)
		all.add("delete group", kind, name, "delete %s::/g", make)
		all.add("copy -force store", kind, name, "copy -force other.b2d %s", make)
		if form != ".b2e" {
			all.add("delete leaf twice there", kind, name, "delete %s::/g/large", make)
			all.add("meta set group", kind, name, "meta set %s::/g units 1", make)
		}
	}

	for form, make := range map[string]string{".b2d": "unzip " + pythonTable, ".b2z": "cp " + pythonTable} {
		all.add("copy table", form, "t"+form, "copy table.b2z::/g/table %s::/g/other", make)
		all.add("delete table", form, "t"+form, "delete %s::/g/table", make)
	}
}
