package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lobsterc/lobsterc/compiler/gobuild"
	"github.com/lobsterc/lobsterc/runtime/proc"
	"github.com/lobsterc/lobsterc/runtime/state"
	"github.com/lobsterc/lobsterc/runtime/value"
)

// finding is what doctor found out about one thing.
type finding struct {
	name   string
	state  string // ok, warn or fail
	detail string
	hint   string // what to do about it
}

// States of findings.
const (
	fine = "ok"
	warn = "warn"
	fail = "fail"
)

// patience bounds each look at something outside this process.
const patience = 2 * time.Second

func doctorCommand(e *env, fs *pflag.FlagSet) func([]string) error {
	mode := "human"
	if os.Getenv("LOBSTER_MODE") == "tool" {
		mode = "tool"
	}
	fs.StringVar(&mode, "mode", mode, "human, or tool for one JSON envelope")
	return func(notes []string) error {
		switch mode {
		case "tool":
			return e.doctorEnvelope(e.examine(), notes)
		case "human":
			return e.doctorReport(e.examine())
		}
		return usagef("--mode must be human or tool, got %q", mode)
	}
}

// examine looks at everything that builds and runs need.
func (e *env) examine() []finding {
	ctx, cancel := context.WithTimeout(e.ctx, 5*patience)
	defer cancel()
	list := examineBuilds(ctx)
	list = append(list, examineState(), examineShell(ctx))
	return append(list, examineGateway(ctx)...)
}

// examineBuilds looks at the toolchain, our cache, and whether the first build will be slow.
func examineBuilds(ctx context.Context) []finding {
	var list []finding
	tc, err := gobuild.FindToolchain(ctx)
	if err != nil {
		list = append(list, finding{"toolchain", fail, err.Error(), "without it nothing can be built; programs that are built already run"})
	} else {
		list = append(list, finding{"toolchain", fine, tc.Version + " at " + tc.Root, ""})
	}
	cache, err := gobuild.OpenCache()
	if err == nil {
		err = cache.Check()
	}
	if err != nil {
		return append(list, finding{"cache", fail, plain(err), "set LOBSTERC_CACHE_DIR to a folder that can be written"})
	}
	info := cache.Info()
	list = append(list, finding{"cache", fine, fmt.Sprintf("%s: %d programs, %d of at most %d MB", info.Dir, info.Programs, info.Bytes>>20, info.MaxBytes>>20), ""})
	if tc == nil {
		return list
	}
	if b := (&gobuild.Builder{Cache: cache, Toolchain: tc}); !b.Warmed(gobuild.Host()) {
		return append(list, finding{"warm", warn, "nothing was built with this toolchain yet: the first build takes about 20 seconds", "run `lobsterc warm` once"})
	}
	return append(list, finding{"warm", fine, "the toolchain's cache is filled", ""})
}

// examineState writes to the state directory, as a run that pauses does.
func examineState() finding {
	dir, err := state.FindDir("", os.Environ())
	if err == nil {
		err = state.Open(dir).Check()
	}
	if err != nil {
		return finding{"state", fail, err.Error(), "runs cannot stop for a person: set LOBSTER_STATE_DIR to a folder that can be written"}
	}
	took, err := syncTime(dir)
	if err != nil {
		return finding{"state", fail, dir + " takes files but cannot sync them: " + plain(err), "set LOBSTER_STATE_DIR to a folder on a local disk"}
	}
	kind, caution := fileSystem(dir)
	f := finding{"state", fine, dir, ""}
	if kind != "" {
		f.detail += " on " + kind
	}
	f.detail += fmt.Sprintf(", a durable write takes %.1f ms", float64(took.Microseconds())/1000)
	if caution != "" {
		f.state, f.hint = warn, caution
	}
	return f
}

// syncTime measures a write with fsync.
func syncTime(dir string) (time.Duration, error) {
	f, err := os.CreateTemp(dir, "doctor-*.tmp")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	began := time.Now()
	if _, err := f.WriteString("{}\n"); err != nil {
		return 0, err
	}
	err = f.Sync()
	return time.Since(began), err
}

// examineShell runs the shell that steps run in.
func examineShell(ctx context.Context) finding {
	argv := proc.Shell(os.Environ(), "exit 0", false)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = patience
	if err := cmd.Run(); err != nil {
		return finding{"shell", warn, argv[0] + " does not work: " + plain(err), "steps with run: need it (LOBSTER_SHELL names another); native pipelines do not"}
	}
	return finding{"shell", fine, argv[0], ""}
}

// examineGateway connects to the gateway, if one is configured. It sends nothing.
func examineGateway(ctx context.Context) []finding {
	for _, name := range []string{"OPENCLAW_URL", "CLAWD_URL"} {
		address := strings.TrimSpace(os.Getenv(name))
		if address == "" {
			continue
		}
		if err := connect(ctx, address); err != nil {
			return []finding{{"gateway", warn, name + ": " + err.Error(), "openclaw.invoke and llm.invoke need it; nothing else does"}}
		}
		return []finding{{"gateway", fine, name + " answers", ""}}
	}
	return nil
}

func connect(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("not an http or https address")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := net.JoinHostPort(u.Hostname(), port)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return fmt.Errorf("%s cannot be reached: %w", host, err)
	}
	return conn.Close()
}

// doctorReport prints the findings for people.
func (e *env) doctorReport(list []finding) error {
	fmt.Fprintln(e.stdout, "lobsterc "+Version)
	failed := 0
	for _, f := range list {
		fmt.Fprintf(e.stdout, "%-4s  %-10s %s\n", f.state, f.name, f.detail)
		if f.hint != "" {
			fmt.Fprintf(e.stdout, "      %-10s %s\n", "", f.hint)
		}
		if f.state == fail {
			failed++
		}
	}
	if failed > 0 {
		return failf("%d of %d checks failed", failed, len(list))
	}
	return nil
}

// doctorEnvelope prints the reference's envelope, with the findings beside it.
func (e *env) doctorEnvelope(list []finding, notes []string) error {
	var checks []value.Value
	message := ""
	for _, f := range list {
		m := []value.Member{value.M("name", value.String(f.name)), value.M("state", value.String(f.state)), value.M("detail", value.String(f.detail))}
		if f.hint != "" {
			m = append(m, value.M("hint", value.String(f.hint)))
		}
		checks = append(checks, value.Object(m...))
		if f.state == fail && message == "" {
			message = f.name + ": " + f.detail
		}
	}
	meta := value.Object(value.M("checks", value.Array(checks...)))
	if message != "" {
		e.envelope("doctor_error", message, meta)
		return &exitError{exitFailed, ""}
	}
	about := value.Object(value.M("toolMode", value.Bool(true)), value.M("protocolVersion", value.Int(1)), value.M("version", value.String(Version)), value.M("notes", texts(notes)))
	v := value.Object(
		value.M("protocolVersion", value.Int(1)), value.M("ok", value.Bool(true)), value.M("status", value.String("ok")),
		value.M("output", value.Array(about)), value.M("requiresApproval", value.Null), value.M("requiresInput", value.Null), value.M("_meta", meta),
	)
	_, err := fmt.Fprintln(e.stdout, v.Indent())
	return err
}

// texts is a list of strings; absent when there are none.
func texts(list []string) value.Value {
	if len(list) == 0 {
		return value.Value{}
	}
	items := make([]value.Value, len(list))
	for i, s := range list {
		items[i] = value.String(s)
	}
	return value.Array(items...)
}
