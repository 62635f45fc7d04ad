package llm

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/lobsterc/lobsterc/runtime/flow"
	"github.com/lobsterc/lobsterc/runtime/net/client"
	"github.com/lobsterc/lobsterc/runtime/value"
)

type lookup func(string) (string, bool)

type provider struct {
	name   string
	urls   []string // variables
	tokens []string // variables
	need   string   // what to set
}

// providers in the order in which the environment is looked through.
var providers = []provider{
	{"pi", []string{"LOBSTER_PI_LLM_ADAPTER_URL"}, []string{"LOBSTER_PI_LLM_ADAPTER_TOKEN"}, "LOBSTER_PI_LLM_ADAPTER_URL"},
	{"openclaw", []string{"OPENCLAW_URL", "CLAWD_URL"}, []string{"OPENCLAW_TOKEN", "CLAWD_TOKEN"}, "OPENCLAW_URL (or CLAWD_URL)"},
	{"http", []string{"LOBSTER_LLM_ADAPTER_URL"}, []string{"LOBSTER_LLM_ADAPTER_TOKEN"}, "LOBSTER_LLM_ADAPTER_URL"},
}

// target is who answers.
type target struct {
	provider string
	url      *url.URL
	token    string
}

// ProviderName is the provider that is asked for or that the environment has an address for, or nothing.
func (o InvokeOptions) ProviderName(get func(string) (string, bool)) string {
	if name := firstText(o.Provider, variable(get, "LOBSTER_LLM_PROVIDER")); name != "" {
		return strings.ToLower(name)
	}
	if o.Name == "llm_task.invoke" {
		return "openclaw"
	}
	for _, p := range providers {
		if anySet(get, p.urls) != "" {
			return p.name
		}
	}
	return ""
}

// target finds the provider, its address and its token.
func (o InvokeOptions) target(get lookup) (*target, error) {
	name := o.ProviderName(get)
	if name == "" {
		return nil, fmt.Errorf("%s could not resolve a provider. Set --provider or LOBSTER_LLM_PROVIDER", o.Name)
	}
	i := slices.IndexFunc(providers, func(p provider) bool { return p.name == name })
	if i < 0 {
		return nil, errors.New("Unsupported llm provider: " + name)
	}
	p := providers[i]
	address := anySet(get, p.urls)
	if address == "" {
		return nil, fmt.Errorf("%s requires %s for provider=%s", o.Name, p.need, name)
	}
	u, err := endpoint(address, name)
	if err != nil {
		return nil, fmt.Errorf("%s request failed: %w", o.Name, err)
	}
	t := &target{provider: name, url: u, token: strings.TrimSpace(o.Token)}
	if t.token != "" {
		return t, nil
	}
	t.token = strings.TrimSpace(firstSet(get, p.tokens))
	if t.token != "" && !client.IsLocal(u) {
		return nil, fmt.Errorf("%s refuses to send %s to a host that is not local; pass --token explicitly for remote endpoints", o.Name, strings.Join(p.tokens, "/"))
	}
	return t, nil
}

// endpoint is where requests go: an adapter's own path or /invoke, a gateway's /tools/invoke.
func endpoint(address, provider string) (*url.URL, error) {
	u, err := client.ParseURL(address)
	if err != nil {
		return nil, err
	}
	if u.User != nil {
		return nil, errors.New("Invalid URL: it must hold no user and password; use --token")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("fetch failed: the address must begin with http:// or https://")
	}
	if provider == "openclaw" {
		return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/tools/invoke"}, nil
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/invoke"
	}
	u.Fragment = ""
	return u, nil
}

// Needs is the stage's Needs.
func (o InvokeOptions) Needs(env *flow.Env) string {
	if _, err := o.target(env.LookupEnv); err != nil {
		return err.Error()
	}
	return ""
}

func variable(get lookup, name string) string {
	v, _ := get(name)
	return v
}

// firstText is the first text that is not blank, trimmed.
func firstText(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

// anySet is the first variable that holds something.
func anySet(get lookup, names []string) string {
	for _, name := range names {
		if v := strings.TrimSpace(variable(get, name)); v != "" {
			return v
		}
	}
	return ""
}

// firstSet is the first variable that is set, also to nothing.
func firstSet(get lookup, names []string) string {
	for _, name := range names {
		if v, ok := get(name); ok {
			return v
		}
	}
	return ""
}

func isYes(s string) bool {
	switch strings.ToLower(s) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

func orNull(v value.Value) value.Value {
	if v.IsAbsent() {
		return value.Null
	}
	return v
}

func number(f *float64) value.Value {
	if f == nil {
		return value.Value{}
	}
	return value.Number(*f)
}

func integer(n *int) value.Value {
	if n == nil {
		return value.Value{}
	}
	return value.Int(int64(*n))
}
