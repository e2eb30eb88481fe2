#!/bin/busybox sh
# PID 1 of a test guest: mounts what a running system has, loads /mod in order, runs /t/steps, ends the machine.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin HOME=/root TMPDIR=/tmp RUST_BACKTRACE=1
mount -t devtmpfs dev /dev 2>/dev/null
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tracefs tracefs /sys/kernel/tracing
mount -t debugfs debugfs /sys/kernel/debug
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
mount -t bpf bpf /sys/fs/bpf
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
ln -s /proc/self/fd /dev/fd
ip link set lo up
hostname guest
while read -r name path; do
  [ -d "/sys/module/$name" ] || insmod "$path" 2>/tmp/insmod || echo "VM_NOTE insmod $name: $(cat /tmp/insmod)"
done </mod/order
echo "VM_BOOTED $(cut -d' ' -f1 /proc/uptime) $(uname -r)"
# Each step is a file to run; its output stands between two marks, the second with its exit code.
for step in /t/steps/*; do
  name=${step##*/}
  echo "VM_BEGIN $name"
  sh "$step" </dev/null 2>&1
  code=$?
  echo
  echo "VM_END $name $code"
done
sync
echo "VM_DONE"
poweroff -f
