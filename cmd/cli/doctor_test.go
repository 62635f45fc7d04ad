package cli

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lobsterc/lobsterc/runtime/value"
)

// home gives a test folders of its own.
func home(t *testing.T) {
	t.Helper()
	t.Setenv("LOBSTER_STATE_DIR", filepath.Join(t.TempDir(), "state"))
	t.Setenv("LOBSTERC_CACHE_DIR", filepath.Join(t.TempDir(), "cache"))
	for _, name := range []string{"OPENCLAW_URL", "CLAWD_URL", "LOBSTER_MODE", "LOBSTER_SHELL"} {
		t.Setenv(name, "")
	}
}

func TestDoctorReport(t *testing.T) {
	home(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv("OPENCLAW_URL", "http://"+listener.Addr().String())
	exit, out, _ := lobsterc(t, "doctor")
	for _, want := range []string{"ok    toolchain  go1.", "ok    cache ", "lobsterc warm", "a durable write takes", "ok    shell      /bin/sh", "ok    gateway    OPENCLAW_URL answers"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if exit != 0 {
		t.Errorf("exit %d", exit)
	}
}

func TestDoctorFaults(t *testing.T) {
	tests := []struct {
		name, variable, value, want string
		exit                        int
	}{
		{"state", "LOBSTER_STATE_DIR", "FILE/state", "fail  state", 1},
		{"cache", "LOBSTERC_CACHE_DIR", "FILE/cache", "fail  cache", 1},
		{"toolchain", "GOROOT", "FILE", "fail  toolchain", 1},
		{"shell", "LOBSTER_SHELL", "FILE", "warn  shell", 0},
		{"gateway", "OPENCLAW_URL", "http://127.0.0.1:1", "warn  gateway    OPENCLAW_URL: 127.0.0.1:1 cannot be reached", 0},
		{"gateway", "CLAWD_URL", "nowhere", "CLAWD_URL: not an http or https address", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home(t)
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv(tt.variable, strings.Replace(tt.value, "FILE", file, 1))
			if exit, out, _ := lobsterc(t, "doctor"); exit != tt.exit || !strings.Contains(out, tt.want) {
				t.Errorf("exit %d\n%s", exit, out)
			}
		})
	}
}

// TestDoctorEnvelope compares with what the reference prints, but for the version.
func TestDoctorEnvelope(t *testing.T) {
	home(t)
	exit, out, _ := lobsterc(t, fromReference([]string{"doctor", "--mode", "tool"})...)
	v, err := value.ParseString(out)
	if err != nil || exit != 0 {
		t.Fatalf("exit %d, %v\n%s", exit, err, out)
	}
	about := v.Get("output").At(0)
	if got := about.Get("notes").JSON(); got != `["--mode","tool"]` {
		t.Errorf("notes %s", got)
	}
	if got := about.With("version", value.String("V")).JSON(); got != `{"toolMode":true,"protocolVersion":1,"version":"V","notes":["--mode","tool"]}` {
		t.Errorf("about %s", got)
	}
	if v.Get("status").Text() != "ok" || v.Get("_meta").Get("checks").Len() < 5 {
		t.Errorf("envelope %s", out)
	}
	t.Setenv("GOROOT", filepath.Join(t.TempDir(), "none"))
	exit, out, _ = lobsterc(t, "doctor", "--mode", "tool")
	if v, _ = value.ParseString(out); exit != 1 || v.Path("error", "type").Text() != "doctor_error" {
		t.Errorf("exit %d\n%s", exit, out)
	}
}
