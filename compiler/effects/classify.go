package effects

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The names of effects that this package gives; stages bring those of the catalogue.
const (
	LocalExec   = "local_exec"
	Network     = "network"
	WritesFiles = "writes_files"
	SendsEmail  = "sends_email"
)

// withSub are programs whose first word tells what they do.
var withSub = map[string]bool{}

// online are programs that talk to the network whatever their arguments are.
var online = map[string]bool{}

// mailers send mail.
var mailers = map[string]bool{"mail": true, "mailx": true, "sendmail": true, "msmtp": true, "mutt": true, "swaks": true, "ssmtp": true}

// writers change files named by their arguments.
var writers = map[string]bool{}

// onlineSubs are sub-commands that talk to the network, of programs that do not always.
var onlineSubs = map[string]string{
	"git": "push pull fetch clone ls-remote", "npm": "install ci publish update view audit", "pnpm": "install publish add", "yarn": "install publish add", "pip": "install download", "pip3": "install download",
	"go": "get install", "cargo": "install publish fetch", "docker": "pull push login", "apt-get": "install update upgrade", "apt": "install update upgrade", "brew": "install update upgrade",
}

func init() {
	fill := func(set map[string]bool, names string) {
		for _, name := range strings.Fields(names) {
			set[name] = true
		}
	}
	fill(withSub, `git gh glab docker podman kubectl helm npm pnpm yarn pip pip3 go cargo apt apt-get brew aws gcloud az terraform systemctl
		openclaw clawd gog wrangler vercel fly heroku rclone supabase firebase psql-cli op bw`)
	fill(online, `curl wget http https httpie ssh scp sftp rsync ftp nc ncat telnet gh glab aws gcloud az kubectl helm terraform rclone gog openclaw clawd
		openclaw.invoke clawd.invoke vercel fly heroku wrangler dig nslookup ping npx claude codex gemini ollama aider llm slack-cli`)
	fill(writers, "rm mv cp tee mkdir rmdir touch dd chmod chown ln install truncate shred unlink split mkfifo")
}

// classify sets the kinds of a command. Commands that do nothing to the world get none, unless they write files.
func (e *Effect) classify() {
	if len(e.Command) == 0 {
		if len(e.Files) > 0 {
			e.Kinds = []string{WritesFiles}
		}
		return
	}
	first := e.Command[0]
	name := path.Base(first.Text)
	kinds := map[string]bool{}
	if first.Dynamic || !quiet[name] {
		kinds[LocalExec] = true
	}
	if len(e.Files) > 0 || !first.Dynamic && (writers[name] || name == "sed" && inPlace(e.Command)) {
		kinds[WritesFiles] = true
		kinds[LocalExec] = true
	}
	sub := subCommand(e.Command)
	if online[name] || slices.Contains(strings.Fields(onlineSubs[name]), sub) {
		kinds[Network] = true
	}
	if mailers[name] || name == "gog" && sub == "gmail" && hasWords(e.Command, "send") {
		kinds[SendsEmail] = true
	}
	switch {
	case name == "openclaw.invoke" || name == "clawd.invoke":
		kinds["calls_clawd_tool"] = true
	case (name == "openclaw" || name == "clawd") && sub == "agent":
		kinds["calls_openclaw_agent"] = true
	case name == "gog" && sub == "gmail" && hasWords(e.Command, "search"):
		kinds["reads_email"] = true
	case slices.Contains([]string{"claude", "codex", "gemini", "ollama", "llm", "aider"}, name):
		kinds["calls_llm"] = true
	}
	e.Kinds = sortedKeys(kinds)
	e.Endpoint = endpoint(e.Command)
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func inPlace(words []Word) bool {
	return slices.ContainsFunc(words[1:], func(w Word) bool { return strings.HasPrefix(w.Text, "-i") || w.Text == "--in-place" })
}

func hasWords(words []Word, text string) bool {
	return slices.ContainsFunc(words[1:], func(w Word) bool { return w.Text == text })
}

// subCommand is the first word that is no flag.
func subCommand(words []Word) string {
	skip := false
	for _, w := range words[1:] {
		switch {
		case skip:
			skip = false
		case w.Text == "-C" || w.Text == "-c" || w.Text == "--context" || w.Text == "-n" || w.Text == "--namespace":
			skip = true
		case !strings.HasPrefix(w.Text, "-"):
			return w.Text
		}
	}
	return ""
}

// label names a command for people: its program, with the sub-command where that tells more.
func label(words []Word) string {
	name := path.Base(words[0].Text)
	if !withSub[name] {
		return name
	}
	text := name
	if sub := subCommand(words); sub != "" {
		text += " " + sub
		if name == "gog" || name == "gh" || name == "aws" || name == "gcloud" || name == "az" || name == "docker" {
			text += second(words, sub)
		}
	}
	return text
}

// second is the word after the sub-command, for programs that group theirs ("gh pr merge").
func second(words []Word, sub string) string {
	for i, w := range words {
		if i > 0 && w.Text == sub {
			if i+1 < len(words) && !strings.HasPrefix(words[i+1].Text, "-") && !words[i+1].Dynamic {
				return " " + words[i+1].Text
			}
			break
		}
	}
	return ""
}

// endpoint is the first URL among the words.
func endpoint(words []Word) string {
	for _, w := range words {
		for _, scheme := range []string{"https://", "http://", "ssh://", "git@"} {
			if i := strings.Index(w.Text, scheme); i >= 0 {
				url, _, _ := strings.Cut(w.Text[i:], " ")
				return url
			}
		}
	}
	return ""
}

// written gives the files that a command changes, as far as they are plain in its words.
func written(name string, words []Word) []string {
	if !writers[name] {
		return nil
	}
	var files []string
	for _, w := range words {
		if !strings.HasPrefix(w.Text, "-") && w.Text != "" {
			files = append(files, w.Text)
		}
	}
	switch name {
	case "cp", "install", "ln":
		files = files[max(0, len(files)-1):]
	case "chmod", "chown":
		files = files[min(1, len(files)):]
	case "dd":
		files = slices.DeleteFunc(files, func(f string) bool { return !strings.HasPrefix(f, "of=") })
	}
	return files
}

// redirect adds the file that a redirection writes.
func (r *shellReader) redirect(n *syntax.Redirect) {
	switch n.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut:
	default:
		return
	}
	if n.Word == nil {
		return
	}
	if file := r.word(n.Word).Text; file != "" && !strings.HasPrefix(file, "/dev/") {
		r.effects = append(r.effects, Effect{What: "> " + file, Files: []string{file}})
	}
}

// WellKnown tells whether a program is one whose workings are known here: it reads no variables that a workflow sets for it.
func WellKnown(name string) bool {
	return quiet[name] || withSub[name] || online[name] || writers[name] || mailers[name]
}
