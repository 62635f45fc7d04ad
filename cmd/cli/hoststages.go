package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/compiler"
	"github.com/lobsterc/lobsterc/compiler/catalog"
	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/compiler/hoststages"
)

// compileOptions are the compiler's options and the packages that bring stages of their own.
type compileOptions struct {
	compiler.Options
	packages []string         // as --stages names them
	foreign  *gobuild.Foreign // what they are, once loadStages has looked
}

func stagesFlag(fs *pflag.FlagSet, o *compileOptions) {
	fs.StringArrayVar(&o.packages, "stages", nil, "link a Go package with stages of its own, by its `IMPORT PATH` (repeatable)")
}

// stages is the catalogue that programs are compiled with.
func (o *compileOptions) stages() *catalog.Catalogue {
	if o.Catalogue == nil {
		return catalog.New()
	}
	return o.Catalogue
}

// loadStages finds the packages of --stages and adds their stages to the catalogue. The targets are those that will be built for.
func (e *env) loadStages(o *compileOptions, targets ...gobuild.Target) error {
	if len(o.packages) == 0 || o.foreign != nil {
		return nil
	}
	b, err := gobuild.New(e.ctx)
	if err != nil {
		return err
	}
	b.Slow = e.slowNote
	if o.foreign, err = b.LoadForeign(e.ctx, o.packages, append([]gobuild.Target{gobuild.Host()}, targets...)...); err != nil {
		return err
	}
	o.Catalogue = catalog.New()
	return hoststages.Load(e.ctx, b, o.foreign, o.Catalogue)
}

// knowsStages is an error for a program with stages that the catalogue lacks.
func (u *unit) knowsStages() error {
	for s := range u.Program.Stages() {
		if _, ok := u.opts.stages().Lookup(s.Name); !ok && s.Fault == "" {
			return fmt.Errorf("the program of this run has a stage %s of its own: resume it with its executable, or name the package of the stage with --stages", s.Name)
		}
	}
	return nil
}
