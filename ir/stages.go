package ir

import "iter"

// Stages gives every stage of every pipeline of a program, sub-workflows included.
func (p *Program) Stages() iter.Seq[*Stage] {
	return func(yield func(*Stage) bool) {
		if !stagesOf(p.Pipeline, yield) || !stagesIn(p.Main.Steps, yield) {
			return
		}
		for i := range p.Children {
			if !stagesIn(p.Children[i].Workflow.Steps, yield) {
				return
			}
		}
	}
}

func stagesIn(steps []*Step, yield func(*Stage) bool) bool {
	for _, s := range steps {
		more := true
		switch do := s.Do.(type) {
		case *Pipeline:
			more = stagesOf(do, yield)
		case *Parallel:
			more = stagesIn(do.Branches, yield)
		case *Loop:
			more = stagesIn(do.Steps, yield)
		}
		if !more {
			return false
		}
	}
	return true
}

func stagesOf(p *Pipeline, yield func(*Stage) bool) bool {
	if p == nil {
		return true
	}
	for i := range p.Stages {
		if !yield(&p.Stages[i]) {
			return false
		}
	}
	return true
}
