#!/bin/sh
# Tells the story through the Go driver, before the embedded database; needs a build (npm run build), Go, and Debian's
# golang-gopkg-rethinkdb-rethinkdb-go.v6-dev. Where Go is not there it says so and is content.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

if ! command -v go >/dev/null; then
  echo "the Go driver was not tried: there is no go"
  exit 0
fi

folder=$(mktemp -d)
node "$root/dist/src/main.js" --embedded --listen 127.0.0.1:0 --log-level error >"$folder/out" &
proxy=$!
trap 'kill "$proxy" 2>/dev/null || true; rm -rf "$folder"' EXIT
tries=0
until grep -q listening "$folder/out"; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "the proxy did not start" >&2; exit 1; }
  sleep 0.1
done
address=$(sed -n 's/^livefold listening on \([^,]*\),.*/\1/p' "$folder/out")

# Debian keeps the sources of Go libraries in /usr/share/gocode.
GOPATH=${GOPATH:-/usr/share/gocode} GO111MODULE=off GOCACHE="$folder/cache" \
  go run "$here/story.go" "$address"
