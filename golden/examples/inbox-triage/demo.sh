#!/bin/sh
# Compiles inbox-triage.lobster, runs it on a copy of the mail folder to its gate, approves, and shows what changed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
lobsterc=${LOBSTERC:-$root/bin/lobsterc}
[ -n "${LOBSTERC:-}" ] || [ -x "$lobsterc" ] || make -C "$root" build

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

# show prints how many messages lie in each folder.
show() {
	for folder in "$MAILDIR" "$MAILDIR"/.[A-Z]*; do
		[ -d "$folder/new" ] || continue
		name=${folder#"$MAILDIR"}
		name=${name#/.}
		printf '  %-14s %s\n' "${name:-Inbox}" "$(ls "$folder/new" | wc -l | tr -d ' ')"
	done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/mail" "$work/mail"
cp "$here/inbox-triage.lobster" "$work"
(cd "$here/inbox" && CGO_ENABLED=0 go build -o "$work/bin/inbox" .)
cd "$work"
export MAILDIR="$work/mail" LOBSTER_STATE_DIR="$work/state" PATH="$work/bin:$PATH"

say 'The mail folder:'
show

say 'Compile the workflow to an executable:'
run "$lobsterc" build inbox-triage.lobster -o inbox-triage
ls -l inbox-triage | awk '{ print "  " $NF ": " int($5 / 1048576 * 10) / 10 " MB" }'

say 'Run it. It stops at its gate, and says what it is about to do:'
run ./inbox-triage --mode tool >request.json
sed -n 's/^    "prompt": "\(.*\)",$/  \1/p; s/^    "preview": "\(.*\)\\n",$/    \1/p' request.json | sed 's/\\n/\
    /g'
token=$(sed -n 's/^    "resumeToken": "\(.*\)",$/\1/p' request.json)

say 'Nothing has been moved yet:'
show

say 'Approve, with the token of the request:'
printf '$ ./inbox-triage --resume TOKEN --approve yes\n'
./inbox-triage --resume "$token" --approve yes

say 'The mail folder now:'
show

say 'A token works once:'
printf '$ ./inbox-triage --resume TOKEN --approve yes\n'
./inbox-triage --resume "$token" --approve yes 2>&1 || true
