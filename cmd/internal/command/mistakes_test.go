package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mistakes are commands that are wrong, with the exit code and a part of the message. In them,
// a.b2nd, a.npy and the store t.b2z exist, bad.b2nd is cut off, and text.txt and x.nc are no
// arrays.
const mistakes = `
2 | inof a.b2nd | unknown verb "inof"; did you mean info?
2 | INFO a.b2nd | did you mean info?
2 | frobnicate | unknown verb "frobnicate"
2 | verfy a.b2nd | did you mean verify?
2 | impotr a.npy o.b2nd | did you mean import?
2 | help verfy | did you mean verify?
2 | help copy info | unexpected argument "info"
2 | info | no PATH given
1 | info none.b2nd a.b2nd | cairn: open none.b2nd: no such file
1 | stats a.b2nd othr.npy | did you mean other.npy?
2 | watch a.b2nd a.b2nd | unexpected argument
2 | reduce -op avg a.b2nd | did you mean mean?
2 | reduce -axis tme a.b2nd | -axis: no dimension is named "tme"
2 | reduce -axis 2 a.b2nd | -axis is 2, but the array has 2 dimensions
2 | stats -field x a.b2nd | -field: items of the dtype <i4 have no fields
2 | view -field x a.b2nd | -field: items of the dtype <i4 have no fields
2 | calc -cdec lz4 b+1 b=a.b2nd | unknown flag -cdec; did you mean -codec?
2 | calc avg(a) a=a.b2nd | no function is named "avg"; did you mean mean?
2 | info -jsn a.b2nd | unknown flag -jsn; did you mean -json?
2 | info -color blue a.b2nd | -color: unknown choice "blue": want always, auto or never
2 | info -progress bar a.b2nd | -progress: unknown kind "bar": want auto, json, lines or none
2 | head -n x a.b2nd | invalid value "x" for flag -n
2 | cat -s | needs an argument
2 | cat -s 1:2:3:4 a.b2nd | two colons
1 | cat -s 9:,9 a.b2nd | 9
1 | cat -s 0,0,0 a.b2nd | 3 selectors for 2 dimensions
2 | copy a.b2nd | no OUT given
2 | serve | no PATH given
2 | serve -addr 8080 a.b2nd | -addr: "8080" is not ADDRESS:PORT
2 | serve -addr :99999 a.b2nd | -addr: ":99999" is not ADDRESS:PORT
2 | serve -log yaml a.b2nd | -log: unknown format "yaml": want json, none or text
2 | serve -memory 1M a.b2nd | -memory is 1M, must be at least 64M
2 | serve -cors example.org a.b2nd | -cors: "example.org": want an origin
2 | serve -cert c.pem a.b2nd | -cert and -key need each other
2 | serve https://example.org/a.b2nd | serve takes files and folders of this machine
2 | serve - | serve takes files and folders of this machine
1 | serve -token none.txt a.b2nd | none.txt
1 | serve -addr 127.0.0.1:0 none.b2nd | none.b2nd
2 | copy a.b2nd a.b2nd | OUT is the input
2 | copy -codec zsdt a.b2nd o.b2nd | did you mean zstd?
2 | copy -codec snappy a.b2nd o.b2nd | can be read but not written
2 | copy -codec lz4:4 a.b2nd o.b2nd | takes no parameter
2 | copy -level 10 a.b2nd o.b2nd | -level is 10, must be 0 to 9
2 | copy -filters bitshufle a.b2nd o.b2nd | did you mean bitshuffle?
2 | copy -chunks 4,x a.b2nd o.b2nd | "x" is not a positive number
2 | copy -memory lots a.b2nd o.b2nd | "lots" is not a size such as 512M
2 | copy -memory 512MB a.b2nd o.b2nd | "512MB" may mean powers of 1000 or of 1024; write 512M for the latter
2 | copy -sparse -contiguous a.b2nd o.b2nd | cannot be combined
2 | copy -workers -2 a.b2nd o.b2nd | -workers is -2
2 | copy a.b2nd out.tif | cannot write TIFF
1 | copy a.b2nd there.b2nd | already exists; -force replaces it
1 | copy -force a.b2nd a.npy.b2nd/o.b2nd | a.npy.b2nd
2 | copy -chunks 2 a.b2nd o.b2nd | the numbers of dimensions differ
2 | import -chunks 2 a.npy o.b2nd | the numbers of dimensions differ
1 | copy bad.b2nd o.b2nd | cairn repair can save the intact parts
1 | copy none.b2nd o.b2nd | no such file
2 | import a.npy | no OUT.b2nd given
2 | import a.npy o.csv | cairn export writes tables of text
2 | import a.npy o.foo | the name of an array ends in .b2nd
2 | import -dtype <f4 a.npy o.b2nd | need both -dtype and -shape
2 | import -dtype float a.npy o.b2nd | need both
2 | import -dtype <q9 -shape 2 a.npy o.b2nd | -dtype
1 | import text.txt o.b2nd | text.txt: this is a text file: want one of NumPy .npy files
1 | import text.txt o.b2z | text.txt: this is a text file: want one of NumPy .npy files
1 | import m.mat o.b2z | this is a MATLAB file
1 | import m.mat o.b2z | -v7.3
1 | import a.b2nd o.b2z | use cairn copy
1 | import there.npy o.b2z | the file ends within its header
1 | import x.nc o.b2nd | NetCDF
1 | import a.b2nd o.b2nd | use cairn copy
2 | export a.b2nd | no OUT.npy given
2 | export -level 3 a.b2nd o.csv | the output is a table of text
1 | export a.b2nd there.npy | already exists; -force replaces it
1 | export t.b2z::/nothing o.npy | nothing
2 | meta gte a.b2nd | did you mean get?
1 | meta get a.b2nd nothing | nothing
1 | append -raw a.b2nd other.npy | has dtype
1 | concat -raw a.b2nd other.npy o.b2nd | "<i4" and "<i2"
1 | info x.nc | dimensions, but the file ends at byte 26
2 | append -axis 7 a.b2nd a.npy | -axis is 7, but the array has 2 dimensions
2 | append -axis time a.b2nd a.npy | -axis: the dimensions have no names such as "time"
2 | split -axis 2 -size 1 a.b2nd p%d.b2nd | -axis is 2, but the array has 2 dimensions
2 | concat -stack -axis x a.b2nd a.npy o.b2nd | "x" names no place for the new axis
1 | head none.b2nd | cairn: open none.b2nd: no such file
1 | head none.b2z::/a | cairn: open none.b2z: no such file
1 | repair there.b2nd o.b2nd | it is empty: 0 bytes
2 | repair - o.b2nd | - is standard input, and repair needs a file
2 | repair -::/a o.b2nd | standard input, and repair needs a file
2 | repair https://host/a.b2nd o.b2nd | is on a web server, and repair needs a file: fetch it first
2 | repair s3://bucket/a.b2nd o.b2nd | is in a bucket, and repair needs a file
2 | meta set - units 1 | - is standard input, which is only read; 'cairn copy - OUT' makes a file
1 | meta rm https://host/a.b2nd units | is on a web server, which only reads; 'cairn copy https://host/a.b2nd OUT'
1 | repair none.b2nd o.b2nd | cairn: stat none.b2nd: no such file
2 | resize a.b2nd 4 | shape [4] for 2 dimensions
2 | resize a.b2nd 4,-1 | "-1" is not a number of items
1 | delete t.b2z::/nothing | nothing
1 | stats bad.b2nd | bad.b2nd
1 | stats none.npy | no such file
1 | stats othr.npy | did you mean other.npy?
1 | info t.b2z::/g/laef | did you mean t.b2z::/g/leaf?
1 | export a.npz o.npy | did you mean a.
1 | verify bad.b2nd | bad.b2nd
2 | verify | no PATH given
2 | diff a.b2nd | no B given
2 | diff -rtol -1 a.b2nd a.npy | -rtol is -1
2 | diff a.b2nd none.b2nd | no such file
2 | advise -for sise a.b2nd | did you mean size?
2 | advise -access 1 a.b2nd | -access: "1" has 1 dimension, and the array 2
2 | advise -time 0s a.b2nd | must be positive
2 | calc a+ a=a.b2nd | the expression ends too early
2 | calc roundd(a) a=a.b2nd | no function is named "roundd"; did you mean round?
2 | calc b a=a.b2nd | no array is named "b", but a
1 | calc a[9] a=a.b2nd | 9
2 | completion bahs | did you mean bash?
2 | demo -days 0 | -days is 0
2 | version x | unexpected argument "x"
1 | info text.txt | text.txt
1 | info a.b2nd/x | a.b2nd/x
1 | info t.b2z::/g/lef | lef
1 | head s3://bucket/a.b2nd | this build has no client of Amazon S3; cairn-cloud is the one that has
1 | copy a.b2nd gs://bucket/o.b2nd | no client of Google Cloud Storage
1 | append az://bucket/o.b2nd a.npy | no client of Azure Blob Storage
1 | info ftp://host/a.b2nd | unknown scheme "ftp"; there are http, https, s3
1 | info file://a.b2nd | it has three slashes
2 | copy a.b2nd https://host/o.b2nd | cannot write to a web server
2 | log | no URL given
1 | log a.b2nd | keeps no versions
2 | prune a.b2nd | -keep says how many
`

// TestMistakes makes many mistakes. Each gets one line of explanation, and one of usage if the
// arguments are wrong, and leaves no file.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, raw := range map[string][]byte{
		"a.npy": npyFile(t, "<i4", false, 4, 5), "other.npy": npyFile(t, "<i2", false, 1, 5), "there.npy": nil,
		"there.b2nd": nil, "text.txt": []byte("some words, but no array\n"),
		"x.nc": []byte("CDF\x01 and so on for a while"),
	} {
		if err := os.WriteFile(name, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cairnOK(t, "import", "a.npy", "a.b2nd")
	cairnOK(t, "import", "a.npy", "t.b2z::/g/leaf")
	writeFile(t, "m.mat", []byte("MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon Jan 1"))
	whole := readFile(t, "a.b2nd")
	if err := os.WriteFile("bad.b2nd", whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := filepath.Glob("*")
	made := 0
	for line := range strings.Lines(mistakes) {
		parts := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		if len(parts) < 3 {
			continue
		}
		made++
		r := cairnWith(t.Context(), strings.NewReader(""), strings.Fields(parts[1])...)
		said := r.stdout + r.stderr
		if fmt.Sprint(r.code) != parts[0] || !strings.Contains(said, parts[2]) {
			t.Errorf("cairn %s: exit %d, %q; want exit %s and %q", parts[1], r.code, said, parts[0], parts[2])
		}
		lines := strings.Count(r.stderr, "\n")
		if usage := strings.Contains(r.stderr, "\nusage: "); lines > 2 || usage != (r.code == 2 && lines == 2) {
			t.Errorf("cairn %s: %q", parts[1], r.stderr)
		}
	}
	if after, _ := filepath.Glob("*"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("mistakes have made files: %v", after)
	}
	if made < 60 {
		t.Errorf("%d mistakes", made)
	}
}

// TestReadersThatGoAway checks verbs whose output is no longer wanted after some bytes.
func TestReadersThatGoAway(t *testing.T) {
	t.Chdir(t.TempDir())
	importBytes(t, npyFile(t, "<i4", false, 100, 50), "a.b2nd")
	for _, args := range []string{
		"cat a.b2nd", "head a.b2nd", "tail -format csv a.b2nd", "head -json a.b2nd", "info a.b2nd", "info -json a.b2nd",
		"info a.b2nd a.b2nd", "stats a.b2nd", "stats -hist 4 -json a.b2nd", "view a.b2nd", "view -hist a.b2nd",
		"calc a a=a.b2nd", "reduce -op mean,max a.b2nd", "reduce -json a.b2nd", "meta get a.b2nd", "verify a.b2nd",
		"verify -json a.b2nd a.b2nd", "export a.b2nd -", "export -json a.b2nd o.npy", "copy a.b2nd -", "copy -plan a.b2nd o.b2nd",
		"help", "help copy", "help -man", "diff a.b2nd a.b2nd", "version", "completion zsh", "advise -time 100ms a.b2nd",
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(args), nil, closedPipe{}, &stderr)
		if code != exitPipe || stderr.Len() > 0 {
			t.Errorf("cairn %s: exit %d, %q", args, code, stderr.String())
		}
	}
}

// TestForeignFiles gives files of other programs to the verbs that read. Each is named for what it
// is, in a line, and none is taken for an array.
func TestForeignFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for begin, is := range map[string]string{
		"\x0e\x03\x13\x01": "an HDF4 file",
		"\x1f\x8b":         "a gzip file", "\x28\xb5\x2f\xfd": "a zstd file", "PAR1": "a Parquet file", "II*\x00": "a TIFF file",
		"\x89PNG\r\n\x1a\n": "a PNG image", "SIMPLE  =": "a FITS file", "GRIB": "a GRIB file",
		"SQLite format 3\x00": "an SQLite database", "version https://git-lfs": "a Git LFS pointer", "a,b\n1,2\n": "a text file",
	} {
		raw := begin + strings.Repeat("\xff\x00", 300)
		if is == "a text file" {
			raw = begin
		}
		if err := os.WriteFile("x", []byte(raw), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{"info x", "head x", "stats x", "view x", "cat x", "calc a+1 a=x", "reduce x", "verify x",
			"diff x x", "copy x o.b2nd", "export x o.npy", "append x x", "concat x x o.b2nd", "advise x", "repair x o.b2nd"} {
			r := cairnWith(t.Context(), strings.NewReader(""), strings.Fields(args)...)
			want := exitFailed
			if strings.HasPrefix(args, "diff") {
				want = exitUsage
			}
			if r.code != want || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "this is "+is) {
				t.Errorf("cairn %s with %s: exit %d, %q", args, is, r.code, r.stderr)
			}
		}
	}
	if made, _ := filepath.Glob("*"); len(made) != 1 {
		t.Errorf("files: %v", made)
	}
}

// closedPipe is a pipe without a reader.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// TestUnknownFiles: repair is no advice for what was never a frame.
func TestUnknownFiles(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"data.bin2": "nor has it a format that cairn reads", "data.b2nd": "cairn repair can save the intact parts",
	} {
		path := filepath.Join(dir, name)
		writeFile(t, path, []byte(strings.Repeat("\x01\x02\x03\x00", 500)))
		wantFailure(t, cairnWith(t.Context(), nil, "info", path), want)
	}
}
