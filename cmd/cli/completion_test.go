package cli

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// lobsterc runs a command line in this process.
func lobsterc(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	exit = Run(args, strings.NewReader(""), &out, &err)
	return exit, out.String(), err.String()
}

// complete has a real bash complete a command line.
func complete(t *testing.T, words ...string) []string {
	t.Helper()
	_, script, _ := lobsterc(t, "completion", "bash")
	script += "COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n_lobsterc\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
	out, err := exec.Command("bash", append([]string{"-c", script, "bash"}, words...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func TestCompletion(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Log("no bash here: only the scripts' presence is checked")
	} else {
		tests := []struct{ line, want string }{
			{"lobsterc bui", "build"},
			{"lobsterc ver", "verify version"},
			{"lobsterc build --tar", "--target"},
			{"lobsterc run --args", "--args-json"},
			{"lobsterc resume --tok", "--token"},
			{"lobsterc completion ", "bash fish zsh"},
			{"lobsterc stages openclaw.", "openclaw.agent openclaw.invoke"},
			{"lobsterc build triage", ""}, // bash completes files
		}
		for _, tt := range tests {
			if got := strings.Join(complete(t, strings.Split(tt.line, " ")...), " "); got != tt.want {
				t.Errorf("%q: got %q, want %q", tt.line, got, tt.want)
			}
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		_, script, _ := lobsterc(t, "completion", shell)
		if path, err := exec.LookPath(shell); err != nil {
			t.Logf("no %s here", shell)
		} else if out, err := exec.Command(path, "-n", "-c", script).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
		for _, c := range commands() {
			if !c.hidden && !strings.Contains(script, c.name) {
				t.Errorf("the script for %s does not know %s", shell, c.name)
			}
		}
	}
	if exit, _, stderr := lobsterc(t, "completion", "csh"); exit != exitUsage || !strings.Contains(stderr, "bash, fish, zsh") {
		t.Errorf("csh: exit %d, %s", exit, stderr)
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	for _, c := range commands() {
		exit, out, _ := lobsterc(t, c.name, "--help")
		if c.hidden {
			continue
		}
		if exit != 0 || !strings.Contains(out, "lobsterc "+c.name) {
			t.Errorf("%s --help: exit %d, %q", c.name, exit, out)
		}
	}
	if _, out, _ := lobsterc(t, "help"); slices.ContainsFunc(commands(), func(c *command) bool { return !c.hidden && !strings.Contains(out, c.summary) }) {
		t.Error("help lacks a command")
	}
}
