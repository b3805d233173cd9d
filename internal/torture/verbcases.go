package main

// A verbCase is one run of a verb.
type verbCase struct {
	verb string   // as it is counted
	kind string   // of what it works on
	make []string // command lines that make it
	run  string   // the command line; %s in all of these stands for the target
	name string   // of the target
}

func (v verbCase) String() string { return v.verb + " " + v.kind }

// Kinds of files, and how an array of them is imported.
const (
	oldNPY  = "old.npy"
	newNPY  = "new.npy"
	partsOf = " -chunks 20,40 -blocks 10,40 "
)

// verbCases returns all of them.
func verbCases() []verbCase {
	var all []verbCase
	add := func(verb, kind, name, run string, make ...string) {
		all = append(all, verbCase{verb, kind, make, run, name})
	}
	importAs := map[string]string{
		"contiguous": "import" + partsOf + oldNPY + " %s",
		"sparse":     "import -sparse" + partsOf + oldNPY + " %s",
	}
	other := map[string]string{"contiguous": "", "sparse": " -sparse"}
	for _, kind := range []string{"contiguous", "sparse"} {
		add("import", "new "+kind, "t.b2nd", "import"+other[kind]+partsOf+newNPY+" %s")
		add("copy", "new "+kind, "t.b2nd", "copy"+other[kind]+" other.b2nd %s")
		for _, over := range []string{"contiguous", "sparse"} {
			pair := kind + " over " + over
			flags := " -force" + other[kind]
			add("import -force", pair, "t.b2nd", "import"+flags+partsOf+newNPY+" %s", importAs[over])
			add("copy -force", pair, "t.b2nd", "copy"+flags+" other.b2nd %s", importAs[over])
			add("concat -force", pair, "t.b2nd", "concat"+flags+" other.b2nd other.b2nd %s", importAs[over])
		}
		recode := "copy -force -codec lz4 -chunks 7,40 -blocks 7,10" + other[kind] + " other.b2nd %s"
		add("copy -force -codec", kind, "t.b2nd", recode, importAs[kind])
		add("repair -force", kind, "t.b2nd", "repair -force other.b2nd %s", importAs[kind])
		add("append", kind, "t.b2nd", "append %s "+newNPY, importAs[kind])
		add("resize", kind, "t.b2nd", "resize %s 77,40", importAs[kind])
		add("meta set", kind, "t.b2nd", "meta set %s note [1,2]", importAs[kind])
		add("meta rm", kind, "t.b2nd", "meta rm %s note", importAs[kind], "meta set %s note [1,2]")
	}
	add("export", "new", "t.npy", "export other.b2nd %s")
	add("export -force", "file", "t.npy", "export -force other.b2nd %s", "export small.b2nd %s")
	foreign := "copy the file of the C library"
	add("append", "file of C-Blosc2", "t.b2nd", "append %s "+narrowNPY, foreign)
	add("resize", "file of C-Blosc2", "t.b2nd", "resize %s 9,7", foreign)
	add("meta set", "file of C-Blosc2", "t.b2nd", "meta set %s note 1", foreign)
	for _, form := range []string{".b2d", ".b2z", ".b2e"} {
		name := "t" + form
		tree := []string{"import" + partsOf + oldNPY + " %s::/a", "copy small.b2nd %s::/g/b"}
		add("import leaf", "new "+form, name, "import"+partsOf+newNPY+" %s::/a")
		add("import leaf", form, name, "import"+partsOf+newNPY+" %s::/new/c", tree...)
		add("import -force leaf", form, name, "import -force"+partsOf+newNPY+" %s::/a", tree...)
		add("copy -force leaf", form, name, "copy -force other.b2nd %s::/g/b", tree...)
		add("append leaf", form, name, "append %s::/a "+newNPY, tree...)
		add("resize leaf", form, name, "resize %s::/a 7,40", tree...)
		add("meta set leaf", form, name, "meta set %s::/a note 1", tree...)
		add("delete leaf", form, name, "delete %s::/a", tree...)
		add("delete group", form, name, "delete %s::/g", tree...)
		add("copy store", "new "+form, name, "copy other.b2d %s")
		add("copy -force store", form, name, "copy -force other.b2d %s", tree...)
		if form != ".b2e" {
			add("meta set group", form, name, "meta set %s::/g units 1", tree...)
		}
	}
	return all
}

// narrowNPY has the columns of the golden that stands for all files of the C library.
const (
	narrowNPY   = "narrow.npy"
	foreignFile = "nd2-05-zstd.b2nd"
)
