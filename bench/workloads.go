package main

// A workload is a group of measurements. Its function adds measures and figures to the report of
// the contest.
type workload struct {
	name  string
	about string
	run   func(*contest) error
}

// workloads returns all workloads, in the order in which they run.
func workloads() []workload {
	return []workload{
		{"frames", "whole buffers into a super-chunk in memory and back", (*contest).frames},
		{"readers", "each reader on each writer's frames, levels 1 to 9, one thread", (*contest).readers},
		{"codecs", "codecs alone, on shuffled blocks of 128 KiB, one thread", (*contest).codecsAlone},
		{"filters", "filters alone, on 128 KiB in cache, one thread", (*contest).filtersAlone},
		{"arrays", "planes, points and boxes of an array", (*contest).arrays},
		{"users", "which library would a user pick: whole arrays, parts and appends, in files", (*contest).users},
		{"zarr", "readers of Zarr stores: whole arrays, planes and boxes", (*contest).zarr},
		{"hdf5", "readers of HDF5 and NetCDF files: whole arrays, planes, series and boxes", (*contest).hdf5},
		{"reads", "whole arrays into new memory and loops over planes, of files that the peers wrote", (*contest).reads},
		{"verbs", "reductions, expressions and statistics by the command, in files", (*contest).verbs},
		{"append", "the cost of an append, and of opening, against the number of chunks", (*contest).appends},
		{"commits", "a changed box and its commit against the number of chunks", (*contest).commits},
		{"boxes", "changed boxes and their commits, beside shards", (*contest).changedBoxes},
		{"levels", "levels 1 to 9: size against speed, one thread", (*contest).frontier},
	}
}

func workloadNames() []string {
	var out []string
	for _, w := range workloads() {
		out = append(out, w.name)
	}
	return out
}
