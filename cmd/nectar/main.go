// Command nectar runs bots on social networks that speak the mobile API. "nectar --help" says what
// it can do.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal ends the work, the second one the process
	os.Exit(execute(ctx, shell{
		args: os.Args[1:], environ: os.Environ(),
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, hangup: hangup,
	}))
}
