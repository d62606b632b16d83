#!/bin/bash
# Runs a real Slurm on loopback below one folder: munge, slurmctld, slurmd with several nodes, slurmrestd over a Unix
# socket and over TCP with tokens, and on demand accounting (mariadbd, slurmdbd). Root only.
#   slurm.sh start DIR     settings by environment, see below; prints when all nodes are idle
#   slurm.sh stop DIR      ends what start began, by process number
set -euo pipefail
verb=$1
D=$(readlink -m "$2")
CLUSTER=${SLURM_TEST_CLUSTER:-alpha} # its name
BASE=${SLURM_TEST_PORT:-16800}       # first of 64 loopback ports
REAL=${SLURM_TEST_REAL:-4}           # nodes with a slurmd each
CLOUD=${SLURM_TEST_CLOUD:-100}       # nodes without: powered down until somebody wants them
ACCOUNTING=${SLURM_TEST_ACCOUNTING:-0}
STATES=${SLURM_TEST_STATES:-0}       # 1: every state can be made, see slurm-states.sh; needs accounting
REST_USER=rackwright-rest            # slurmrestd refuses to run as root or SlurmUser
export SLURM_CONF=$D/slurm.conf
HOST=$(hostname -s)

if [ "$STATES" = 1 ]; then . "$(dirname "$0")/slurm-states.sh"; fi

begin() { # NAME COMMAND...: runs it, keeps its process number
  local name=$1
  shift
  setsid "$@" >"$D/log/$name" 2>&1 </dev/null &
  echo $! >"$D/pid/$name"
}
until_true() { # SECONDS COMMAND...
  local tries=$(($1 * 20))
  shift
  for ((; tries > 0; tries--)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep .05
  done
  echo "gave up: $*" >&2
  tail -n 5 "$D"/log/* >&2
  return 1
}
open_port() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

configure() {
  cat >"$D/slurm.conf" <<C
ClusterName=$CLUSTER
SlurmctldHost=$HOST(127.0.0.1)
SlurmctldPort=$BASE
SlurmdPort=$((BASE + 10))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$D/munge/socket
CredType=cred/munge
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=$D/state/jwt.key
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$D/state
SlurmdSpoolDir=$D/spool/%n
SlurmctldPidFile=$D/own.slurmctld
SlurmdPidFile=$D/own.slurmd.%n
SlurmctldLogFile=$D/log/slurmctld.log
SlurmdLogFile=$D/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=0
SlurmdTimeout=0
KillWait=1
MinJobAge=3600
MailProg=/bin/true
PropagateResourceLimits=NONE
SuspendTime=-1
SuspendProgram=/bin/true
ResumeProgram=/bin/true
ResumeTimeout=3600
PrivateData=cloud
GresTypes=gpu
DefMemPerCPU=100
$(if [ "$ACCOUNTING" = 1 ]; then
    printf 'AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n'
    printf 'AccountingStoragePort=%s\nAccountingStoragePass=%s\n' $((BASE + 1)) "$D/munge/socket"
  else echo AccountingStorageType=accounting_storage/none; fi)
$(for ((i = 1; i <= REAL; i++)); do
    printf 'NodeName=n%03d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=8 Sockets=1 CoresPerSocket=8 RealMemory=16000\n' \
      $i "$HOST" $((BASE + 10 + i))
  done)
NodeName=c[001-$(printf %03d "$CLOUD")] NodeAddr=127.0.0.1 Port=$((BASE + 9)) CPUs=64 Sockets=2 CoresPerSocket=32 RealMemory=256000 Gres=gpu:a100:4 State=CLOUD
PartitionName=cpu Nodes=n[001-$(printf %03d "$REAL")] Default=YES MaxTime=24:00:00 State=UP
PartitionName=gpu Nodes=c[001-$(printf %03d "$CLOUD")] MaxTime=INFINITE State=UP
C
  printf 'NodeName=c[001-%03d] Name=gpu Type=a100 Count=4\n' "$CLOUD" >"$D/gres.conf"
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$D/cgroup.conf"
  if [ "$STATES" = 1 ]; then configure_states; fi
}

account() {
  mariadb-install-db --no-defaults --user=root --datadir="$D/database" --auth-root-authentication-method=socket \
    --skip-test-db >"$D/log/database-install" 2>&1
  begin mariadbd mariadbd --no-defaults --user=root --datadir="$D/database" --socket="$D/database.sock" \
    --port=$((BASE + 2)) --bind-address=127.0.0.1 --innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900 \
    --innodb-flush-log-at-trx-commit=0 --skip-log-bin --pid-file="$D/own.mariadbd"
  until_true 60 mariadb --no-defaults -S "$D/database.sock" -e 'select 1'
  mariadb --no-defaults -S "$D/database.sock" -e "create database slurm_acct_db;
    create user slurm@'127.0.0.1' identified by 'slurm'; grant all on slurm_acct_db.* to slurm@'127.0.0.1';
    create user slurm@'localhost' identified by 'slurm'; grant all on slurm_acct_db.* to slurm@'localhost';"
  cat >"$D/slurmdbd.conf" <<C
AuthType=auth/munge
AuthInfo=socket=$D/munge/socket
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key=$D/state/jwt.key
CommunicationParameters=NoInAddrAny
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$((BASE + 1))
SlurmUser=root
LogFile=$D/log/slurmdbd.log
PidFile=$D/own.slurmdbd
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$((BASE + 2))
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
C
  chmod 600 "$D/slurmdbd.conf"
  begin slurmdbd slurmdbd -D
  until_true 60 open_port $((BASE + 1))
  # One call for both: each takes a second or two.
  if [ "$STATES" = 1 ]; then clusters=("$CLUSTER" beta); else clusters=("$CLUSTER"); fi
  until_true 60 add_cluster
  until_true 60 add_user
}
# An answer that comes too late is no failure: what counts is what accounting knows then.
add_cluster() {
  sacctmgr -i add cluster "${clusters[@]}" || :
  [ "$(sacctmgr -n list cluster format=cluster | wc -l)" -ge ${#clusters[@]} ]
}
add_user() {
  sacctmgr -i add user "$REST_USER" account=root adminlevel=Admin || :
  sacctmgr -n list user "$REST_USER" format=user | grep -q .
}

case $verb in
start)
  mkdir -p "$D"/{pid,log,state,spool,munge,bin,sockets}
  chmod 755 "$D" "$D"/{pid,log,state,spool,munge}
  chmod 1777 "$D/sockets"
  id "$REST_USER" >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$REST_USER"
  # The daemons look at their own names.
  for daemon in slurmctld slurmd slurmstepd; do ln -sf "/usr/sbin/$daemon-wlm" "$D/bin/$daemon"; done
  head -c 128 /dev/urandom >"$D/munge/key"
  head -c 32 /dev/urandom >"$D/state/jwt.key"
  chmod 600 "$D/munge/key" "$D/state/jwt.key"
  configure
  begin munged munged --foreground --key-file="$D/munge/key" --socket="$D/munge/socket" --pid-file="$D/munge/pid" \
    --log-file="$D/log/munged.log" --seed-file="$D/munge/seed"
  until_true 60 test -S "$D/munge/socket"
  if [ "$ACCOUNTING" = 1 ]; then account; fi
  begin slurmctld "$D/bin/slurmctld" -D -i
  until_true 60 scontrol ping
  for ((i = 1; i <= REAL; i++)); do
    node=$(printf n%03d $i)
    mkdir -p "$D/spool/$node"
    begin "slurmd.$node" "$D/bin/slurmd" -d "$D/bin/slurmstepd" -D -N "$node"
  done
  if [ "$STATES" = 1 ]; then start_states; fi
  rest=(setpriv "--reuid=$REST_USER" "--regid=$REST_USER" --clear-groups env SLURM_CONF="$SLURM_CONF")
  # Without accounting slurmrestd fails on its accounting plugins.
  if [ "$ACCOUNTING" = 1 ]; then plugins=(); else plugins=(-s v0.0.36,v0.0.37,v0.0.38); fi
  begin rest-unix "${rest[@]}" slurmrestd "${plugins[@]}" -a rest_auth/local "unix:$D/sockets/rest"
  begin rest-tcp "${rest[@]}" SLURM_JWT=daemon slurmrestd "${plugins[@]}" -a rest_auth/jwt "127.0.0.1:$((BASE + 3))"
  until_true 60 open_port $((BASE + 3))
  until_true 60 test -S "$D/sockets/rest"
  idle() { [ "$(sinfo -h -p cpu -t idle -o %D)" = "$REAL" ]; }
  until_true 60 idle ;;
stop)
  [ -d "$D/pid" ] || exit 0
  if scontrol ping >/dev/null 2>&1; then
    squeue -h -o %A | sort -u | xargs -r scancel -f 2>/dev/null || :
    sleep 1
  fi
  for file in "$D"/pid/rest-* "$D"/pid/slurmd.* "$D"/pid/slurmctld* "$D"/pid/slurmdbd "$D"/pid/mariadbd "$D"/pid/munged; do
    [ -e "$file" ] || continue
    kill "$(cat "$file")" 2>/dev/null || :
  done
  for file in "$D"/pid/*; do
    number=$(cat "$file")
    for _ in $(seq 60); do kill -0 "$number" 2>/dev/null || break; sleep .05; done
    kill -9 "$number" 2>/dev/null || :
  done
  # Steps outlive a slurmd that was killed; ours are those that know our settings.
  for process in /proc/[0-9]*; do
    case "$(readlink "$process/exe" 2>/dev/null)" in *slurmstepd*) ;; *) continue ;; esac
    if tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF"; then
      kill -9 "${process#/proc/}" 2>/dev/null || :
    fi
  done
  if [ "$STATES" = 1 ]; then stop_states; fi ;;
esac
