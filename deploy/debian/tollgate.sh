#!/bin/sh
# Starts the gateway or one of its commands, on the data and with the settings of the service.
set -e
if [ "$(id -u)" = 0 ]; then
  # What root wrote to the data, the service could not read.
  set -a
  if [ -r /etc/tollgate/tollgate.env ]; then . /etc/tollgate/tollgate.env; fi
  set +a
  exec setpriv --reuid=tollgate --regid=tollgate --init-groups "$0" "$@"
fi
export DATA_DIR="${DATA_DIR:-/var/lib/tollgate}" MALLOC_ARENA_MAX=2
exec /usr/lib/tollgate/bin/node @FLAGS@ /usr/lib/tollgate/gateway/lib/main.mjs "$@"
