#!/bin/sh
# Downloads the Debian packages of the smallest system that has apt, from the machine's own apt sources.
#   fetch-essential.sh DIR   they end in DIR/debs; kept for a week
set -eu
umask 022
mkdir -p "$1/.apt/lists/partial" "$1/.apt/archives/partial"
dir=$(cd "$1" && pwd)
apt=$dir/.apt

# One process at a time: tests run side by side.
exec 9>"$apt/lock.ours"
flock 9
[ -z "$(find "$dir/debs/.complete" -mtime -7 2>/dev/null)" ] || exit 0

# Nothing counts as installed, so that everything is fetched.
: >"$apt/status"
with_apt() {
  apt-get -q -y -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Acquire::Retries=3 -o Acquire::Languages=none "$@"
}
with_apt update
rm -rf "$dir/debs" "$apt"/archives/*.deb
with_apt --no-install-recommends --download-only install '?essential' apt usr-is-merged
mkdir "$dir/debs"
mv "$apt"/archives/*.deb "$dir/debs"
touch "$dir/debs/.complete"
