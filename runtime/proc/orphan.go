package proc

import (
	"context"
	"errors"
	"time"
)

// KillGroup ends what is left of the group of a process that an earlier run started (number and start time as Spec.Started got
// them) and waits for its end. A number that has been given out again is left alone, and so is a group whose start
// time is not known.
func KillGroup(ctx context.Context, pid int, start string) error {
	if pid <= 1 || start == "" {
		return nil
	}
	return killAll(ctx, func() []int { return members(pid, start) })
}

// KillTagged ends the processes that were started with the variable ("NAME=value") and waits for their end. It finds a child whose
// parent died before it could note the child's number. Where the environment of others cannot be seen it does nothing.
func KillTagged(ctx context.Context, variable string) error {
	return killAll(ctx, func() []int { return tagged(variable) })
}

// killAll kills what find finds until it finds nothing more.
func killAll(ctx context.Context, find func() []int) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		left := find()
		if len(left) == 0 {
			return nil
		}
		for _, p := range left {
			if err := kill(p); err != nil {
				return errors.New("a process that an interrupted step left behind cannot be ended: " + err.Error())
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}
