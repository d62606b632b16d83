#!/bin/sh
# Writes the TypeScript types of the messages into the folder given, proto/types when none is.
set -eu
cd "$(dirname "$0")"
out=${1:-types}
# shellcheck disable=SC2046  # file names of ours, without blanks
exec proto-loader-gen-types --longs=Number --enums=String --defaults --oneofs --grpcLib=@grpc/grpc-js \
  --outDir="$out" --includeDirs=. --targetFileExtension=.ts --importFileExtension=.ts $(find rackwright -name '*.proto' | sort)
