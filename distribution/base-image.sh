#!/bin/sh
# A base for the image where no registry of images can be reached: Debian from its packages, Node and npm from the registry of npm.
# As root, with mmdebstrap and npm:
#   distribution/base-image.sh base.tar && podman import base.tar waybill-base
#   buildah build --format docker --build-arg BASE=localhost/waybill-base --file distribution/Dockerfile --tag waybill .
set -eu
tarball=${1:?Name the file to write, such as base.tar}
node=$(sed -n 's/^    "node": "\([0-9.]*\)",$/\1/p' "$(dirname "$0")/../package.json")
case $(uname -m) in aarch64) processor=arm64 ;; *) processor=x64 ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/usr/local/bin" "$folder/usr/local/lib/node_modules/npm"
npm pack --silent --pack-destination "$folder" "node-linux-$processor@$node" npm@11 >/dev/null
tar -xzf "$folder/node-linux-$processor-$node.tgz" -C "$folder/usr/local" --strip-components=1 package/bin
tar -xzf "$folder"/npm-11.*.tgz -C "$folder/usr/local/lib/node_modules/npm" --strip-components=1
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$folder/usr/local/bin/npm"
chmod 755 "$folder/usr/local/lib/node_modules/npm/bin/npm-cli.js"
chmod -R u=rwX,go=rX "$folder/usr"
mmdebstrap --variant=minbase --include=ca-certificates --customize-hook="copy-in $folder/usr/local /usr" bookworm "$tarball"
