#!/bin/sh
# Prepares a Debian-like machine: installs the Debian packages and the npm packages that are missing, and says which
# and why. Does nothing where nothing is missing.
#   bootstrap.sh GROUP...      groups of packages.txt: run, build, test
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
groups=${*:-run build}
say() { printf 'bootstrap: %s\n' "$*" >&2; }

# --- Debian packages ---------------------------------------------------------------------------------------------
command -v dpkg-query >/dev/null || { say 'this machine has no dpkg: only Debian and its relatives are prepared'; exit 1; }

wanted=$(awk -v groups="$groups" '
  BEGIN { n = split(groups, g, " "); for (i = 1; i <= n; i++) on[g[i]] = 1 }
  !/^#/ && NF && on[$1] && !seen[$2]++ { print $2 }' "$here/packages.txt")

# shellcheck disable=SC2086  # a list of names
present=" $(dpkg-query -W -f '${Package}|${Status}\n' $wanted 2>/dev/null | sed -n 's/|install ok installed$//p' | tr '\n' ' ')"
missing=''
for package in $wanted; do
  case $present in *" $package "*) ;; *) missing="$missing $package" ;; esac
done

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else say "root or sudo is needed to run: $*"; exit 1
  fi
}

# Services that come with a package (a directory, a cluster, a database) must not be started by its installation.
POLICY=/usr/sbin/policy-rc.d
quiet_services() {
  [ -e "$POLICY" ] && return
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$POLICY" >/dev/null
  as_root chmod 755 "$POLICY"
  trap 'as_root rm -f "$POLICY"' EXIT INT TERM
}

if [ -n "$missing" ]; then
  say 'installing Debian packages:'
  for package in $missing; do
    say "  $package - $(awk -v p="$package" '$2 == p { sub(/^[^#]*# */, ""); print; exit }' "$here/packages.txt")"
  done
  quiet_services
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update >&2
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends $missing >/dev/null
fi

# --- npm packages ------------------------------------------------------------------------------------------------
# What was installed is remembered by the lock file's hash. Addons are compiled once a machine, kept by version.
cd "$root"
stamp=node_modules/.bootstrap
lock=$(sha256sum package-lock.json | cut -d' ' -f1)
if [ "$(cat "$stamp" 2>/dev/null)" != "$lock" ]; then
  say 'installing npm packages'
  # `npm ci` refuses a lock file made where the registry had no packages for other platforms; what it then installs
  # instead is the same: the versions of the lock file.
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=silent >&2 ||
    npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  npm rebuild --loglevel=error node >&2
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/rackwright/addons/$(uname -m)-$(. /etc/os-release && echo "$ID${VERSION_ID:-}")
  for addon in canvas node-pty; do
    version=$(sed -n 's/^  "version": "\(.*\)",*$/\1/p' "node_modules/$addon/package.json")
    kept=$cache/$addon-$version
    if [ -d "$kept" ]; then
      mkdir -p "node_modules/$addon/build" && cp -R "$kept" "node_modules/$addon/build/Release"
    else
      say "compiling $addon $version"
      npm rebuild --loglevel=error "$addon" >&2
      mkdir -p "$cache" && cp -R "node_modules/$addon/build/Release" "$kept.$$" && mv -T "$kept.$$" "$kept" 2>/dev/null || rm -rf "$kept.$$"
    fi
  done
  printf '%s' "$lock" >"$stamp"
fi

# --- pages -------------------------------------------------------------------------------------------------------
if [ -e edge/web/vite.config.ts ] && [ ! -e edge/web/dist/index.html -o -n "$(find edge/web -newer edge/web/dist/index.html -type f ! -path 'edge/web/dist/*' 2>/dev/null | head -n 1)" ]; then
  say 'building the pages (vite)'
  npm run --silent build:web >&2
fi
