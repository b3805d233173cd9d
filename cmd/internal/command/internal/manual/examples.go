package manual

import "strings"

// An Example is a command with a comment.
type Example struct{ Comment, Command string }

// Examples returns the commands that show what a verb is for.
func Examples(verb string) []Example {
	var found []Example
	_, rest, _ := strings.Cut(exampleTexts, "\n"+verb+"\n")
	comment := ""
	for line := range strings.Lines(rest) {
		line, indented := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		if !indented {
			break
		}
		if text, ok := strings.CutPrefix(line, "# "); ok {
			comment = text
		} else {
			found = append(found, Example{comment, line})
		}
	}
	return found
}

// exampleTexts has three commands for each verb, below comments.
const exampleTexts = `
info
  # shape, dtype, codec and sizes of an array
  cairn info t2m.b2nd
  # the arrays of a store, or of a Zarr store
  cairn info model.b2z
  # one array of an archive, for a program
  cairn info -json runs.npz::a
head
  # the first rows
  cairn head t2m.b2nd
  # a region of an array of a Zarr store, by coordinates
  cairn head -s 'time=2020-01-01, lat=50:60' era5.zarr::t2m
  # all items of a day, for a spreadsheet
  cairn head -s 'time=2020-01-01' -format csv era5.zarr::t2m > day.csv
tail
  # the last rows
  cairn tail t2m.b2nd
  # the newest items of a log
  cairn tail -n 3 events.b2nd
  # for a program
  cairn tail -n 100 -format json events.b2nd
view
  # the first slice, in the terminal
  cairn view t2m.b2nd
  # a picture of a part, with limits
  cairn view -s '0, :100' -map balance -limits 2%,98% -o map.png t2m.b2nd
  # two series in one
  cairn view -s ':, 10, 20' -s ':, 10, 30' t2m.b2nd
serve
  # a folder of arrays, for the browser of this machine
  cairn serve data
  # for others on the network, who know the token
  cairn serve -addr :8080 -host data.example.org -token secret.txt data
  # behind TLS
  cairn serve -addr :8443 -cert cert.pem -key key.pem model.b2z
log
  # the versions of an array in a bucket
  cairn log s3://bucket/log.b2nd
  # the newest one, for a program
  cairn log -n 1 -json s3://bucket/log.b2nd
  # of an array in a directory that stands for a bucket
  cairn log file:///data/log.b2nd
watch
  # the last ten rows, and new ones
  cairn watch log.b2nd
  # a line that grows, four times a second
  cairn watch -plot -every 250ms log.b2nd
  # one column of the last 5000 rows
  cairn watch -plot -n 5000 -s ':, 3' log.b2nd
stats
  # minimum, maximum, mean and deviation
  cairn stats t2m.b2nd
  # of a region, with a histogram
  cairn stats -s 'time=2020-01, lat=50:60' -hist 20 era5.zarr::t2m
  # of a leaf of a store, for a program
  cairn stats -json model.b2z::/run1/t
cat
  # four items as text
  cairn cat -s '0, 10, :4' t2m.b2nd | od -A n -t f4
  # a region as raw items
  cairn cat -s 'time=2020-02, lat=50:60' era5.zarr::t2m > part.raw
  # all items of a leaf
  cairn cat model.b2z::/run1/t | sha256sum
calc
  # anomalies: the difference from the mean over the first dimension
  cairn calc 'a - mean(a, axis=0)' a=t2m.b2nd -o anomaly.b2nd
  # one number
  cairn calc 'sqrt(mean((a - b) ** 2))' a=t2m.b2nd b=new.npy
  # items under a condition, as a Zarr store
  cairn calc "where(a > 280, a, nan)" a=era5.zarr::t2m -o warm.zarr
reduce
  # monthly means of a whole file
  cairn reduce -op mean -by month daily.nc monthly.nc
  # by name, of a region
  cairn reduce -op median -axis time -s 'lat=50:60' era5.zarr::t2m m.npy
  # one number
  cairn reduce -op max t2m.b2nd
regrid
  # interpolate all variables to one degree
  cairn regrid -to r360x180 in.nc out.nc
  # keep integrals, and the weights for other files
  cairn regrid -method conservative -to n32 -save-weights w.nc in.nc out.nc
  # the grid of another file, with weights of CDO or xESMF
  cairn regrid -to other.nc -weights w.nc in.nc::/tas out.zarr
diff
  # compare a file with a copy in another format
  cairn diff t2m.b2nd t2m.npy
  # allow for rounding
  cairn diff -rtol 1e-6 -equal-nan old.b2z new.b2z
  # only the exit code, of a region
  cairn diff -q -s ':24' t2m.b2nd era5.zarr::t2m
import
  # a whole Zarr store as a tree
  cairn import era5.zarr era5.b2z
  # raw items
  cairn import -dtype '<f4' -shape 365,721,1440 t2m.bin t2m.b2nd
  # a table of text, as an array per column
  cairn import -columns stations.csv stations.nc
export
  # a NumPy file
  cairn export t2m.b2nd t2m.npy
  # a region of it
  cairn export -s ':24, 0' t2m.b2nd first.npy
  # a tree as a Zarr store
  cairn export era5.b2z era5.zarr
copy
  # compress more
  cairn copy -codec zstd -level 9 t2m.b2nd small.b2nd
  # chunks for reading time series
  cairn copy -chunks 744,8,8 t2m.b2nd series.b2nd
  # a region of an array
  cairn copy -s ':24, 0' t2m.b2nd day.b2nd
advise
  # the best compromise of size and speed
  cairn advise t2m.b2nd
  # the smallest file, with rounded items
  cairn advise -for size -time 30s -maxerror 0.01 t2m.npy
  # the fastest reads of time series
  cairn advise -for read -access ':,1,1' era5.zarr::t2m
concat
  # join along the first axis
  cairn concat jan.b2nd feb.b2nd mar.b2nd year.b2nd
  # along another
  cairn concat -axis 1 west.b2nd east.b2nd all.b2nd
  # stack all arrays of a tree as a new axis
  cairn concat -stack -o runs.b2nd 'model.b2z::/run*/t'
split
  # files of a hundred days each
  cairn split -size 100 t2m.b2nd t2m-%03d.b2nd
  # two halves along another axis
  cairn split -axis 1 -size 17 t2m.b2nd half%d.b2nd
  # into the leaves of a store
  cairn split -size 100 era5.zarr::t2m parts.b2z::/t%02d
job
  # plan new chunks, as tasks in a directory
  cairn job plan -chunks 8760,8,8 rechunk.job t2m.b2nd series.b2nd
  # run tasks; start as many of these as you like
  cairn job work rechunk.job
  # commit the result once all tasks are done
  cairn job seal rechunk.job
refs
  # write references, for kerchunk and xarray
  cairn refs t2m.b2nd > t2m.json
  # with another name for the array
  cairn refs -name t2m file.b2nd > t2m.json
  # to a file that readers fetch
  cairn refs -url https://example.org/t2m.b2nd t2m.b2nd
append
  # the items of a NumPy file
  cairn append t2m.b2nd today.npy
  # several files along another axis
  cairn append -axis 1 t2m.b2nd east.npy west.zarr::t
  # from a pipe to a leaf
  model | cairn append model.b2z::/run1/t -
resize
  # room for more
  cairn resize t2m.b2nd 800,33,49
  # new items that are NaN
  cairn resize -fill nan t2m.b2nd 800,33,49
  # only the first hundred
  cairn resize t2m.b2nd 100,33,49
meta
  # list all
  cairn meta get t2m.b2nd
  # set an attribute
  cairn meta set t2m.b2nd units '"K"'
  # remove it
  cairn meta rm t2m.b2nd units
prune
  # how much there is to remove
  cairn prune -keep 10 -plan s3://bucket/log.b2nd
  # keep the newest ten versions
  cairn prune -keep 10 s3://bucket/log.b2nd
  # remove what is an hour old, since no commit takes that long
  cairn prune -keep 1 -age 1h s3://bucket/log.b2nd
delete
  # an array
  cairn delete model.b2z::/run1/t
  # a group with everything in it
  cairn delete model.b2z::/run1
  # several
  cairn delete model.b2d::/run1/t model.b2d::/run1/p
verify
  # check a file
  cairn verify t2m.b2nd
  # check many, and list all faults
  cairn verify -all *.b2nd
  # check a store, for a program
  cairn verify -json model.b2z
repair
  # save what is intact
  cairn repair bad.b2nd saved.b2nd
  # with NaN for lost items
  cairn repair -fill nan bad.b2nd saved.b2nd
  # and report it to a program
  cairn repair -json bad.b2nd saved.b2nd
demo
  # see what cairn does
  cairn demo
  # keep the files
  cairn demo -out demo
  # a month instead of two years
  cairn demo -days 30 -out demo
completion
  # for this bash
  source <(cairn completion bash)
  # for every zsh
  cairn completion zsh > "${fpath[1]}/_cairn"
  # for every fish
  cairn completion fish > ~/.config/fish/completions/cairn.fish
version
  # the version
  cairn version
  # in the way of other commands
  cairn --version
  # with the build, for a program
  cairn version -json
help
  # all verbs
  cairn help
  # one verb with its flags
  cairn help copy
  # the manual page
  cairn help -man | man -l -
`
