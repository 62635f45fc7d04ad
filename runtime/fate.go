package runtime

import (
	"context"
	"errors"

	"github.com/lobsterc/lobsterc/runtime/local"
	"github.com/lobsterc/lobsterc/runtime/state"
)

// fate says how a run stands that nobody works on, by its journal and its state files; "" when it is over and only remains are left:
// it ended, it was given up, or somebody else went on with it.
func fate(store *state.Store, h *local.History) (string, error) {
	switch {
	case h.Status == statusFailed || h.Status != "" && h.Keep:
		return h.Status, nil
	case h.Status != "":
		return "", nil
	}
	if h.Claim != "" && h.CancelKey == "" {
		switch c, err := claimOf(store, h.ClaimKey, h.Claim); {
		case err != nil:
			return statusInterrupted, err
		case c == claimLost, c == claimVoid && h.AnswerPath == "":
			return "", nil
		case c == claimVoid:
			return statusWaiting, nil
		}
	}
	if h.GateKey == "" {
		return statusInterrupted, nil
	}
	switch c, err := claimOf(store, h.GateKey, ""); {
	case err != nil || c == claimVoid:
		return statusWaiting, err
	case h.Standing:
		return "", nil
	}
	return statusInterrupted, nil // the file never was; nobody has seen its token
}

// claim is what became of a claim on a state file.
type claim uint8

const (
	claimOurs claim = iota // the file says so
	claimVoid              // the state was never taken
	claimLost              // somebody else took it, or it is gone
)

func claimOf(store *state.Store, key, id string) (claim, error) {
	p, err := store.Paused(key)
	switch {
	case errors.Is(err, state.ErrGone):
		return claimLost, nil
	case err != nil:
		return claimVoid, err
	case !p.State.IsAbsent():
		return claimVoid, nil
	case id != "" && p.ClaimID == id:
		return claimOurs, nil
	}
	return claimLost, nil
}

// tidy removes what is left of a run that is over: the marks of its pauses and its journal. A mark that somebody else has made
// is theirs.
func tidy(store *state.Store, id string) error {
	file, records, err := store.OpenRun(id)
	if isRunning(err) || errors.Is(err, state.ErrNoRun) {
		return nil
	}
	if err != nil {
		return err
	}
	h, err := local.NewLog(nil).Replay(records)
	if err == nil {
		var left string
		if left, err = fate(store, h); left != "" {
			file.Close()
			return err // it has changed since
		}
	}
	if err == nil {
		err = removeKeys(store, h)
	}
	if err != nil {
		file.Close()
		return err
	}
	return file.Remove()
}

// removeKeys removes the marks of a run's pauses, and the short ids.
func removeKeys(store *state.Store, h *local.History) error {
	var ours []string
	for _, key := range h.Keys {
		p, err := store.Paused(key)
		last := key == h.GateKey || key == h.ClaimKey && p.ClaimID != h.Claim
		if err == nil && p.State.IsAbsent() && !(last && h.Status == "") {
			ours = append(ours, key)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return store.Remove(context.Background(), ours...)
}

// keptFailures is how many journals of failed runs stay, per program (spec part 6, 7).
const keptFailures = 20

// pruneFailed removes the oldest failed runs.
func (a *app) pruneFailed(store *state.Store) {
	list, err := a.allRuns(store)
	if err != nil {
		a.warn(err.Error())
		return
	}
	n := 0
	for _, r := range list {
		if r.status != statusFailed {
			continue
		}
		if n++; n > keptFailures {
			if _, err := drop(store, r.id); err != nil {
				a.warn(err.Error())
			}
		}
	}
}

// drop removes a run that nobody works on, with the state it waits in. ok is false when somebody has got hold of it.
func drop(store *state.Store, id string) (ok bool, err error) {
	file, records, err := store.OpenRun(id)
	if isRunning(err) || errors.Is(err, state.ErrNoRun) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	h, err := local.NewLog(nil).Replay(records)
	if err == nil {
		for _, key := range []string{h.GateKey, h.ClaimKey} {
			if c, claimErr := claimOf(store, key, ""); key != "" && claimErr == nil && c == claimVoid {
				err = store.Cancel(context.Background(), key)
			}
		}
	}
	if err == nil {
		err = removeKeys(store, h)
	}
	if err != nil {
		file.Close()
		if errors.Is(err, state.ErrGone) {
			err = nil // its token was used this instant
		}
		return false, err
	}
	return true, file.Remove()
}
