#!/bin/bash
# Runs a shell command in a throw-away root laid over a prepared one, with the host's network: a real apt client.
#   apt-root.sh ROOT WORK COMMAND     changes stay in WORK, an existing folder, between calls
set -euo pipefail
root=$(readlink -f "$1") work=$(readlink -f "$2") command=$3
if [ "${4:-}" != inside ]; then
  mkdir -p "$work"/{upper,overlay,root}
  namespaces=(--mount --propagation private)
  [ "$(id -u)" = 0 ] || namespaces+=(--user --map-auto --map-root-user)
  exec unshare "${namespaces[@]}" bash "$0" "$root" "$work" "$command" inside
fi
mount -t overlay overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/overlay" "$work/root"
mount --rbind /proc "$work/root/proc"
mount --rbind /dev "$work/root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$work/root/tmp"
for file in resolv.conf hosts; do [ ! -e "/etc/$file" ] || cat "/etc/$file" >"$work/root/etc/$file"; done
# Packages of the test must not start services.
printf '#!/bin/sh\nexit 101\n' >"$work/root/usr/sbin/policy-rc.d"
chmod 755 "$work/root/usr/sbin/policy-rc.d"
exec chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
  sh -euc "$command"
