package local

import (
	"context"
	"errors"
	"time"

	"github.com/lobsterc/lobsterc/runtime/drive"
)

// Probe is an engine that does nothing: it answers from the record, and at the first gate without an answer it ends the run with
// a *drive.Paused whose Details is the *drive.Gate. It finds out where a saved run waits.
type Probe struct {
	*Engine
}

// NewProbe makes a probe over a log.
func NewProbe(cfg Config, log *Log) *Probe {
	cfg.Pause = func(_ context.Context, g *drive.Gate) error { return &drive.Paused{Details: g} }
	cfg.Ask, cfg.Observe = nil, nil
	return &Probe{New(cfg, log)}
}

var errNotRecorded = errors.New("the record ends before the gate")

// Effect answers from the record. An effect that was interrupted is a gate of its own when a person has to decide about it.
func (p *Probe) Effect(ctx context.Context, effect *drive.Effect) (drive.Outcome, error) {
	if out, err, ok := p.log.ended(effect.Path); ok {
		return out, err
	}
	if err := p.doubtful(ctx, effect); err != nil {
		return drive.Outcome{}, err
	}
	return drive.Outcome{}, &drive.Broken{Err: errNotRecorded}
}

// doubtful stops at the question about an interrupted effect.
func (p *Probe) doubtful(ctx context.Context, effect *drive.Effect) error {
	started, ok := p.log.interrupted(effect.Path)
	if !ok || started.pure || effect.MayRepeat {
		return nil
	}
	_, err := p.Gate(ctx, doubt(effect))
	return err
}

// Fork answers from the record.
func (p *Probe) Fork(ctx context.Context, _ drive.Path, effects []*drive.Effect, any bool) ([]drive.Settled, error) {
	if i := p.log.firstEnded(effects); any && i >= 0 {
		p.log.passOver(effects)
		out, err := p.Effect(ctx, effects[i])
		return []drive.Settled{{Index: i, Outcome: out, Err: err}}, nil
	}
	for _, effect := range effects {
		if err := p.doubtful(ctx, effect); err != nil {
			return nil, err
		}
	}
	all := make([]drive.Settled, len(effects))
	for i, effect := range effects {
		out, err := p.Effect(ctx, effect)
		all[i] = drive.Settled{Index: i, Outcome: out, Err: err}
	}
	return all, nil
}

// Sleep does not wait.
func (p *Probe) Sleep(_ context.Context, s drive.Sleep) (time.Duration, error) { return s.D, nil }

// Notify tells nobody.
func (p *Probe) Notify(drive.Event) {}
