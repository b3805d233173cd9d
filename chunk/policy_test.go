package chunk

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cairn-go/cairn/codecs"
	"github.com/cairn-go/cairn/shuffle"
)

// TestBlockSizeAndSplitAgreeWithC compares the automatic choices with those recorded from the real
// library (testdata/gen_policy.py).
func TestBlockSizeAndSplitAgreeWithC(t *testing.T) {
	f, err := os.Open("testdata/policy.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	splits := map[int]SplitMode{1: SplitAlways, 2: SplitNever, 3: SplitAuto, 4: SplitForwardCompat}
	cases := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		var codec, level, typeSize, nbytes, split, filter, asked, flags, blockSize int
		if _, err := fmt.Sscan(sc.Text(), &codec, &level, &typeSize, &nbytes, &split, &filter, &asked, &flags, &blockSize); err != nil {
			t.Fatalf("%q: %v", sc.Text(), err)
		}
		o := Options{
			TypeSize: typeSize, Codec: codecs.ByID(uint8(codec), 0), Level: level, Split: splits[split],
			Filters: []shuffle.Spec{{ID: shuffle.ID(filter)}}, BlockSize: asked,
		}
		if level == 0 {
			o.Level = Stored
		}
		e, err := NewEncoder(&o)
		if err != nil {
			t.Fatalf("%q: %v", sc.Text(), err)
		}
		p := e.params.plan(nbytes)
		if p.layout.BlockSize != blockSize {
			t.Errorf("%q: block size %d", sc.Text(), p.layout.BlockSize)
		}
		if !headerFlags(flags).memcpyed() && p.split != headerFlags(flags).split() && blockSize >= typeSize {
			t.Errorf("%q: split %v", sc.Text(), p.split)
		}
		cases++
	}
	if cases < 1000 {
		t.Fatalf("only %d cases", cases)
	}
}
