#!/usr/bin/env bash
# Sends a file of up to 5 GB with nothing but curl and standard tools: announce it, PUT its bytes, send the message.
set -euo pipefail

if [ $# -ne 4 ]; then
  echo "Usage: $0 <service-url> <key> <recipient> <file>" >&2
  exit 2
fi
url=${1%/} key=$2 recipient=$3 file=$4

# A text as it can stand between the quotes of a JSON string.
json_text() { printf %s "$1" | tr -d '\000-\037' | sed 's/[\\"]/\\&/g'; }
# The value of a text in a JSON object that comes in on one line.
text_of() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
post() {
  local path=$1 body=$2
  shift 2
  curl -sS --fail-with-body --retry 5 --retry-connrefused "$url/v1/$path" -H "Authorization: Bearer $key" \
    -H 'Content-Type: application/json' -d "$body" "$@"
}

name=$(json_text "$(basename -- "$file")")
size=$(stat -c %s -- "$file")

# 1. Announce the file.
upload=$(post uploads "{\"filename\":\"$name\",\"content_type\":\"application/octet-stream\",\"size_bytes\":$size}") ||
  { echo "$upload" >&2; exit 1; }
upload_id=$(text_of upload_id <<<"$upload")

# 2. PUT exactly those bytes, with the headers that the response names. No key: the URL is signed.
headers=()
while IFS= read -r header; do
  headers+=(-H "$header")
done < <(grep -o '"headers":{[^}]*}' <<<"$upload" | sed 's/"headers"://' | grep -o '"[^"]*":"[^"]*"' | sed 's/^"\([^"]*\)":"\(.*\)"$/\1: \2/')
curl -S --fail-with-body --progress-bar -T "$file" "${headers[@]}" "$(text_of upload_url <<<"$upload")" >&2

# 3. Send the message. With the key, a repeat after a lost response sends nothing twice.
message=$(post messages "{\"to\":\"$(json_text "$recipient")\",\"files\":[\"$upload_id\"]}" -H "Idempotency-Key: $upload_id") ||
  { echo "$message" >&2; exit 1; }

# Files over 100 MB are hashed after delivery, so there may be nothing to compare yet.
arrived=$(text_of sha256 <<<"$message")
own=sha256:$(sha256sum <"$file" | cut -d ' ' -f 1)
if [ -n "$arrived" ] && [ "$arrived" != "$own" ]; then
  echo "The service has $arrived, but the file is $own." >&2
  exit 1
fi

echo "message $(sed -n 's/^{"id":"\([^"]*\)".*/\1/p' <<<"$message")"
echo "receipt $(text_of receipt_url <<<"$message")"
