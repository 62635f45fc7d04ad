// Inbox is a small mail program for the example: it lists, sorts and moves the new messages of a maildir.
//
//	inbox list --json         the new messages, as JSON
//	inbox categorize --json   the messages on stdin, each with the folder it belongs to and why
//	inbox apply --approve     a request for approval of the moves on stdin
//	inbox apply --execute     the moves themselves
//
// The folder is $MAILDIR, or ~/Maildir. Subfolders are those of Maildir++: .Receipts, .Newsletters and so on.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
)

// message is a message and, once it was categorized, where it goes.
type message struct {
	ID      string `json:"id"` // the name of its file
	From    string `json:"from"`
	Subject string `json:"subject"`
	Date    string `json:"date"`
	List    string `json:"list,omitempty"`
	Auto    bool   `json:"auto,omitempty"`
	Spam    bool   `json:"spam,omitempty"`
	Folder  string `json:"folder,omitempty"` // empty: it stays in the inbox
	Why     string `json:"why,omitempty"`
}

func main() {
	if err := run(strings.Join(os.Args[1:], " ")); err != nil {
		fmt.Fprintln(os.Stderr, "inbox:", err)
		os.Exit(1)
	}
}

func run(command string) error {
	switch command {
	case "list --json":
		list, err := read(maildir())
		if err != nil {
			return err
		}
		return print(list)
	case "categorize --json":
		list, err := decode(os.Stdin)
		if err != nil {
			return err
		}
		for i := range list {
			list[i].Folder, list[i].Why = categorize(list[i])
		}
		return print(list)
	case "apply --approve":
		list, err := decode(os.Stdin)
		if err != nil {
			return err
		}
		return print(request(list))
	case "apply --execute":
		list, err := decode(os.Stdin)
		if err != nil {
			return err
		}
		return apply(maildir(), list)
	}
	return errors.New("usage: inbox list --json | categorize --json | apply --approve | apply --execute")
}

func maildir() string {
	if dir := os.Getenv("MAILDIR"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, "Maildir")
}

// read lists the new messages of a maildir.
func read(dir string) ([]message, error) {
	files, err := os.ReadDir(filepath.Join(dir, "new"))
	if err != nil {
		return nil, err
	}
	list := []message{}
	for _, f := range files {
		m, err := parse(filepath.Join(dir, "new", f.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		list = append(list, m)
	}
	return list, nil
}

func parse(path string) (message, error) {
	f, err := os.Open(path)
	if err != nil {
		return message{}, err
	}
	defer f.Close()
	msg, err := mail.ReadMessage(f)
	if err != nil {
		return message{}, err
	}
	text := func(name string) string {
		s := msg.Header.Get(name)
		if plain, err := new(mime.WordDecoder).DecodeHeader(s); err == nil {
			s = plain
		}
		return s
	}
	auto := msg.Header.Get("Auto-Submitted")
	return message{
		ID: filepath.Base(path), From: text("From"), Subject: text("Subject"), Date: msg.Header.Get("Date"), List: text("List-Id"),
		Auto: auto != "" && auto != "no", Spam: strings.EqualFold(msg.Header.Get("X-Spam-Flag"), "yes"),
	}, nil
}

// categorize decides by headers alone, so that what a message says cannot steer it.
func categorize(m message) (folder, why string) {
	subject := strings.ToLower(m.Subject)
	for _, word := range []string{"receipt", "invoice", "your order"} {
		if strings.Contains(subject, word) && !m.Spam {
			return "Receipts", "the subject says " + word
		}
	}
	switch {
	case m.Spam:
		return "Junk", "the mail server marked it as spam"
	case m.List != "":
		return "Newsletters", "it comes from the list " + m.List
	case m.Auto:
		return "Notifications", "a program sent it"
	}
	return "", "a person wrote it"
}

// request asks for approval of what is to be moved.
func request(list []message) any {
	items := []any{}
	var preview strings.Builder
	for _, m := range list {
		if m.Folder == "" {
			continue
		}
		items = append(items, map[string]string{"id": m.ID, "subject": m.Subject, "folder": m.Folder})
		fmt.Fprintf(&preview, "%-14s %s\n", m.Folder, m.Subject)
	}
	return map[string]any{"requiresApproval": map[string]any{
		"prompt": fmt.Sprintf("Move %d of %d messages?", len(items), len(list)), "items": items, "preview": preview.String(),
	}}
}

// apply moves the messages.
func apply(dir string, list []message) error {
	moved := map[string]int{}
	for _, m := range list {
		if m.Folder == "" {
			continue
		}
		name := filepath.Base(m.ID)
		folder := filepath.Join(dir, "."+filepath.Base(m.Folder))
		for _, sub := range []string{"cur", "new", "tmp"} {
			if err := os.MkdirAll(filepath.Join(folder, sub), 0o700); err != nil {
				return err
			}
		}
		if err := os.Rename(filepath.Join(dir, "new", name), filepath.Join(folder, "new", name)); err != nil {
			return err
		}
		moved[m.Folder]++
	}
	return print(map[string]any{"moved": moved})
}

func decode(r io.Reader) (list []message, err error) {
	err = json.NewDecoder(r).Decode(&list)
	return list, err
}

func print(v any) error {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
