package main

// A bound is the most memory that verbs may take on an array of chunks of 1 MiB, as docs/command.md
// states it. The operands are a.b2nd, with a chunk for each plane, and b.b2nd, with cubes.
type bound struct {
	what      string // as in the document
	mebibytes int64
	commands  []string
}

var bounds = []bound{
	{"`stats`, `verify`, `head`, `cat`", 32, []string{
		"stats -q a.b2nd", "verify -q a.b2nd", "head -q a.b2nd", "cat -q b.b2nd"}},
	{"`stats -quantiles`", 64, []string{"stats -q -quantiles 0.5 b.b2nd"}},
	{"`reduce` to means, deviations and extremes", 64, []string{
		"reduce -q -op mean -axis 0 a.b2nd mean.b2nd", "reduce -q -op std -axis 0 b.b2nd std.b2nd"}},
	{"`reduce` to medians and quantiles", 128, []string{"reduce -q -op median -axis 0 a.b2nd median.b2nd"}},
	{"`calc`", 96, []string{
		"calc -q -o sum.b2nd a*2+b a=a.b2nd b=b.b2nd", "calc -q -o anomaly.b2nd a-mean(a,axis=0) a=a.b2nd"}},
	{"`view`", 64, []string{"view -q -o map.png a.b2nd", "view -q -hist -o hist.png a.b2nd"}},
	{"`diff`", 192, []string{"diff -q a.b2nd a.b2nd", "diff -q a.b2nd b.b2nd"}},
	{"`copy`", 128, []string{"copy -q -s :,:256 a.b2nd part.b2nd", "copy -q -chunks 64,64,64 a.b2nd cubes.b2nd"}},
	{"`concat`, `split`, `append`, `resize`", 128, []string{
		"concat -q b.b2nd a.b2nd joined.b2nd", "split -q -size 100 b.b2nd s%d.b2nd",
		"append -q joined.b2nd a.b2nd", "resize -q joined.b2nd 100,512,512"}},
	{"`export`, `import` of `.npy`", 64, []string{"export -q a.b2nd a.npy", "import -q a.npy n.b2nd"}},
	{"`export`, `import` of Zarr", 128, []string{
		"export -q a.b2nd a.zarr", "export -q b.b2nd b.zarr", "import -q a.zarr z.b2nd", "import -q b.zarr y.b2nd"}},
	{"`advise`", 512, []string{"advise -q -time 2s a.b2nd"}},
}
