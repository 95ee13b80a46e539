# Runs a program in a directory as if the directory were all of a machine, without network: sh inroot.sh DIR PROGRAM ...
at=$1
shift
mkdir -p "$at/root"
exec bwrap --bind "$at" / --dev /dev --proc /proc --tmpfs /tmp --unshare-net --clearenv --setenv HOME /root \
  --setenv PATH /usr/bin --chdir /root "$@"
