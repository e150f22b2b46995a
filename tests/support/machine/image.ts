/** Images of a Debian for machines: made once from Debian's mirror, kept between runs, and never written to by a machine. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { OperatorError } from "../../../src/kernel/errors.ts";
import { sha256Hex } from "../../../src/kernel/hash.ts";

const SUITE = "trixie"; // Debian 13: it has the npm that install.md wants
const BASE = ["systemd", "systemd-sysv", "dbus", "ca-certificates", "procps", "iproute2"];
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"; // of this machine
const FOLDERS = "/usr/sbin:/usr/bin:/sbin:/bin";

export interface Recipe {
  readonly installed: readonly string[]; // packages of Debian that a machine has from the start
  readonly downloaded?: readonly string[]; // packages that apt-get installs in a machine without a network
  readonly npm?: string; // a project whose packages npm installs in a machine without a network
}

/** Why no machine can be made or entered here; undefined where it can. */
export function missingForMachines(): string | undefined {
  if (process.platform !== "linux") return "only Linux has the namespaces of a machine";
  if (userInfo().uid !== 0) return "only root can boot a machine";
  for (const program of ["debootstrap", "unshare", "nsenter", "setpriv", "pgrep", "openssl", "ip"])
    if (spawnSync("which", [program]).status !== 0) return `${program} is not installed`;
  const namespaces = ["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--fork"];
  const tried = spawnSync("unshare", [...namespaces, "true"], { encoding: "utf8" });
  return tried.status === 0 ? undefined : `no namespaces: ${tried.stderr.trim()}`;
}

/** Where images are kept: outside the checkout, as other caches of the user are. `cache`: another folder. */
function cacheFolder(cache: string | undefined): string {
  const { stdout } = spawnSync("sh", ["-c", 'printf %s "$XDG_CACHE_HOME"'], { encoding: "utf8" });
  return cache ?? join(stdout || join(homedir(), ".cache"), "presence-machines");
}

function folderOf(recipe: Recipe, cache: string | undefined): string {
  const { installed, downloaded = [], npm } = recipe;
  const lockfile = npm === undefined ? "" : readFileSync(join(npm, "package-lock.json"), "utf8");
  const made = [BASE, installed.toSorted(), downloaded.toSorted(), lockfile];
  return join(cacheFolder(cache), `${SUITE}-${sha256Hex(JSON.stringify(made)).slice(0, 12)}`);
}

export const hasImage = (recipe: Recipe, cache?: string): boolean => existsSync(folderOf(recipe, cache));

/** Whether a file of the mirror arrives, by apt's own way to it. */
export function reachesMirror(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "mirror-"));
  const asked = [`${mirror()}/dists/${SUITE}/Release`, join(folder, "Release")];
  const options = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10"];
  const { status } = spawnSync("/usr/lib/apt/apt-helper", [...options, "download-file", ...asked]);
  rmSync(folder, { recursive: true });
  return status === 0;
}

/** The folder of the image. Makes it if it is not there yet, which takes minutes; whole or not at all. */
export function imageOf(recipe: Recipe, cache?: string): string {
  const folder = folderOf(recipe, cache);
  if (existsSync(folder)) return folder;
  mkdirSync(cacheFolder(cache), { recursive: true, mode: 0o755 });
  const part = mkdtempSync(`${folder}.part-`);
  try {
    const root = join(part, "root");
    make(recipe, root);
    renameSync(root, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}

function make({ installed, downloaded = [], npm }: Recipe, root: string): void {
  run("debootstrap", ["--variant=minbase", `--include=${BASE.join()}`, SUITE, root, mirror()]);
  writeFileSync(join(root, "etc/apt/apt.conf.d/90machine"), aptSettings());
  // Packages start no services here, and keep what they come in.
  const policy = join(root, "usr/sbin/policy-rc.d");
  writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  const known = readFileSync("/etc/resolv.conf");
  writeFileSync(join(root, "etc/resolv.conf"), known);
  inside(root, "apt-get", "update");
  inside(root, "apt-get", "install", "-y", "--no-install-recommends", ...installed);
  inside(root, "apt-get", "clean");
  if (downloaded.length > 0) inside(root, "apt-get", "install", "-y", "--download-only", ...downloaded);
  if (npm !== undefined) fillCache(npm, root);
  rmSync(policy);
  writeFileSync(join(root, "etc/resolv.conf"), "");
  writeFileSync(join(root, "etc/hostname"), "machine\n");
}

/** Runs a script in a tree of the image without booting it, with a folder of this machine shown at a place. What it writes goes to `folder`. */
export function inImage(
  image: string,
  folder: string,
  script: string,
  [shown, at]: readonly [string, string],
) {
  const mounts = `mkdir -p "$1/upper" "$1/work" "$1/root"
    mount -t overlay overlay -o "lowerdir=$0,upperdir=$1/upper,workdir=$1/work" "$1/root"
    mkdir -p "$1/root$3" && mount --bind "$2" "$1/root$3" && mount -o remount,bind,ro "$1/root$3"
    mount -t proc proc "$1/root/proc" && exec chroot "$1/root" env -i PATH=${FOLDERS} bash -euo pipefail -c "$4"`;
  const args = ["--mount", "--pid", "--fork", "bash", "-euc", mounts, image, folder, shown, at, script];
  return spawnSync("unshare", args, { encoding: "utf8" });
}

function inside(root: string, program: string, ...args: readonly string[]): void {
  const namespaces = ["--mount", "--pid", "--fork", `--mount-proc=${join(root, "proc")}`];
  const environment = [`PATH=${FOLDERS}`, "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "HOME=/root"];
  run("unshare", [...namespaces, "chroot", root, "env", "-i", ...environment, program, ...args]);
}

/**
 * npm's cache with every package that the lockfile names, by an installation above the tree that is thrown away: other versions of npm than Debian's
 * ask for other documents.
 */
export function fillCache(project: string, root: string): void {
  const folder = mkdtempSync(join(tmpdir(), "npm-"));
  const certificates = join(folder, "upper/certificates.pem");
  mkdirSync(join(folder, "upper"));
  writeFileSync(certificates, existsSync(CERTIFICATES) ? readFileSync(CERTIFICATES) : "");
  const script = `export HOME=/root NODE_EXTRA_CA_CERTS=/certificates.pem DEBIAN_FRONTEND=noninteractive ${npmSettings()}
    apt-get install -y -o Dpkg::Options::=--force-unsafe-io npm > /dev/null
    mkdir /project && cd /project && cp /mnt/package.json /mnt/package-lock.json /mnt/.npmrc .
    npm ci --omit=dev --no-audit --no-fund`;
  const { status, stderr } = inImage(root, folder, script, [project, "/mnt"]);
  if (status !== 0) throw new OperatorError(`npm ci in a tree ended with ${status}: ${stderr}`);
  run("mv", [join(folder, "upper/root/.npm"), join(root, "root/.npm")]);
  rmSync(folder, { recursive: true });
}

/** Registry and proxy of npm, as on this machine. */
function npmSettings(): string {
  const set = ["registry", "https-proxy"].flatMap((name) => {
    const { stdout } = spawnSync("npm", ["config", "get", name], { encoding: "utf8" });
    return /^https?:/.test(stdout) ? [`npm_config_${name.replace("-", "_")}=${stdout.trim()}`] : [];
  });
  return set.join(" ");
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new OperatorError(`${program} ${args.join(" ")} ended with ${status}`);
}

/** The mirror of Debian that this machine uses. */
function mirror(): string {
  const files = globSync(["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.{list,sources}"]);
  const text = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const named = /^(?:URIs:|deb (?:\[.*?\] )?)\s*(\S+\/debian\/?)(?:\s|$)/m.exec(text)?.[1];
  return (named ?? "http://deb.debian.org/debian").replace(/\/$/, "");
}

/** Proxy, certificates and clock of apt, as on this machine. */
function aptSettings(): string {
  const all = execFileSync("apt-config", ["dump"], { encoding: "utf8" }).split("\n");
  const isMachines = /^Acquire::(https?::|Check-)/;
  return all.map((line) => (isMachines.test(line) ? `${line}\n` : "")).join("");
}
