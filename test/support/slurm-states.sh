# Part of slurm.sh: what a cluster needs so that its jobs and nodes can be brought into every state by real commands.
# Sourced where SLURM_TEST_STATES is 1; sees its variables and functions.

OOM=m$BASE # node whose jobs have limited memory; control groups are the host's, so its name is of this cluster only

# Appended to slurm.conf; where a key stands twice, Slurm takes the latest.
configure_states() {
  cat >>"$D/slurm.conf" <<C
SuspendTime=7200
MessageTimeout=1800
SuspendExcNodes=n[001-$(printf %03d "$REAL")]
SuspendTimeout=3600
RebootProgram=/bin/true
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
BurstBufferType=burst_buffer/lua
Epilog=$D/epilog
NodeName=$OOM NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((BASE + 40)) CPUs=8 RealMemory=16000
NodeName=bad NodeHostname=$HOST NodeAddr=127.0.0.1 Port=$((BASE + 41)) CPUs=8 RealMemory=16000 Gres=gpu:2
NodeName=ghost NodeAddr=127.0.0.1 Port=$((BASE + 9)) CPUs=8 RealMemory=16000
NodeName=later NodeAddr=127.0.0.1 Port=$((BASE + 9)) CPUs=8 RealMemory=16000 State=FUTURE
NodeName=dead[1-2] NodeAddr=127.0.0.1 Port=$((BASE + 9)) CPUs=8 RealMemory=16000 State=CLOUD
PartitionName=odd Nodes=$OOM,bad,ghost,later State=UP
PartitionName=boot Nodes=dead[1-2] State=UP ResumeTimeout=5 SuspendTimeout=1 SuspendTime=INFINITE
PartitionName=low Nodes=n[001-$(printf %03d "$REAL")] State=UP PriorityTier=1
PartitionName=high Nodes=n[001-$(printf %03d "$REAL")] State=UP PriorityTier=10 PreemptMode=OFF
PartitionName=away Nodes=c[001-$(printf %03d "$CLOUD")] State=DOWN
C
  mkdir -p "$D/wait" "$D/beta"
  # Jobs complete, and burst buffers are staged out, once their file under wait/ is gone.
  printf '#!/bin/sh\nwhile [ -e "%s/wait/$SLURM_JOB_ID" ]; do sleep .1; done\n' "$D" >"$D/epilog"
  chmod 755 "$D/epilog"
  for call in job_process pools job_teardown setup data_in test_data_in real_size paths pre_run post_run data_out \
    test_data_out get_status; do
    if [ $call = data_out ]; then work="os.execute('while [ -e $D/wait/stage ]; do sleep .1; done')"; else work=; fi
    echo "function slurm_bb_$call(...) $work return slurm.SUCCESS end"
  done >"$D/burst_buffer.lua"
  sed 's#^TaskPlugin=.*#TaskPlugin=task/cgroup#' "$D/slurm.conf" >"$D/oom.conf"
  printf 'ConstrainRAMSpace=yes\nMinRAMSpace=10\n' >>"$D/cgroup.conf"
  # A second cluster without a machine of its own, for a federation.
  sed -e 's#^ClusterName=.*#ClusterName=beta#' -e "s#^SlurmctldPort=.*#SlurmctldPort=$((BASE + 42))#" \
    -e "s#^StateSaveLocation=.*#StateSaveLocation=$D/beta#" -e "s#^\(SlurmctldPidFile=.*\)#\1.beta#" \
    -e "s#^\(SlurmctldLogFile=.*\)#\1.beta#" -e '/^NodeName=[^c]/d' -e '/^PartitionName=[^a]/d' \
    -e '/^BurstBufferType/d' -e '/^SuspendExcNodes/d' -e '/^PartitionName=away/s/State=DOWN/State=UP/' \
    "$D/slurm.conf" >"$D/beta.conf"
}

start_states() {
  local nodes=(bad)
  # Debian 12's slurmd knows a step that ran out of memory by control groups only; elsewhere the node is never up.
  if [ -e /sys/fs/cgroup/memory/cgroup.procs ]; then nodes+=("$OOM"); fi
  for node in "${nodes[@]}"; do
    mkdir -p "$D/spool/$node"
    if [ "$node" = bad ]; then conf=$D/slurm.conf; else conf=$D/oom.conf; fi
    begin "slurmd.$node" "$D/bin/slurmd" -f "$conf" -d "$D/bin/slurmstepd" -D -N "$node"
  done
  cp "$D/state/jwt.key" "$D/beta/"
  begin slurmctld-beta env SLURM_CONF="$D/beta.conf" "$D/bin/slurmctld" -D -i
}

# Control groups outlive the daemons that made them.
stop_states() {
  find /sys/fs/cgroup/*/"slurm_$OOM" -depth -type d -exec rmdir {} + 2>/dev/null || :
}
