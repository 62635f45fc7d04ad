// Lobsterc compiles Lobster workflows to static executables. See package cli.
package main

import (
	"os"

	"github.com/lobsterc/lobsterc/cmd/cli"
)

func main() { os.Exit(cli.Main()) }
