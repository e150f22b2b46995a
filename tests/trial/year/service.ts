/** A service as the manual sets it up: a user of the night, a user of the server, nginx in front, a mail server, backups. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { type Home, homePaths } from "../../../src/kernel/home.ts";
import { freePort } from "../../../src/kernel/port.ts";
import { WebhookSink } from "../../support/delivery/sinks.ts";
import {
  type Outcome,
  type RunningCommand,
  startPresence,
} from "../../support/operations/presence-process.ts";
import { asUser, giveTo, missingForUsers, USERS } from "../../support/operations/service-users.ts";
import { Mailbox } from "../../support/servers/mailbox.ts";
import { hasNginx, type RunningNginx, startNginx } from "../../support/servers/nginx.ts";
import { hasRestic, repositoriesIn } from "../../support/servers/restic.ts";
import { SmallDisk } from "../../support/servers/small-disk.ts";
import { MovedClock } from "./moved-clock.ts";

export const YEAR_URL = "https://year.test";
const DISK_MB = 3000;
const LISTENING = "(Ctrl-C";
const PATIENCE_SECONDS = 120;

const MISSING = missingForUsers();

/** What the service says of its release, as far as releases are told apart. */
export const Status = z.looseObject({ snapshot_id: z.string() });

export class Service implements AsyncDisposable {
  readonly folder: string; // of everything that is not the service's: log, mirror, copies
  readonly home: Home;
  readonly clock: MovedClock;
  readonly mailbox: Mailbox;
  readonly hook: WebhookSink;
  readonly disk: SmallDisk | undefined;
  #server: RunningCommand | undefined;
  #nginx: RunningNginx | undefined;
  #serverLog = "";
  readonly #folders = new Map<string, number>(); // outside the home, with their owners
  readonly #port: number;
  readonly #pages: string | undefined;
  readonly #repositories: Record<string, string>; // empty without restic
  #backups: Record<string, string> = {}; // once they are set up

  private constructor(
    parts: Pick<Service, "mailbox" | "hook" | "disk"> & {
      port: number;
      hasBackups: boolean;
      pages: string | undefined;
    },
  ) {
    this.mailbox = parts.mailbox;
    this.hook = parts.hook;
    this.disk = parts.disk;
    this.#port = parts.port;
    this.#pages = parts.pages;
    this.folder = mkdtempSync(join(tmpdir(), "presence-year-"));
    chmodSync(this.folder, 0o755);
    this.clock = new MovedClock(join(this.folder, "clock"));
    const root = join(this.disk?.folder ?? this.folder, "presence");
    this.home = homePaths(root);
    this.#repositories = parts.hasBackups ? repositoriesIn(this.own("backups"), this.clock.words) : {};
    this.makeFolders();
  }

  /** `pages`: a folder of pages that are compiled already, of which each user gets a copy; else each compiles its own. */
  static async open(pages?: string): Promise<Service> {
    const disk = SmallDisk.mounted(DISK_MB);
    if (disk !== undefined) chmodSync(disk.folder, 0o755);
    const [mailbox, hook, port] = [await Mailbox.open(), await WebhookSink.start(), await freePort()];
    return new Service({ mailbox, hook, disk, port, pages, hasBackups: await hasRestic() });
  }

  get hasUsers(): boolean {
    return MISSING === undefined;
  }

  get hasBackups(): boolean {
    return "BACKUP_HOOK" in this.#backups;
  }

  async setUpBackups(): Promise<void> {
    this.#backups = this.#repositories;
    if (this.hasBackups) await this.backup("init");
  }

  get url(): string {
    return this.#nginx?.url ?? `http://127.0.0.1:${this.#port}`;
  }

  /** Resident memory of the server, in MB. */
  get serverMb(): number {
    const status = readFileSync(`/proc/${this.#server?.child.pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  }

  readonly diskMb = DISK_MB;

  get usedMb(): number {
    const { blocks, bfree, bsize } = statfsSync(this.home.root);
    return Math.ceil(((blocks - bfree) * bsize) / 2 ** 20);
  }

  /** What is published and kept, as one text. */
  releases(): string {
    const { current, releases } = this.home;
    const kept = readdirSync(releases).filter((name) => !name.startsWith("."));
    return [readlinkSync(current), ...kept.sort()].join(" ");
  }

  /** A folder of the owner of the home or another user, outside it. */
  own(name: string, uid: number = USERS.owner): string {
    const path = join(this.folder, name);
    if (this.#folders.has(path)) return path;
    this.#folders.set(path, uid);
    mkdirSync(path);
    if (this.hasUsers) giveTo(path, uid);
    return path;
  }

  /** The empty folders of a new machine, as install.md makes them. */
  makeFolders(): void {
    const { night, stateFolder } = this.home;
    mkdirSync(night, { recursive: true });
    mkdirSync(stateFolder);
    chmodSync(night, 0o750);
    chmodSync(stateFolder, 0o2770);
    if (!this.hasUsers) return;
    giveTo(night, USERS.owner, USERS.files);
    giveTo(stateFolder, USERS.server, USERS.state);
  }

  /** What an operator does with root's rights on files that were put there. */
  async mendOwners(): Promise<void> {
    const { state, stateKey } = this.home;
    if (this.hasUsers) for (const path of [state, stateKey]) giveTo(path, USERS.server, USERS.state);
    chmodSync(state, 0o660);
    chmodSync(stateKey, 0o640);
  }

  /** The second step of a restore with two users: the state, from what the first one left. */
  async restoreState(): Promise<void> {
    if (!this.hasUsers) return;
    const left = join(this.home.night, "state-to-restore");
    const copy = this.own("state-to-restore", USERS.server);
    cpSync(left, copy, { recursive: true });
    for (const entry of readdirSync(copy, { recursive: true, encoding: "utf8" }))
      giveTo(join(copy, entry), USERS.server);
    const server = [USERS.server, USERS.files, USERS.state] as const;
    const { code, stderr } = await this.#start(["restore", copy, "--into", this.home.root], server).done;
    if (code !== 0) throw new Error(`the state was not restored:\n${stderr}`);
    for (const folder of [left, copy]) rmSync(folder, { recursive: true });
    this.#folders.delete(copy);
  }

  write(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  run(args: readonly string[], { asRoot = false } = {}): Promise<Outcome> {
    return this.#start(args, asRoot ? undefined : [USERS.owner, USERS.files, USERS.state]).done;
  }

  /** Standard output of a command that must succeed. */
  async ok(args: readonly string[], { asRoot = false, mayFail = false } = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, { asRoot });
    if (code === 0 || mayFail) return stdout;
    throw new Error(`presence ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  }

  /** A task of deploy/backup, as the owner of ledger and keys. */
  async backup(...task: readonly string[]): Promise<void> {
    const { owner, files, state } = USERS;
    const shell = this.hasUsers ? asUser(owner, files, state) : 'exec "$@"';
    const command = `${this.#backups["BACKUP_HOOK"]} ${task.join(" ")}`;
    const run = { home: this.home.root, cwd: this.folder, shell: shell.replace('"$@"', command) };
    const { code, stderr } = await startPresence([], run).done;
    if (code !== 0) throw new Error(`presence-backup ${task.join(" ")} ended with ${code}:\n${stderr}`);
  }

  /** What a command that must succeed says as JSON. */
  async json<T extends z.ZodType>(args: readonly string[], form: T): Promise<z.infer<T>> {
    return form.parse(JSON.parse(await this.ok([...args, "--json"])));
  }

  /** Starts the server as its own user, and nginx in front of it. */
  async serve(): Promise<void> {
    this.#server = this.#start(["serve"], [USERS.server, USERS.files, USERS.state], {
      COMPILED_PAGES: this.#pagesOf("web-cache", USERS.server),
    });
    this.#server.child.stderr?.on("data", (text: string) => {
      this.#serverLog += text;
    });
    await this.#server.said(LISTENING);
    if (!this.#server.stdout().includes(LISTENING))
      throw new Error(`the server ended:\n${(await this.#server.done).stderr}`);
    if (hasNginx()) this.#nginx ??= await this.#front();
  }

  /** A user's own compiled pages, beside which they can write. */
  #pagesOf(name: string, uid: number): string {
    const folder = this.own(name, uid);
    if (this.#pages !== undefined && readdirSync(folder).length === 0)
      cpSync(this.#pages, folder, { recursive: true });
    return folder;
  }

  async stopServer(): Promise<void> {
    this.#server?.child.kill();
    await this.#server?.done;
    this.#server = undefined;
  }

  /** Until the server answers for this release. */
  async serves(snapshotId: string): Promise<void> {
    for (let waited = 0; waited < PATIENCE_SECONDS * 5; waited++) {
      const answer = await fetch(`${this.url}/api/v1/status`);
      if (answer.ok && Status.parse(await answer.json()).snapshot_id === snapshotId) return;
      await wait(200);
    }
    throw new Error(`the server does not answer for the release ${snapshotId}:\n${this.#serverLog}`);
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  #front(): Promise<RunningNginx> {
    const folder = join(this.folder, "nginx");
    mkdirSync(folder);
    return startNginx(folder, this.#port, join(this.home.current, "site"));
  }

  #start(
    args: readonly string[],
    groups: readonly [number, ...number[]] | undefined,
    env: Readonly<Record<string, string>> = {},
  ): RunningCommand {
    const [user, ...further] = groups ?? [];
    const shell = user !== undefined && this.hasUsers ? asUser(user, ...further) : 'exec "$@"';
    return startPresence(args, {
      home: this.home.root,
      cwd: this.folder,
      shell: shell.replace('"$@"', `${this.clock.words} "$@"`),
      env: {
        ...(this.hasUsers ? {} : { SERVER_SECRETS: "allow" }),
        HOME: this.own("user"), // the users have no entry in /etc/passwd
        TZ: "America/Toronto", // whose clocks change twice in the year
        BASE_URL: YEAR_URL,
        PORT: String(this.#port),
        TRUSTED_PROXIES: "1",
        RELEASES_KEPT: "3",
        SMTP_URL: this.mailbox.url,
        MAIL_FROM: "alerts@year.test",
        DELIVERY: "worker", // the night sends
        WEBHOOKS_ALLOW_LOOPBACK: "true",
        SOURCE_REVISION: "test",
        NODE_COMPILE_CACHE: this.own("compile-cache"),
        COMPILED_PAGES: this.#pagesOf("night-cache", USERS.owner),
        ...this.#backups,
        ...env,
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopServer();
    await this.#nginx?.stop();
    await this.mailbox[Symbol.asyncDispose]();
    await this.hook[Symbol.asyncDispose]();
    this.disk?.[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
