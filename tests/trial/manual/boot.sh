#!/bin/bash
# Boots the Debian in folder $1 with its systemd as the first process of new namespaces (the network stays this machine's). It ends with this process.
set -euo pipefail
if [ "${2-}" != inside ]; then
  # A cgroup of its own, because systemd takes over the one that it starts in.
  exec unshare --mount -- bash -c '
    set -e
    mount --make-rprivate /
    mount -t cgroup2 none /mnt
    mkdir -p "/mnt/trial-$$" && echo $$ > "/mnt/trial-$$/cgroup.procs" && umount /mnt
    exec unshare --cgroup --mount --pid --uts --ipc --fork --kill-child -- "$0" "$1" inside' "$0" "$1"
fi
root=$1
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in dev run tmp; do mount -t tmpfs -o mode=755 tmpfs "$root/$folder"; done
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
hostname machine
# Not chroot: the kernel makes no user namespaces there, which the units of Debian's Prometheus have (PrivateUsers).
cd "$root"
pivot_root . .
umount --lazy .
exec env -i container=namespaces PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --log-target=console > /trial/boot.log 2>&1
