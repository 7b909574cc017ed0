#!/bin/sh
# Runs Chromium as `nobody` when the service runs as root. Chromium refuses to sandbox root's processes, and an escape from the sandbox
# must not gain root. CHROMIUM_EXECUTABLE is the program; the arguments are Chromium's own. Playwright created the profile folder as
# root.
for argument; do
  case $argument in
    --user-data-dir=*)
      export HOME="${argument#*=}"
      chown 65534:65534 "$HOME"
      ;;
  esac
done
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all -- "$CHROMIUM_EXECUTABLE" "$@"
