// Command armcost estimates what the codec numeric and Pcodec cost on 64-bit ARM processors,
// without one: it runs them in an emulator, counts instructions, and has llvm-mca estimate the
// cycles that these take. It prints a table such as that in bench/results/arm.md, which explains
// the method:
//
//	cd bench && go run ./armcost
//
// It needs qemu-aarch64-static, and llvm-objdump and llvm-mca of LLVM 19.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

// A tools has the programs to call, and a directory for files.
type tools struct {
	objdump, mca, qemu string
	dir                string
}

func main() {
	var t tools
	flag.StringVar(&t.objdump, "objdump", "llvm-objdump-19", "llvm-objdump")
	flag.StringVar(&t.mca, "mca", "llvm-mca-19", "llvm-mca")
	flag.StringVar(&t.qemu, "qemu", "qemu-aarch64-static", "emulator")
	flag.Parse()
	if err := t.table(); err != nil {
		log.Fatal(err)
	}
}

// table prints a row for each work.
func (t *tools) table() (err error) {
	if t.dir, err = os.MkdirTemp("", "armcost"); err != nil {
		return err
	}
	defer os.RemoveAll(t.dir)
	if err := writeData(t.dir); err != nil {
		return err
	}

	var sides []*subject
	for _, tags := range []string{"", "purego"} {
		s, err := t.build(tags)
		if err != nil {
			return err
		}
		sides = append(sides, s)
	}

	fmt.Println("| | instructions per byte: cairn | plain Go | N1, cycles per byte: cairn | plain Go | V1: cairn | plain Go |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	for _, codec := range []string{"numeric", "pcodec"} {
		for _, d := range sets {
			for _, verb := range []string{"encode", "decode"} {
				var of [2]figure
				for k, s := range sides {
					if of[k], err = t.measure(s, codec, verb, d.dtype, filepath.Join(t.dir, d.name)); err != nil {
						return err
					}
				}
				fmt.Printf("| %s, %s, %s | %.3g | %.3g | %.3g | %.3g | %.3g | %.3g |\n", codec, verb, d.name,
					of[0].instructions, of[1].instructions, of[0].cycles[0], of[1].cycles[0], of[0].cycles[1], of[1].cycles[1])
			}
		}
	}
	return nil
}

// build compiles the subject and reads its instructions.
func (t *tools) build(tags string) (*subject, error) {
	path := filepath.Join(t.dir, "subject"+tags)
	c := exec.Command("go", "build", "-tags", tags, "-o", path, "./armcost/subject")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return t.disassemble(path)
}
