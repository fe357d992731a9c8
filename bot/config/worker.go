package config

import (
	"os"
	"regexp"
)

// workerName is what workers may be called: names of machines are among it.
var workerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

// WorkerName returns the name of this process among those that share a database: that of the setting, or of the machine. The error is of
// type Problems.
func (c Config) WorkerName() (string, error) {
	if c.Worker != "" {
		return c.Worker, nil
	}
	name, err := os.Hostname()
	if err != nil || !workerName.MatchString(name) {
		return "", Problems{envPrefix + "WORKER: is missing, and the name of this machine is none for a worker (example: " + envPrefix + "WORKER=bot-1)"}
	}
	return name, nil
}
