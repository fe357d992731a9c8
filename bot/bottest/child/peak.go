package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Peak returns the most memory that it has held so far, in bytes; 0 where the system does not tell. It has to run.
func (p *Process) Peak() int64 {
	// Not what is counted when it has ended: there, a child begins with what its parent holds.
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
