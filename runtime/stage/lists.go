package stage

import (
	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// CommandsListOptions are the options of commands.list: the table of all commands, which the compiler writes into programs that name
// this stage.
type CommandsListOptions struct{ Commands value.Value }

// CommandsList gives an item for each stage that there is.
func CommandsList(o CommandsListOptions) flow.Stage {
	return source("commands.list", func(_ *flow.Env, y yield) {
		for v := range o.Commands.All() {
			if !y(v, nil) {
				return
			}
		}
	})
}
