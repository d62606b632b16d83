#!/bin/sh
# Downloads Debian source packages by a temporary deb-src list made from the machine's own apt sources.
#   fetch-source.sh DIR PACKAGE...   each package's .dsc and archives end in DIR/PACKAGE; what is there stays
# Indexes are kept in DIR/.apt for a day.
set -eu
umask 022
dir=$1
shift
mkdir -p "$dir/.apt/lists/partial" "$dir/.apt/archives/partial"
dir=$(cd "$dir" && pwd)
apt=$dir/.apt

# One process at a time: tests run side by side.
exec 9>"$apt/lock.ours"
flock 9

missing=
for package; do [ -e "$dir/$package/.complete" ] || missing="$missing $package"; done
[ -n "$missing" ] || exit 0

codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(sed -n 's/^URIs: *\(http[^ ]*debian\)\/*$/\1/p; s/^deb \(\[.*\] \)\{0,1\}\(http[^ ]*debian\)\/* .*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
[ -n "$mirror" ] || { echo "no Debian mirror among this machine's apt sources" >&2; exit 1; }
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $codename main" >"$apt/sources.list"

with_apt() {
  apt-get -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt" -o APT::Sandbox::User=root \
    -o Acquire::Retries=3 -o Acquire::Languages=none "$@"
}

if [ -z "$(find "$apt/updated" -mtime -1 2>/dev/null)" ]; then
  with_apt update
  touch "$apt/updated"
fi
for package in $missing; do
  mkdir -p "$dir/$package"
  (cd "$dir/$package" && with_apt source --download-only "$package")
  touch "$dir/$package/.complete"
done
