/** A clean Debian in a folder, booted with its own systemd in namespaces that end with the process that holds them. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { OperatorError } from "../../../src/kernel/errors.ts";

const SUITE = "trixie"; // Debian 13: it has the npm that install.md wants
const PACKAGES = ["systemd", "systemd-sysv", "dbus", "ca-certificates", "procps"];
const BOOT_SECONDS = 120;
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"; // of this machine
/** What the manual's commands find in their environment. */
const ENVIRONMENT = {
  HOME: "/root",
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LANG: "C.UTF-8",
  TERM: "dumb",
  DEBIAN_FRONTEND: "noninteractive",
  NODE_EXTRA_CA_CERTS: "/trial/certificates.pem",
};

export interface DebianOptions {
  readonly folder: string; // gets the tree, and what the trial needs beside it
  readonly cache?: string; // keeps the tree of debootstrap between runs
  readonly project: string;
  readonly names: readonly string[]; // of this machine, in /etc/hosts
}

/** Throws OperatorError where a tree cannot be made or entered. */
export function assertCanRun(): void {
  if (userInfo().uid !== 0) throw new OperatorError("the trial of the manual needs root: run it with sudo");
  for (const [program, name] of [
    ["debootstrap", "debootstrap"],
    ["nsenter", "util-linux"],
    ["openssl", "openssl"],
  ])
    if (spawnSync("which", [program ?? ""]).status !== 0)
      throw new OperatorError(`the trial of the manual needs ${program}: run apt-get install ${name}`);
  const { status, stderr } = spawnSync("unshare", ["--mount", "--pid", "--fork", "true"]);
  if (status !== 0)
    throw new OperatorError(`the trial of the manual needs mount and process namespaces: ${stderr}`);
}

export class Debian implements AsyncDisposable {
  readonly root: string;
  readonly #environment = npmSettings();
  #holder: ChildProcess | undefined;

  private constructor(root: string) {
    this.root = root;
  }

  static async make(options: DebianOptions): Promise<Debian> {
    const root = join(options.folder, "tree");
    mkdirSync(root, { recursive: true });
    unpack(root, options.cache);
    prepare(root, options);
    const debian = new Debian(root);
    debian.boot();
    debian.run("update-ca-certificates"); // now that it has the trial's
    return debian;
  }

  /** Boots it, and waits until systemd has started everything. Throws OperatorError where it does not; `trial/boot.log` says why. */
  boot(): void {
    const boot = ["--pdeathsig", "KILL", join(import.meta.dirname, "boot.sh"), this.root];
    this.#holder = spawn("setpriv", boot, { stdio: ["ignore", "inherit", "inherit"] });
    for (let tried = 0; tried < BOOT_SECONDS; tried += 1) {
      const { stdout } = this.run("systemctl", "is-system-running", "--wait");
      if (/^(running|degraded)/.test(stdout)) return; // degraded: namespaces load no kernel modules
      spawnSync("sleep", ["1"]);
    }
    throw new OperatorError(`${this.root}: its systemd does not start: see trial/boot.log in that folder`);
  }

  /** The command line that runs a program inside. */
  command(...argv: readonly string[]): [string, string[]] {
    const { stdout } = spawnSync("pgrep", ["-P", String(this.#holder?.pid)], { encoding: "utf8" });
    const namespaces = ["--mount", "--pid", "--uts", "--ipc", "--cgroup", "--root", "--wd"];
    const inside = ["--target", stdout.split("\n")[0] ?? "", ...namespaces];
    const environment = Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
    return ["nsenter", [...inside, "env", "-i", ...environment, ...this.#environment, ...argv]];
  }

  run(...argv: readonly string[]) {
    const [program, args] = this.command(...argv);
    return spawnSync(program, args, { encoding: "utf8", input: "" });
  }

  /** Switches it off, and on again. */
  async reboot(): Promise<void> {
    const ended = this.#ended();
    this.run("systemctl", "--no-block", "poweroff");
    await ended;
    this.boot();
  }

  /** Ends every process of the tree, and with them its mounts. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#ended();
    this.#holder?.kill("SIGKILL");
    await ended;
  }

  async #ended(): Promise<void> {
    const holder = this.#holder;
    if (holder === undefined || holder.exitCode !== null || holder.signalCode !== null) return;
    await once(holder, "exit");
  }
}

function unpack(root: string, cache: string | undefined): void {
  const kept = cache === undefined ? undefined : join(cache, `${[SUITE, ...PACKAGES].join("-")}.tar`);
  if (kept !== undefined && existsSync(kept)) {
    execFileSync("tar", ["-xpf", kept, "-C", root]);
    return;
  }
  const { status } = spawnSync("debootstrap", [`--include=${PACKAGES.join()}`, SUITE, root, mirror()], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new OperatorError(`debootstrap ${SUITE} ${root} ended with ${status}`);
  if (kept === undefined || cache === undefined) return;
  mkdirSync(cache, { recursive: true });
  execFileSync("tar", ["-cpf", `${kept}.new`, "-C", root, "."]);
  renameSync(`${kept}.new`, kept);
}

/** The mirror of Debian that this machine uses. */
function mirror(): string {
  const files = globSync(["/etc/apt/sources.list", "/etc/apt/sources.list.d/*.{list,sources}"]);
  const text = files.map((file) => readFileSync(file, "utf8")).join("\n");
  return (
    /^(?:URIs:|deb (?:\[.*?\] )?)\s*(\S+\/debian\/?)(?:\s|$)/m.exec(text)?.[1] ??
    "http://deb.debian.org/debian"
  );
}

function prepare(root: string, { project, names }: DebianOptions): void {
  for (const folder of ["trial", "etc/systemd/system.conf.d", "usr/local/share/ca-certificates"])
    mkdirSync(join(root, folder), { recursive: true });
  copyFileSync("/etc/resolv.conf", join(root, "etc/resolv.conf"));
  writeFileSync(join(root, "etc/hosts"), `127.0.0.1 localhost ${names.join(" ")}\n::1 localhost\n`);
  writeFileSync(join(root, "etc/apt/apt.conf.d/90machine"), aptSettings());
  makeAuthority(join(root, "trial"));
  copyFileSync(join(root, "trial/authority.pem"), join(root, "usr/local/share/ca-certificates/trial.crt"));
  const known = existsSync(CERTIFICATES) ? readFileSync(CERTIFICATES, "utf8") : "";
  const own = readFileSync(join(root, "trial/authority.pem"), "utf8");
  writeFileSync(join(root, "trial/certificates.pem"), `${known}\n${own}`);
  copySources(project, join(root, "trial/presence.git"));
  copyFileSync(join(import.meta.dirname, "certbot.sh"), join(root, "trial/certbot.sh"));
  chmodSync(join(root, "trial/certbot.sh"), 0o755);
  const trust = `NODE_EXTRA_CA_CERTS=${ENVIRONMENT.NODE_EXTRA_CA_CERTS}`;
  writeFileSync(
    join(root, "etc/systemd/system.conf.d/trial.conf"),
    `[Manager]\nDefaultEnvironment=${trust}\n`,
  );
}

/** Proxy, certificates and clock of apt, as on this machine. */
function aptSettings(): string {
  const all = execFileSync("apt-config", ["dump"], { encoding: "utf8" }).split("\n");
  const isMachines = /^Acquire::(https?::|Check-)/;
  return all.map((line) => (isMachines.test(line) ? `${line}\n` : "")).join("");
}

function npmSettings(): string[] {
  return ["registry", "https-proxy"].flatMap((name) => {
    const { stdout } = spawnSync("npm", ["config", "get", name], { encoding: "utf8" });
    return /^https?:/.test(stdout) ? [`npm_config_${name.replace("-", "_")}=${stdout.trim()}`] : [];
  });
}

function makeAuthority(folder: string): void {
  const files = ["-keyout", join(folder, "authority.key"), "-out", join(folder, "authority.pem")];
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Trial of the manual"];
  execFileSync("openssl", ["req", ...kind, ...files], { stdio: "pipe" });
}

/** A certificate of the trial's authority, made by the program that stands in for certbot. */
export function certificateOf(debian: Debian, name: string): { readonly key: Buffer; readonly cert: Buffer } {
  const [authority, live] = [join(debian.root, "trial"), join(debian.root, "trial/live")];
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

/** The tree holds no mounts of this machine any more, so it can be removed as files. */
export function removeTree(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
