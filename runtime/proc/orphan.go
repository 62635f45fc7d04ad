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
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		left := members(pid, start)
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
