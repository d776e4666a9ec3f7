#!/bin/bash
# The command capture-service of the image. It answers `capture-service health` itself, because the health check runs every 15 seconds: bash
# takes 2 ms of processor time and 4 MB for it, a start of Node 50 ms and 50 MB (2026-11-25).
set -u
[[ ${1-} == health ]] || exec node /app/dist/programs/cli/main.js "$@"

address=${2:-http://127.0.0.1:${PORT:-8080}}
if [[ ! $address =~ ^http://([A-Za-z0-9._-]+|\[([0-9A-Fa-f:]+)\])(:([0-9]{1,5}))?(/.*)?$ ]]; then
  echo "$address is not the address of a service, such as http://127.0.0.1:8080." >&2
  exit 2
fi
host=${BASH_REMATCH[2]:-${BASH_REMATCH[1]}} port=${BASH_REMATCH[4]:-80} path=${BASH_REMATCH[5]:-/}
[[ $path == / ]] && path=/health/ready

authority=${BASH_REMATCH[1]}:$port
if ! { exec 3<>"/dev/tcp/$host/$port"; } 2>/dev/null; then
  echo "http://$authority$path does not answer" >&2
  exit 1
fi
printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$path" "$authority" >&3
read -r -t 5 _ status _ <&3
if [[ ${status-} != 200 ]]; then
  echo "http://$authority$path answers ${status:-nothing}" >&2
  exit 1
fi
