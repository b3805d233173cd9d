package command

import "github.com/cairn-go/cairn/internal/suggest"

// A verbGroup is verbs that serve one purpose.
type verbGroup struct {
	title string
	verbs []verb
}

// verbGroups is the table of verbs, in the order in which help shows them. The examples of each are
// in cmd/internal/command/internal/manual/examples.go.
func verbGroups() []verbGroup {
	return []verbGroup{
		{"look", []verb{
			{"info", "PATH…", "shape, dtype, sizes",
				"describe arrays or frames, or list the arrays of stores", infoVerb, traits{}},
			{"head", "PATH…", "the first rows",
				"print the first rows of arrays as a grid, or items as CSV or JSON", headVerb, traits{}},
			{"tail", "PATH…", "the last rows",
				"print the last rows of arrays as a grid, or items as CSV or JSON", tailVerb, traits{}},
			{"view", "PATH…", "a picture of a slice",
				"draw a slice of an array in the terminal, or as a picture: a line, a map or a histogram", viewVerb, traits{}},
			{"watch", "PATH", "new rows as they come",
				"follow an array that grows: print new rows, or draw the last ones", watchVerb, traits{}},
			{"serve", "PATH…", "arrays in a browser",
				"serve files and folders of arrays on the web: a page to look at them, an API, and Zarr", serveVerb, traits{}},
			{"stats", "PATH…", "minimum, mean, maximum",
				"print statistics of arrays: minimum, maximum, mean and so on", statsVerb, traits{}},
			{"calc", "EXPRESSION NAME=PATH…", "a - mean(b, axis=0)",
				"compute an expression such as 'a - mean(b, axis=0)' as NumPy does, and store or print it", calcVerb, traits{writes: true}},
			{"reduce", "IN [OUT]", "means, sums, medians",
				"reduce an array, or all of a file, over some dimensions: means, sums, extremes, quantiles and more", reduceVerb, traits{writes: true}},
			{"regrid", "IN OUT", "to another grid",
				"bring the arrays of a file to another horizontal grid: interpolated, nearest or conservative", regridVerb, traits{writes: true}},
			{"diff", "A B", "how two arrays differ",
				"compare two arrays or trees of any format, with exit code 0 if they are equal and 1 if not", diffVerb, traits{}},
			{"cat", "PATH", "the decoded bytes",
				"write the decoded bytes of an array or frame to standard output", catVerb, traits{}},
		}},

		{"convert", []verb{
			{"import", "IN OUT.b2nd", "from NetCDF, Zarr, …",
				"store an array of a NumPy, NetCDF or HDF5 file or a Zarr store, or a whole file, in Blosc2", importVerb, traits{writes: true}},
			{"export", "PATH OUT.npy", "to NumPy, Zarr, CSV",
				"write an array or store as a NumPy file, an .npz archive, raw items, a table of text or a Zarr store", exportVerb, traits{writes: true}},
			{"copy", "IN OUT", "chunks, codec, a part",
				"copy an array, a part of it, a frame, a group or a store, optionally with other chunks or codec",
				copyVerb, traits{writes: true}},
			{"advise", "PATH", "codec, filters, chunks",
				"measure which codec, filters and chunks suit an array, and print the command to type", adviseVerb, traits{}},
			{"concat", "IN… OUT", "join arrays",
				"join arrays, or whole files, along an axis", concatVerb, traits{writes: true}},
			{"split", "IN OUTPATTERN", "cut into several arrays",
				"cut an array or a whole file into several along an axis, named by a pattern such as part%03d.nc",
				splitVerb, traits{writes: true}},
			{"job", "plan|work|seal|status|cancel|remove JOB [IN… OUT]", "by many processes",
				"copy, compute, reduce or join large arrays by any number of processes: plan, work, seal", jobVerb, traits{}},
			{"refs", "PATH", "a file as a Zarr array",
				"write references that present a file with -zarrblocks as a Zarr array", refsVerb, traits{}},
		}},

		{"change", []verb{
			{"append", "FILE IN…", "more items at the end",
				"append the items of arrays of any format to an array", appendVerb, traits{writes: true}},
			{"resize", "FILE SHAPE", "another shape",
				"change the shape of an array", resizeVerb, traits{writes: true, native: true}},
			{"meta", "get|set|rm FILE [NAME [VALUE]]", "metalayers, attributes",
				"list, print, set and remove metalayers; values are JSON", metaVerb, traits{native: true}},
			{"delete", "PATH::/KEY…", "remove from a store",
				"remove arrays, or groups with everything in them, from a store", deleteVerb, traits{native: true}},
		}},

		{"history", historyVerbs()},
		{"protect", []verb{
			{"verify", "PATH…", "find damage",
				"read and decode everything, and report damage", verifyVerb, traits{}},
			{"repair", "IN OUT", "save what is intact",
				"copy the intact parts of a damaged array or frame", repairVerb, traits{native: true}},
		}},
		{"more", moreVerbs()},
	}
}

// historyVerbs are those about versions in buckets.
func historyVerbs() []verb {
	return []verb{
		{"log", "URL", "versions in a bucket",
			"list the versions of an array or frame in a bucket: each commit, the newest first", logVerb, traits{native: true}},
		{"prune", "URL", "remove old versions",
			"remove old versions of an array in a bucket, and what failed commits have left", pruneVerb, traits{native: true}},
	}
}

// moreVerbs are those that are about the command itself.
func moreVerbs() []verb {
	return []verb{
		{"demo", "", "see what cairn does",
			"generate an array, store it, read it back and draw a map", demoVerb, traits{native: true}},
		{"completion", "bash|zsh|fish", "for a shell",
			"print a script that completes verbs, flags and names in a shell", completionVerb, traits{native: true}},
		{"version", "", "version and build",
			"print the version", versionVerb, traits{native: true}},
		{"help", "[VERB]", "a verb and its flags",
			"describe the command or a verb", helpVerb, traits{native: true}},
	}
}

// verbs lists all verbs.
func verbs() []verb {
	var all []verb
	for _, group := range verbGroups() {
		all = append(all, group.verbs...)
	}
	return all
}

func findVerb(name string) (*verb, error) {
	var names []string
	for _, v := range append(verbs(), hiddenVerb()) {
		if v.name == name {
			return &v, nil
		}
		names = append(names, v.name)
	}
	return nil, usagef("unknown verb %q%s", name, suggest.Question(name, names))
}
