#!/bin/bash
# boot.sh FOLDER IMAGE own|shared [SOURCE:TARGET …]
#
# Boots the Debian in folder IMAGE with its systemd as the first process of new namespaces. IMAGE stays as it is: what the machine writes goes
# to FOLDER/upper. Each TARGET shows the folder SOURCE of this machine, to read. `own`: it has a network of its own, with loopback alone;
# `shared`: the one of the caller. It ends with this process.
set -euo pipefail
if [ "$1" != inside ]; then
  net=()
  if [ "$3" = own ]; then net=(--net); fi
  # A cgroup of its own, because systemd takes over the one that it starts in. Those of machines that ended are removed.
  exec unshare --mount -- bash -c '
    set -e
    mount --make-rprivate /
    mount -t cgroup2 none /mnt
    find /mnt -mindepth 1 -depth -type d -path "/mnt/presence-machine-*" -exec rmdir {} + 2> /dev/null || :
    mkdir -p "/mnt/presence-machine-$$" && echo $$ > "/mnt/presence-machine-$$/cgroup.procs" && umount /mnt
    boot=$1 net=$2; shift 2
    exec unshare --cgroup --mount --pid --uts --ipc $net --fork --kill-child -- "$boot" inside "$@"' bash "$0" "${net[*]}" "$@"
fi
folder=$2 image=$3 root=$2/root
shift 4
mkdir -p "$folder/upper" "$folder/work" "$root"
mount -t overlay overlay -o "lowerdir=$image,upperdir=$folder/upper,workdir=$folder/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for place in dev run tmp; do mount -t tmpfs -o mode=755 tmpfs "$root/$place"; done
chmod 1777 "$root/tmp"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir -p "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
for shown in "$@"; do
  mkdir -p "$root/${shown#*:}"
  mount --bind "${shown%%:*}" "$root/${shown#*:}"
  mount -o remount,bind,ro "$root/${shown#*:}"
done
ip link set lo up 2> /dev/null || : # the caller's, where it is shared
hostname machine
# Not chroot: the kernel makes no user namespaces there, which the units of Debian's Prometheus have (PrivateUsers).
cd "$root"
pivot_root . .
umount --lazy .
exec env -i container=namespaces PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system > /machine-boot.log 2>&1
