package place

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// write makes empty files in a new working directory.
func write(t *testing.T, names ...string) {
	t.Chdir(t.TempDir())
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOperandsAreParsedOnce(t *testing.T) {
	write(t, "a.b2z")
	for operand, want := range map[string]Place{
		"":                  {},
		"-":                 {Name: "-", Kind: Standard},
		"-::x":              {Name: "-", Key: "x", Keyed: true, Kind: Standard},
		"./-":               {Name: "./-"},
		"a.b2z":             {Name: "a.b2z"},
		"a.b2z::/g/x":       {Name: "a.b2z", Key: "/g/x", Keyed: true},
		"a.b2z::":           {Name: "a.b2z", Keyed: true},
		"a.b2z::x::y":       {Name: "a.b2z", Key: "x::y", Keyed: true},
		"new.b2z::x":        {Name: "new.b2z", Key: "x", Keyed: true},
		"new.b2z::x::y":     {Name: "new.b2z", Key: "x::y", Keyed: true},
		"::x":               {Key: "x", Keyed: true},
		"day*.nc::t":        {Name: "day*.nc", Key: "t", Keyed: true},
		`C:\data\a.b2nd`:    {Name: `C:\data\a.b2nd`},
		"a:b":               {Name: "a:b"},
		"://x":              {Name: "://x"},
		"1s://x":            {Name: "1s://x"},
		"http:/x":           {Name: "http:/x"},
		"http://h/a.b2z":    {Name: "http://h/a.b2z", Kind: Web},
		"https://h/a::/g/x": {Name: "https://h/a", Key: "/g/x", Keyed: true, Kind: Web},
		"https://[2001::1]:80/a.b2z::x": {Name: "https://[2001::1]:80/a.b2z", Key: "x", Keyed: true,
			Kind: Web},
		"http://[::1]/a.b2z::x?y=1": {Name: "http://[::1]/a.b2z", Key: "x?y=1", Keyed: true, Kind: Web},
		"https://[2001::1]":         {Name: "https://[2001::1]", Kind: Web},
		"https://h/a?t=1::x":        {Name: "https://h/a?t=1", Key: "x", Keyed: true, Kind: Web},
		"HTTP://h/a":                {Name: "HTTP://h/a", Kind: Bucket},
		"s3://b/k":                  {Name: "s3://b/k", Kind: Bucket},
		"s3://b/k@3":                {Name: "s3://b/k@3", Kind: Bucket},
		"gs://b/k.b2z::x::y":        {Name: "gs://b/k.b2z", Key: "x::y", Keyed: true, Kind: Bucket},
		"file:///d/a.b2nd":          {Name: "file:///d/a.b2nd", Kind: Bucket},
		"unknown+1.0-a://b/k":       {Name: "unknown+1.0-a://b/k", Kind: Bucket},
	} {
		got := Of(operand)
		if got != want {
			t.Errorf("%q: %+v, want %+v", operand, got, want)
		}
		if got.String() != operand {
			t.Errorf("%q is shown as %q", operand, got)
		}
	}
}

func TestTheLongestPathThatExistsIsTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no name has a colon
	}
	write(t, "a", "a::b", "d::e/f")
	for operand, want := range map[string]Place{
		"a::b":        {Name: "a::b"},
		"a::b::c":     {Name: "a::b", Key: "c", Keyed: true},
		"a::c":        {Name: "a", Key: "c", Keyed: true},
		"a::c::d":     {Name: "a", Key: "c::d", Keyed: true},
		"d::e/f":      {Name: "d::e/f"},
		"d::e/f::g":   {Name: "d::e/f", Key: "g", Keyed: true},
		"d::e/g::h":   {Name: "d", Key: "e/g::h", Keyed: true},
		"d::e::/x::y": {Name: "d::e", Key: "/x::y", Keyed: true},
	} {
		if got := Of(operand); got != want {
			t.Errorf("%q: %+v, want %+v", operand, got, want)
		}
	}
}

// A link that leads nowhere exists: what is behind the mark is not taken for a key.
func TestALinkThatLeadsNowhereExists(t *testing.T) {
	write(t)
	if err := os.Symlink("nowhere", "a::b"); err != nil {
		return // neither such links nor such names
	}
	if got := Of("a::b"); got != (Place{Name: "a::b"}) {
		t.Errorf("%+v", got)
	}
}

func TestVersionsAreNumbersBehindTheName(t *testing.T) {
	for name, want := range map[string]int64{"s3://b/k@3": 3, "s3://b/k": 0, "s3://b/@3": 0, "s3://b/k@0": 0,
		"s3://b/k@-1": 0, "s3://b/k@x": 0, "s3://u@3/k": 0, "s3://b/k@1@2": 2, "k@99999999999999999999": 0} {
		base, got := Version(name)
		if got != want || (want == 0) != (base == name) {
			t.Errorf("%s: %s, %d", name, base, got)
		}
	}
}

func TestWhatIsFarAndWhatIsOneFile(t *testing.T) {
	write(t)
	for operand, want := range map[string][2]bool{"a": {false, false}, "a::b": {false, true}, "-": {false, true},
		"http://h/a": {true, false}, "s3://b/k::x": {true, true}} {
		if p := Of(operand); [2]bool{p.Far(), p.One()} != want {
			t.Errorf("%s: far %v, one file %v", operand, p.Far(), p.One())
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, seed := range []string{"a::b", "s3://b/k@1::x", "http://[::1]/::", "-", "://"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, operand string) {
		if p := Of(operand); p.String() != operand && !p.Far() {
			t.Errorf("%q became %q", operand, p)
		}
	})
}
