package runtime

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/plain"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// runInfo is a run that has a journal, as --runs shows it.
type runInfo struct {
	id      string
	header  state.Header
	changed time.Time
	history *local.History
	status  string // running, waiting, interrupted, failed, or how it ended
}

// allRuns reads the journals of this program's name, newest first, and removes what is left of runs that are over. One that
// cannot be read is reported and left out.
func (a *app) allRuns(store *state.Store) ([]*runInfo, error) {
	entries, err := store.Runs(a.program.name())
	if err != nil {
		return nil, err
	}
	var list []*runInfo
	for _, e := range entries {
		if e.Err != nil {
			a.warn(e.Err.Error())
			continue
		}
		h, err := local.NewLog(nil).Replay(e.Records)
		if err != nil {
			a.warn("the journal of run " + e.Header.Run + " cannot be read: " + err.Error())
			continue
		}
		info := &runInfo{id: e.Header.Run, header: e.Header, history: h, changed: e.Changed, status: statusRunning}
		if !e.Running {
			if info.status, err = fate(store, h); err != nil {
				a.warn(err.Error())
			}
		}
		if info.status == "" {
			if err := tidy(store, info.id); err != nil {
				a.warn(err.Error())
			}
			continue
		}
		list = append(list, info)
	}
	return list, nil
}

// listRuns prints --runs, or removes old runs with --prune.
func (a *app) listRuns() error {
	dir, err := a.stateDir()
	if err != nil {
		return err
	}
	store := state.Open(dir)
	list, err := a.allRuns(store)
	if err != nil {
		return err
	}
	if a.opt.prune != "" {
		return a.prune(store, list)
	}
	if a.opt.json {
		return a.print(runsJSON(list).Indent() + "\n")
	}
	if len(list) == 0 {
		return a.print("no runs of " + a.program.name() + "\n")
	}
	text := runLine("RUN", "STARTED", "STATUS", "STEP")
	for _, r := range list {
		note := ""
		if r.header.Program.Hash != a.program.Hash {
			note = "  (another version of the program)"
		}
		text += runLine(r.id, r.header.StartedAt, r.status, string(r.history.LastStep)+note)
	}
	return a.print(text)
}

// runLine is a line of the table of --runs.
func runLine(id, started, status, step string) string {
	return plain.Pad(id, 20) + "  " + plain.Pad(started, 24) + "  " + plain.Pad(status, 11) + "  " + step + "\n"
}

func runsJSON(list []*runInfo) value.Value {
	rows := make([]value.Value, len(list))
	for i, r := range list {
		var row, program value.Members
		program.String("name", r.header.Program.Name)
		program.String("hash", r.header.Program.Hash)
		row.String("id", r.id)
		row.Add("program", program.Object())
		row.String("started", r.header.StartedAt)
		row.String("status", r.status)
		row.String("step", string(r.history.LastStep))
		rows[i] = row.Object()
	}
	return value.Array(rows...)
}

// prune removes the runs that nobody has touched for longer than the given age, with the states of those that wait, and the
// states of this program that have no journal.
func (a *app) prune(store *state.Store, list []*runInfo) error {
	age, err := parseAge(a.opt.prune)
	if err != nil {
		return err
	}
	n := 0
	for _, r := range list {
		if r.status == statusRunning || time.Since(r.changed) < age {
			continue
		}
		ok, err := drop(store, r.id)
		if err != nil {
			return err
		}
		if ok {
			n++
		}
	}
	waiting, err := store.Waiting()
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if w.State.Get("program").Get("name").Text() != a.program.name() || !w.State.Get("runId").IsAbsent() || time.Since(w.Changed) < age {
			continue
		}
		if err := store.Cancel(context.Background(), w.Key); err != nil && !errors.Is(err, state.ErrGone) {
			return err
		}
		n++
	}
	return a.print("removed " + plain.Count(n, "run") + "\n")
}

// parseAge reads a duration that may count days: 30d, 12h, 1h30m.
func parseAge(text string) (time.Duration, error) {
	age := 0.0
	for rest := text; ; {
		end := strings.IndexAny(rest, "dhms")
		if end < 0 {
			break
		}
		n, err := strconv.ParseFloat(rest[:end], 64)
		if err != nil || n < 0 {
			break
		}
		unit := time.Second
		switch rest[end] {
		case 'd':
			unit = 24 * time.Hour
		case 'h':
			unit = time.Hour
		case 'm':
			unit = time.Minute
		}
		age += n * float64(unit)
		rest = rest[end+1:]
		if rest == "" && age < math.MaxInt64 {
			return time.Duration(age), nil
		}
	}
	return 0, usage("--prune wants an age such as 30d or 12h, got " + plain.Quote(text))
}
