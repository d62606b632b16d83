#!/bin/sh
# Puts GNU hello's upstream tarball, taken from Debian's archive, into DIR as hello-2.10.tar.gz and prints its path.
#   fetch-hello.sh DIR
set -eu
dir=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
cache=${RACKWRIGHT_TEST_CACHE:-${HOME:-/tmp}/.cache/rackwright-test}
sh "$here/fetch-source.sh" "$cache/sources" hello >&2
orig=$(ls "$cache"/sources/hello/hello_*.orig.tar.gz | head -n 1)
version=$(basename "$orig" .orig.tar.gz)
target=$dir/hello-${version#hello_}.tar.gz
cp "$orig" "$target"
echo "$target"
