#!/bin/bash
# Stands in for certbot: a certificate of the trial's own authority, at the place where certbot puts it, with its hooks.
# AUTHORITY and LIVE name other folders than those of the tree.
set -euo pipefail
while [ $# -gt 0 ]; do
  case $1 in
    --domain | -d) domain=$2; shift ;;
    --pre-hook) before=$2; shift ;;
    --post-hook) after=$2; shift ;;
  esac
  shift
done
bash -c "${before:-:}"
authority=${AUTHORITY:-/trial}
folder=${LIVE:-/etc/letsencrypt/live}/$domain
mkdir -p "$folder"
openssl req -newkey rsa:2048 -nodes -keyout "$folder/privkey.pem" -subj "/CN=$domain" -out "$folder/request.pem" 2> /dev/null
openssl x509 -req -in "$folder/request.pem" -CA "$authority/authority.pem" -CAkey "$authority/authority.key" -CAcreateserial \
  -days 30 -extfile <(echo "subjectAltName=DNS:$domain") -out "$folder/cert.pem" 2> /dev/null
cat "$folder/cert.pem" "$authority/authority.pem" > "$folder/fullchain.pem"
chmod 0600 "$folder/privkey.pem"
bash -c "${after:-:}"
