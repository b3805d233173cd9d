// Command armcost estimates what cairn and C-Blosc2 cost on 64-bit ARM processors, without one: it
// runs filters and codecs in an emulator, counts the instructions, and has llvm-mca estimate the
// cycles that they take. docs/arm.md explains the method and has the result, which the command
// replaces:
//
//	cd bench && go run ./armcost
//
// It needs qemu-aarch64-static, llvm-objdump and llvm-mca of LLVM 19, aarch64-linux-gnu-gcc, and
// python3 with pip, which fetches the library of C-Blosc2 for ARM.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "armcost:", err)
		os.Exit(1)
	}
}

func command(args []string) error {
	var t tools
	flags := flag.NewFlagSet("armcost", flag.ContinueOnError)
	flags.StringVar(&t.page, "page", "../docs/arm.md", "page whose tables to replace; empty prints them")
	flags.StringVar(&t.wheel, "wheel", "", "wheel of blosc2 for ARM; empty fetches it")
	flags.StringVar(&t.table, "table", "", "the only table to make, filters or codecs")
	flags.StringVar(&t.only, "only", "", "work whose name contains this")
	flags.BoolVar(&t.functions, "functions", false, "list the functions that execute most")
	flags.StringVar(&t.objdump, "objdump", "llvm-objdump-19", "llvm-objdump")
	flags.StringVar(&t.mca, "mca", "llvm-mca-19", "llvm-mca")
	flags.StringVar(&t.qemu, "qemu", "qemu-aarch64-static", "emulator")
	flags.StringVar(&t.cc, "cc", "aarch64-linux-gnu-gcc", "C compiler")
	flags.StringVar(&t.python, "python", "python3", "Python with pip")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "armcost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t.dir = dir
	return t.tables()
}
