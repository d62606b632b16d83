#!/bin/bash
# Runs the machine's own systemd as PID 1 of throw-away namespaces whose root is an overlay over the host's.
#   systemd-box.sh start DIR [FROM:TO ...]   boots; FROM is bound read-only at TO inside
#   systemd-box.sh exec  DIR COMMAND...      runs a command inside
#   systemd-box.sh stop  DIR                 powers off and removes its cgroups
# DIR/upper is the overlay's upper layer: what a test puts there before `start` is in the box's file system.
set -euo pipefail
verb=$1 box=$(readlink -m "$2")
shift 2
name=rackwright-box-$(basename "$box")

inside() {
  nsenter --target "$(cat "$box/init")" --mount --pid --uts --ipc --net --cgroup --root --wd \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
}

# Runs in the new namespaces, as their first process.
boot() {
  local root=$box/root bind device controller
  mount --make-rprivate /
  mount -t overlay overlay -o "lowerdir=/,upperdir=$box/upper,workdir=$box/work" "$root"
  for bind in "$@"; do
    mkdir -p "$root${bind#*:}"
    mount --bind "${bind%%:*}" "$root${bind#*:}"
    mount -o remount,bind,ro "$root${bind#*:}"
  done
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
  mount -t tmpfs tmpfs "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  ln -s fd/0 "$root/dev/stdin"; ln -s fd/1 "$root/dev/stdout"; ln -s fd/2 "$root/dev/stderr"
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  else
    mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
    for controller in memory pids cpu cpuacct; do
      mkdir "$root/sys/fs/cgroup/$controller"
      mount -t cgroup -o "$controller" cgroup "$root/sys/fs/cgroup/$controller"
    done
    mkdir "$root/sys/fs/cgroup/systemd" "$root/sys/fs/cgroup/unified"
    mount -t cgroup -o none,name=systemd cgroup "$root/sys/fs/cgroup/systemd"
    mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup/unified"
  fi
  rm -rf "$root"/etc/systemd/system/*.wants # nothing of what the host enables
  : >"$root/etc/fstab"
  hostname box
  ip link set lo up
  cd "$root"
  mkdir -p .host
  pivot_root . .host
  umount -l /.host
  exec env -i container=rackwright PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    /lib/systemd/systemd --system --unit=basic.target --show-status=no
}

case $verb in
boot) boot "$@" ;;
start)
  mkdir -p "$box"/{upper,work,root}
  (
    for hierarchy in /sys/fs/cgroup/*/; do
      [ -f "$hierarchy/cgroup.procs" ] || continue
      mkdir -p "$hierarchy/$name"
      case $hierarchy in */cpuset/)
        cat "$hierarchy/cpuset.cpus" >"$hierarchy/$name/cpuset.cpus"
        cat "$hierarchy/cpuset.mems" >"$hierarchy/$name/cpuset.mems" ;;
      esac
      echo $BASHPID >"$hierarchy/$name/cgroup.procs"
    done
    exec setsid unshare --fork --pid --mount --uts --ipc --net --cgroup bash "$0" boot "$box" "$@" </dev/null >"$box/log" 2>&1
  ) &
  outer=$!
  echo $outer >"$box/outer"
  for _ in $(seq 3000); do
    kill -0 $outer 2>/dev/null || { cat "$box/log" >&2; exit 1; }
    init=$(cut -d' ' -f1 <"/proc/$outer/task/$outer/children" 2>/dev/null) || init=
    if [ -n "$init" ] && [ "$(cat "/proc/$init/comm" 2>/dev/null)" = systemd ] && [ -S "/proc/$init/root/run/systemd/private" ]; then
      echo "$init" >"$box/init"
      inside systemctl is-system-running --wait >"$box/state" || :
      exit 0
    fi
    sleep .02
  done
  cat "$box/log" >&2
  exit 1 ;;
exec) inside "$@" ;;
stop)
  outer=$(cat "$box/outer")
  inside systemctl poweroff --force || :
  for _ in $(seq 3000); do kill -0 "$outer" 2>/dev/null || break; sleep .02; done
  if kill -0 "$outer" 2>/dev/null; then kill -9 "$(cat "$box/init")" || :; fi
  for hierarchy in /sys/fs/cgroup/*/"$name"; do
    # Who was killed may still be about to leave them.
    for _ in $(seq 500); do
      [ -d "$hierarchy" ] || break
      find "$hierarchy" -depth -type d -exec rmdir {} + 2>/dev/null || sleep .02
    done
  done ;;
esac
