#!/bin/sh
# Makes a git repository with merged and unmerged branches and has the compiled workflow clean it up.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
lobsterc=${LOBSTERC:-$root/bin/lobsterc}
[ -n "${LOBSTERC:-}" ] || [ -x "$lobsterc" ] || make -C "$root" build

say() { printf '\n%s\n' "$*"; }
run() { printf '$ %s\n' "$*"; "$@"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LOBSTER_STATE_DIR="$work/state" HOME="$work" GIT_CONFIG_NOSYSTEM=1

"$lobsterc" build "$here/merged-branches.lobster" -o "$work/merged-branches"

# A repository: two branches are merged, one is not.
git init -q -b main "$work/repo"
cd "$work/repo"
git config user.name Demo
git config user.email demo@example.com
commit() { echo "$1" >>notes && git add notes && git commit -qm "$1"; }
commit 'first notes'
for branch in feature/login fix/typo; do
	git switch -qc "$branch"
	commit "work on $branch"
	git switch -q main
	git merge -q --no-ff -m "merge $branch" "$branch"
done
git switch -qc experiment
commit 'not done yet'
git switch -q main

say 'The branches:'
run git branch

say 'Run to the gate:'
run "$work/merged-branches" --mode tool >"$work/request.json"
sed -n 's/^    "prompt": "\(.*\)",$/  \1/p; /"items"/,/]/s/^      "\([^"]*\)",*$/    \1/p' "$work/request.json"
token=$(sed -n 's/^    "resumeToken": "\(.*\)",$/\1/p' "$work/request.json")

say 'Approve:'
"$work/merged-branches" --resume "$token" --approve yes >"$work/answer.json"
sed -n 's/^ *"result": "\(.*\)\\n".*/  \1/p' "$work/answer.json" | sed 's/ (was .*//'

say 'The branches now:'
run git branch

say 'Run again: nothing is left to do, and nobody is asked.'
run "$work/merged-branches" --mode tool | grep '"status": "ok",$' | head -n 1
