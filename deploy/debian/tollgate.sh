#!/bin/sh
# Starts the gateway or one of its commands, on the data and with the settings of the service.
set -e
if [ "$(id -u)" = 0 ]; then
  # What root wrote to the data, the service could not read. The settings are read as systemd reads them: a shell would run what is in them.
  exec /usr/lib/tollgate/bin/node /usr/lib/tollgate/debian-start.mjs /etc/tollgate/tollgate.env \
    /usr/bin/setpriv --reuid=tollgate --regid=tollgate --init-groups "$0" "$@"
fi
export DATA_DIR="${DATA_DIR:-/var/lib/tollgate}" MALLOC_ARENA_MAX=2
exec /usr/lib/tollgate/bin/node @FLAGS@ /usr/lib/tollgate/gateway/lib/main.mjs "$@"
