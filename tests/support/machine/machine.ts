/** A Debian that runs its own systemd in namespaces, as root, from an image that it leaves as it is. It ends with the process that boots it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../../src/kernel/errors.ts";

const BOOT_TRIES = 120;
const NAMESPACES = ["--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup", "--root", "--wd"];
const ENVIRONMENT = {
  HOME: "/root",
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LANG: "C.UTF-8",
  TERM: "dumb",
  DEBIAN_FRONTEND: "noninteractive",
};

export interface MachineOptions {
  readonly image: string;
  readonly folder: string; // gets what the machine writes
  readonly network: "own" | "shared"; // one of its own with loopback alone, or that of this process
  readonly shows?: Readonly<Record<string, string>>; // folders of this machine, to read, by their places in it
  readonly environment?: Readonly<Record<string, string>>; // of what `run` starts
}

export class Machine implements AsyncDisposable {
  readonly #options: MachineOptions;
  #holder: ChildProcess | undefined;

  constructor(options: MachineOptions) {
    this.#options = options;
    mkdirSync(this.written, { recursive: true });
  }

  /** The folder of what it wrote, and of what lies in the place of files of the image; before it boots, files may be put there. */
  get written(): string {
    return join(this.#options.folder, "upper");
  }

  /** Its files, while it runs. */
  get root(): string {
    return `/proc/${this.#first()}/root`;
  }

  /** Waits until systemd has started everything. Throws OperatorError where it does not; `machine-boot.log` in its root says why. */
  boot(): void {
    const { folder, image, network, shows = {} } = this.#options;
    const shown = Object.entries(shows).map(([target, source]) => `${source}:${target}`);
    const boot = [
      "--pdeathsig",
      "KILL",
      join(import.meta.dirname, "boot.sh"),
      folder,
      image,
      network,
      ...shown,
    ];
    this.#holder = spawn("setpriv", boot, { stdio: ["ignore", "inherit", "inherit"] });
    for (let tried = 0; tried < BOOT_TRIES; tried += 1) {
      const { stdout } = this.run("systemctl", "is-system-running", "--wait");
      if (/^(running|degraded)/.test(stdout)) return; // degraded: namespaces load no kernel modules
      spawnSync("sleep", ["0.5"]);
    }
    throw new OperatorError(`its systemd does not start: see ${join(this.written, "machine-boot.log")}`);
  }

  #first(): string {
    const { stdout } = spawnSync("pgrep", ["-P", String(this.#holder?.pid)], { encoding: "utf8" });
    return stdout.split("\n")[0] ?? "";
  }

  /** The command line that runs a program inside. */
  command(...argv: readonly string[]): [string, string[]] {
    const environment = Object.entries({ ...ENVIRONMENT, ...this.#options.environment });
    const variables = environment.map(([name, value]) => `${name}=${value}`);
    return ["nsenter", ["--target", this.#first(), ...NAMESPACES, "env", "-i", ...variables, ...argv]];
  }

  run(...argv: readonly string[]) {
    const [program, args] = this.command(...argv);
    return spawnSync(program, args, { encoding: "utf8", input: "", maxBuffer: 2 ** 28 });
  }

  /** A script in a shell of that user, which ends with its first failure. */
  shell(user: string, script: string) {
    const as = user === "root" ? [] : ["runuser", "-u", user, "--"];
    return this.run(...as, "bash", "-euo", "pipefail", "-c", script);
  }

  /** What it prints. Throws where it fails. */
  text(user: string, script: string): string {
    const { status, stdout, stderr } = this.shell(user, script);
    if (status !== 0) throw new Error(`${user}: ${script} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  }

  /** What the journal has of a unit: the lines of its processes, and those of systemd about them. */
  journal(unit: string): string {
    return this.run("journalctl", "--unit", unit, "--no-pager", "--output=cat").stdout;
  }

  /** Switches it off, and on again. */
  async reboot(): Promise<void> {
    const ended = this.#ended();
    this.run("systemctl", "--no-block", "poweroff");
    await ended;
    this.boot();
  }

  /** Ends every process of the machine, and with them its mounts. */
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
