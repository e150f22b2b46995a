/** A service in a machine, set up as install.md has it, from the checkout of the tests. The trial of the manual types that page itself. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { PROJECT } from "../operations/presence-process.ts";
import { Machine } from "./machine.ts";

export const SITE = "presence.example.org";
export const DESK = "desk.example.org";
export const SERVICE_PACKAGES = ["curl", "docker-compose", "faketime", "jq", "nginx-light", "restic"];

const CERTIFICATES = "/etc/letsencrypt/live/presence.example.org";

/** Boots a machine that shows this checkout as /opt/presence. `folder` gets what it writes. */
export function bootedMachine(image: string, folder: string): Machine {
  const machine = new Machine({ image, folder, network: "own", shows: { "/opt/presence": PROJECT } });
  machine.boot();
  return machine;
}

/** Users, folders, settings, units, a city with its first lines. No unit is started. */
export function setUpService(machine: Machine): void {
  machine.text("root", SET_UP);
  putCertificate(machine.root);
  machine.text("root", FRONT);
}

const SET_UP = `
for group in presence-files presence-state presence-inbox; do groupadd --system $group; done
for user in presence presence-web; do
  useradd --system --user-group --home-dir /nonexistent --shell /usr/sbin/nologin --groups presence-files,presence-state "$user"
done
usermod --append --groups presence-inbox presence; usermod --append --groups presence-files www-data
cp /opt/presence/deploy/tmpfiles.d/presence.conf /etc/tmpfiles.d/
systemd-tmpfiles --create presence.conf
cp /opt/presence/deploy/presence.toml /etc/presence/presence.toml
install -m 0755 /opt/presence/deploy/presence /usr/local/bin/presence
ln -s /opt/presence/deploy/backup/presence-backup /usr/local/bin/presence-backup
cp /opt/presence/deploy/systemd/presence* /etc/systemd/system/ && systemctl daemon-reload
# A night seals days that have ended, so the first lines come yesterday.
echo -1d > /srv/clock
printf 'LD_PRELOAD=%s\\nFAKETIME_TIMESTAMP_FILE=/srv/clock\\n' /usr/lib/*/faketime/libfaketimeMT.so.1 > /etc/presence/presence/environment
presence() { runuser -u presence -- /usr/local/bin/presence "$@"; }
presence init --origin example.org/presence
presence city add --geoname 6167865 --radius-km 25
presence source add example-walks --kind scout --vetting collective --operator "Tiny Watch Ltd" --licence own --consent own
presence ingest - --rejects /srv/presence/night/rejects.ndjson < /opt/presence/deploy/example-sightings.ndjson
presence batch approve b1
rm /etc/presence/presence/environment
`;

const FRONT = `
rm -f /etc/nginx/sites-enabled/default
cp -r /opt/presence/deploy/nginx /etc/nginx/presence
mv /etc/nginx/presence/example.conf /etc/nginx/conf.d/presence.conf
nginx -t && systemctl restart nginx
`;

/** A certificate of its own that a client can trust: authority and server in one. */
export function putCertificate(root: string): void {
  const folder = join(root, CERTIFICATES);
  execFileSync("mkdir", ["-p", folder]);
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", `/CN=${SITE}`];
  const names = ["-addext", `subjectAltName=DNS:${SITE},DNS:${DESK}`];
  const files = ["-keyout", join(folder, "privkey.pem"), "-out", join(folder, "fullchain.pem")];
  execFileSync("openssl", ["req", ...kind, ...names, ...files], { stdio: "pipe" });
}

/** A client of the machine's front server, by name and over TLS; `%{http_code}` and the like by curl's options. */
export function asked(machine: Machine, path: string, ...options: readonly string[]): string {
  return machine.run("curl", ...trusting(SITE), ...options, `https://${SITE}${path}`).stdout;
}

/** Options of curl for a host of the machine. */
export function trusting(host: string): string[] {
  return [
    ...["--silent", "--show-error", "--cacert", `${CERTIFICATES}/fullchain.pem`],
    ...["--resolve", `${host}:443:127.0.0.1`],
  ];
}

/**
 * Lets a timer elapse now, as on a machine that was off at its hour: systemd finds that it last did a week ago and more. Its calendar stays, its random
 * delay does not.
 */
export function elapseNow(machine: Machine, task: string): void {
  const timer = `presence-${task}.timer`;
  const own = `/run/systemd/system/${timer}.d`;
  machine.text(
    "root",
    `mkdir -p ${own} && printf '[Timer]\nRandomizedDelaySec=0\n' > ${own}/now.conf
    systemctl daemon-reload && systemctl enable --quiet ${timer} && systemctl stop ${timer}
    systemctl reset-failed presence-${task}.service 2> /dev/null || : # days of a trial take minutes, and starts are limited by the hour
    touch --date '8 days ago' /var/lib/systemd/timers/stamp-${timer} && systemctl start ${timer}`,
  );
}

/** What systemd says of a unit. */
export function shown(machine: Machine, unit: string, property: string): string {
  return machine.run("systemctl", "show", "--value", `--property=${property}`, unit).stdout.trim();
}
