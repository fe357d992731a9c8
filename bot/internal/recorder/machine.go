package recorder

import "time"

// Machine is what a recorder knows of the machine.
type Machine struct {
	// Boot is another one each time that the machine is started; "" where the system does not tell.
	Boot string
	// Steady is the time since then, with what the machine slept. It is never set.
	Steady func() time.Duration
}

// ThisMachine is the machine that the process runs on.
func ThisMachine() Machine { return Machine{Boot: bootID(), Steady: steadyTime} }
