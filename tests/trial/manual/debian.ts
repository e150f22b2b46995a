/** A clean Debian in a folder, in mount and process namespaces of its own: they end with the process that holds them. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
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
import { join, relative } from "node:path";
import { OperatorError } from "../../../src/kernel/errors.ts";

const SUITE = "trixie"; // Debian 13: it has the npm that install.md wants
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
  readonly #holder: ChildProcess;
  readonly #environment: readonly string[];

  private constructor(root: string, holder: ChildProcess, environment: readonly string[]) {
    this.root = root;
    this.#holder = holder;
    this.#environment = environment;
  }

  static async make(options: DebianOptions): Promise<Debian> {
    const root = join(options.folder, "tree");
    mkdirSync(root, { recursive: true });
    unpack(root, options.cache);
    prepare(root, options);
    const holder = hold(root, options.project);
    await Promise.race([once(holder.stdout ?? holder, "data"), once(holder, "exit")]);
    if (holder.exitCode !== null)
      throw new OperatorError(`${root}: the tree cannot be entered: mounts are not permitted here`);
    return new Debian(root, holder, npmSettings());
  }

  /** The command line that runs a program inside. */
  command(...argv: readonly string[]): [string, string[]] {
    const [pid = ""] = execFileSync("pgrep", ["-P", String(this.#holder.pid)], { encoding: "utf8" }).split(
      "\n",
    );
    const inside = ["--target", pid, "--mount", "--pid", "--root", "--wd"];
    const environment = Object.entries(ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
    return ["nsenter", [...inside, "env", "-i", ...environment, ...this.#environment, ...argv]];
  }

  run(...argv: readonly string[]) {
    const [program, args] = this.command(...argv);
    return spawnSync(program, args, { encoding: "utf8", input: "" });
  }

  /** Ends every process of the tree, and with them its mounts. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const ended = once(this.#holder, "exit");
    this.#holder.kill("SIGKILL");
    await ended;
  }
}

function unpack(root: string, cache: string | undefined): void {
  const kept = cache === undefined ? undefined : join(cache, `${SUITE}.tar`);
  if (kept !== undefined && existsSync(kept)) {
    execFileSync("tar", ["-xpf", kept, "-C", root]);
    return;
  }
  const { status } = spawnSync("debootstrap", [SUITE, root, mirror()], { stdio: ["ignore", 2, 2] });
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
  for (const folder of ["trial/project", "run/systemd/system", "usr/local/share/ca-certificates"])
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
  putRunner(root, project);
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

function putRunner(root: string, project: string): void {
  const [node = ""] = globSync(join(project, "node_modules/node-*-*/bin/node"));
  const divert = [
    "--local",
    "--rename",
    "--divert",
    "/usr/bin/systemctl.debian",
    "--add",
    "/usr/bin/systemctl",
  ];
  execFileSync("chroot", [root, "dpkg-divert", "--quiet", ...divert]);
  const folder = "/trial/project";
  writeFileSync(
    join(root, "usr/bin/systemctl"),
    `#!/bin/sh\nexec ${folder}/${relative(project, node)} ${folder}/tests/trial/manual/systemctl.ts "$@"\n`,
    { mode: 0o755 },
  );
}

/** The first process of the tree: it waits, and takes over what its services leave behind. */
function hold(root: string, project: string): ChildProcess {
  const mounts = [
    'mount --bind "$0" "$0"',
    'mount -t proc proc "$0/proc"',
    'mount --bind "$1" "$0/trial/project"',
    'mount -o remount,bind,ro "$0/trial/project"',
    'exec chroot "$0" bash -c "echo ready; while sleep 600; do :; done"',
  ];
  const namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"];
  const args = ["--pdeathsig", "KILL", ...namespaces, "bash", "-c", mounts.join(" && "), root, project];
  return spawn("setpriv", args, { stdio: ["ignore", "pipe", "inherit"] });
}

/** The tree holds no mounts of this machine any more, so it can be removed as files. */
export function removeTree(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
