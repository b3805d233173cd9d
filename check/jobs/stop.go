package main

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
)

// canStop reports whether processes can be stopped for a while: where there is the command kill.
var canStop = sync.OnceValue(func() bool {
	_, err := exec.LookPath("kill")
	return err == nil
})

func stop(p *os.Process) error      { return exec.Command("kill", "-STOP", strconv.Itoa(p.Pid)).Run() }
func continued(p *os.Process) error { return exec.Command("kill", "-CONT", strconv.Itoa(p.Pid)).Run() }
