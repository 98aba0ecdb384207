#!/bin/sh
# A program for LOG_KEY_COMMAND: has a PKCS#11 module sign the log. It reads the bytes to sign (at most 1,024) from its input, and writes the 64 bytes of the
# Ed25519 signature. It takes from its environment, which is that of the service:
#   PKCS11_MODULE  the library of the module, such as /usr/lib/softhsm/libsofthsm2.so
#   PKCS11_TOKEN   the label of the token
#   PKCS11_KEY     the label of the key
#   PKCS11_PIN     the PIN of the token's user
# It needs pkcs11-tool, of OpenSC 0.22 or later (Debian: opensc), and a module with the mechanism CKM_EDDSA.
set -eu
: "${PKCS11_PIN:?}"
exec pkcs11-tool --module "${PKCS11_MODULE:?}" --token-label "${PKCS11_TOKEN:?}" --label "${PKCS11_KEY:?}" \
  --login --pin env:PKCS11_PIN --sign --mechanism EDDSA
