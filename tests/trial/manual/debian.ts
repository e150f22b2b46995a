/** The machine on which the manual is typed: a clean Debian without a network, with what its commands would fetch put in beforehand. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { imageOf } from "../../support/machine/image.ts";
import { Machine } from "../../support/machine/machine.ts";

const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"; // of this machine
const TRUSTED = "/trial/certificates.pem";

export interface DebianOptions {
  readonly folder: string; // gets what the machine writes
  readonly cache?: string; // keeps images in another folder than usual
  readonly project: string;
  readonly names: readonly string[]; // of this machine, in /etc/hosts
  readonly commands: string; // of the manual: what they install is downloaded beforehand
  readonly image?: string; // in place of a clean one
}

/** Makes the image, unless it is kept: the only step that needs a network. */
export function debianImage({
  project,
  commands,
  cache,
}: Pick<DebianOptions, "project" | "commands" | "cache">): string {
  return imageOf({ installed: ["faketime"], downloaded: packagesOf(commands), npm: project }, cache);
}

/** What the lines of a script install. */
export function packagesOf(script: string): string[] {
  const lines = script.replaceAll("\\\n", " ").matchAll(/\bapt-get install ([^#&|;\n]+)/g);
  const words = Array.from(lines, ([, names = ""]) => names.trim().split(/ +/)).flat();
  return [...new Set(words.filter((word) => !word.startsWith("-")))].sort();
}

/** Boots it. It shares the network of this process, which has to be one without other machines. */
export function bootDebian(options: DebianOptions): Machine {
  const npm = { npm_config_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
  const machine = new Machine({
    image: options.image ?? debianImage(options),
    folder: options.folder,
    network: "shared",
    environment: { NODE_EXTRA_CA_CERTS: TRUSTED, ...npm },
  });
  prepare(machine.written, options);
  machine.boot();
  machine.text("root", "update-ca-certificates"); // now that it has the trial's
  return machine;
}

function prepare(root: string, { project, names }: DebianOptions): void {
  const own = ["trial", "etc/systemd/system.conf.d", "etc/apt/apt.conf.d", "etc/dpkg/dpkg.cfg.d"];
  for (const folder of [...own, "usr/local/share/ca-certificates"])
    mkdirSync(join(root, folder), { recursive: true });
  // No second request to a mirror that is out of reach, and no wait for the disk after each file.
  writeFileSync(join(root, "etc/apt/apt.conf.d/91trial"), 'Acquire::Retries "0";\n');
  writeFileSync(join(root, "etc/dpkg/dpkg.cfg.d/trial"), "force-unsafe-io\n");
  writeFileSync(join(root, "etc/hosts"), `127.0.0.1 localhost ${names.join(" ")}\n::1 localhost\n`);
  makeAuthority(join(root, "trial"));
  copyFileSync(join(root, "trial/authority.pem"), join(root, "usr/local/share/ca-certificates/trial.crt"));
  const known = existsSync(CERTIFICATES) ? readFileSync(CERTIFICATES, "utf8") : "";
  const added = readFileSync(join(root, "trial/authority.pem"), "utf8");
  writeFileSync(join(root, TRUSTED), `${known}\n${added}`);
  copySources(project, join(root, "trial/presence.git"));
  writeFileSync(join(root, "trial/certbot.sh"), readFileSync(join(import.meta.dirname, "certbot.sh")), {
    mode: 0o755,
  });
  writeFileSync(join(root, "trial/trust.sh"), TRUST, { mode: 0o755 });
  const trust = `[Manager]\nDefaultEnvironment=NODE_EXTRA_CA_CERTS=${TRUSTED}\n`;
  writeFileSync(join(root, "etc/systemd/system.conf.d/trial.conf"), trust);
}

/** Commands take nothing from the shell: what they trust stands in the variables of their user. */
const TRUST = `#!/bin/bash
for user in presence presence-web; do
  file=/etc/presence/$user/environment
  [ -e "$file" ] || { install -g "$user" -m 0640 /dev/null "$file" && echo NODE_EXTRA_CA_CERTS=${TRUSTED} > "$file"; }
done
`;

function makeAuthority(folder: string): void {
  const files = ["-keyout", join(folder, "authority.key"), "-out", join(folder, "authority.pem")];
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Trial of the manual"];
  execFileSync("openssl", ["req", ...kind, ...files], { stdio: "pipe" });
}

/** A certificate of the trial's authority, made by the program that stands in for certbot. */
export function certificateOf(
  machine: Machine,
  name: string,
): { readonly key: Buffer; readonly cert: Buffer } {
  const [authority, live] = [join(machine.root, "trial"), join(machine.root, "trial/live")];
  const certbot = join(import.meta.dirname, "certbot.sh");
  execFileSync("env", [`AUTHORITY=${authority}`, `LIVE=${live}`, certbot, "certonly", "--domain", name]);
  const read = (file: string) => readFileSync(join(live, name, file));
  return { key: read("privkey.pem"), cert: read("fullchain.pem") };
}

/** A bare repository of the last commit with the changes of the working copy. */
function copySources(project: string, bare: string): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" }).trim();
  const revision = git("stash", "create") || git("rev-parse", "HEAD");
  git("init", "--quiet", "--bare", "--initial-branch=main", bare);
  git("push", "--quiet", bare, `${revision}:refs/heads/main`);
}
