#!/bin/sh
# Makes the folder `secrets`: the keys that all replicas share, and the password of the database. Changes no existing
# folder: without the former sealing.key, secrets of webhooks cannot be read.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir secrets
mkdir secrets/keys
head -c 32 /dev/urandom >secrets/keys/signing.key
head -c 32 /dev/urandom >secrets/keys/sealing.key
password=$(head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n')
printf '%s' "$password" >secrets/postgres-password
echo "BOOKING_DATABASE_URL=postgres://booking:$password@postgres/booking" >secrets/service.env
# The users of the containers read these; on this machine only the owner can enter `secrets`.
chmod 755 secrets/keys
chmod 444 secrets/keys/*.key secrets/postgres-password
