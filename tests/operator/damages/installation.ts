/** A small real service, copied for each damage, and its doctor. */
import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { configFrom } from "../../../src/kernel/config/config.ts";
import { freeBytes } from "../../../src/kernel/files/durable-file.ts";
import { type Home, homePaths, systemUser } from "../../../src/kernel/home.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";
import type { CheckContext, Finding } from "../../../src/operations/doctor/check.ts";
import { type CheckName, findingsOf } from "../../../src/operations/doctor/checks.ts";
import { openState } from "../../../src/state/open-state.ts";
import { SOUND_SERVICE } from "../../support/operations/patient.ts";
import { presenceHere } from "../../support/operations/presence-here.ts";
import { PROJECT } from "../../support/operations/presence-process.ts";
import { hasRestic, repositoriesIn } from "../../support/servers/restic.ts";
import { SHARED_CACHES } from "../../support/towns/shared-caches.ts";

const SETTINGS = {
  BASE_URL: "https://presence.example.org",
  TRUSTED_PROXIES: "1",
  SOURCE_REVISION: "test",
  METRICS_PORT: "9464",
  SECURITY_CONTACT: "mailto:security@presence.example.org",
  OPERATOR_NAME: "Example",
};
const SIGHTINGS = "deploy/example-sightings.ndjson";
const SOURCE = "example-walks";
const TORONTO = "6167865";
/** A catalog of one city, in GeoNames' form: the default one takes a third of each build, and no damage is about it. */
const CATALOG = `${TORONTO}\tToronto\tToronto\t\t43.70643\t-79.39864\tP\tPPLA\tCA\t\t08\t\t\t\t2731571\t\t\tAmerica/Toronto\t2026-01-01\n`;

/** Words without quotes, variables, pipes: what a shell would run as it stands. */
const PLAIN_COMMAND = /^presence( [\w@%+:,./=-]+)+$/;

export class Installation implements Disposable {
  readonly folder: string;
  readonly home: Home;
  readonly #sound: string;
  readonly #settings: Record<string, string>;
  /** What a test changes of the service's settings, and around it. */
  env: Record<string, string> = {};
  edges: Partial<CheckContext> = {};
  days = 0; // by which its clock is ahead
  #spoilt = 0;

  private constructor(parent: string) {
    this.folder = join(parent, "service");
    this.#sound = join(parent, "sound");
    this.home = homePaths(join(this.folder, "var"));
    mkdirSync(this.folder, { mode: 0o755 });
    this.#settings = { ...SETTINGS, ...SHARED_CACHES, PRESENCE_HOME: this.home.root };
  }

  /** Set up as the manual does it: a city, a source, a night, and backups where restic is. */
  static async make(): Promise<Installation> {
    const parent = mkdtempSync(join(tmpdir(), "presence-damages-"));
    chmodSync(parent, 0o755);
    const made = new Installation(parent);
    const isBackedUp = await hasRestic();
    Object.assign(made.#settings, isBackedUp && repositoriesIn(made.folder));
    if (isBackedUp) await made.run("presence-backup init");
    await made.run("presence init --origin example.org/presence");
    copyFileSync(made.home.ledger, join(made.folder, "older.db"));
    writeFileSync(join(made.folder, "catalog.txt"), CATALOG);
    await made.run(`presence city add --geoname ${TORONTO} --radius-km 25 --gazetteer catalog.txt`);
    const terms = "--vetting collective --operator Example --licence own --consent own";
    await made.run(`presence source add ${SOURCE} --kind scout ${terms}`);
    await made.run(`presence ingest ${join(PROJECT, SIGHTINGS)}`);
    await made.run("presence batch approve b1");
    await made.run("presence nightly --now");
    await (await openState(undefined, made.home)).close();
    if (isBackedUp)
      for (const task of ["back-up", "check", "prune", "prove"]) await made.run(`presence-backup ${task}`);
    renameSync(made.folder, made.#sound);
    return made;
  }

  get isBackedUp(): boolean {
    return "BACKUP_HOOK" in this.#settings;
  }

  /** The sound service again, at the same place. The spoilt one goes at the end: ext4 is slow to make files just after it removed some. */
  renew(): void {
    this.#spoilt += 1;
    if (existsSync(this.folder)) renameSync(this.folder, `${this.#sound}-${this.#spoilt}`);
    execFileSync("cp", ["-a", this.#sound, this.folder]); // Node's own copy forgets the modes of folders
    this.env = {};
    this.edges = {};
    this.days = 0;
  }

  /** A setting of the service. */
  setting(name: string): string {
    return this.env[name] ?? this.#settings[name] ?? "";
  }

  path(...names: string[]): string {
    return join(this.home.night, ...names);
  }

  /** A line of a shell, with `presence` in its path, at the time of the service. Returns what it printed. */
  async run(line: string): Promise<string> {
    if (PLAIN_COMMAND.test(line)) return this.#runHere(line.split(" ").slice(1));
    const shifted = this.days === 0 ? [] : ["faketime", "-f", `${this.days > 0 ? "+" : ""}${this.days}d`];
    const [program = "", ...args] = [...shifted, "sh", "-c", line];
    const path = `${this.folder}:${PROJECT}/bin:/usr/local/bin:/usr/bin:/bin`;
    const env = { PATH: path, ...this.#settings, ...this.env };
    const { stdout } = await promisify(execFile)(program, args, { env, cwd: this.folder });
    return stdout;
  }

  async #runHere(args: readonly string[]): Promise<string> {
    const { folder: cwd } = this;
    const env = { ...this.#settings, ...this.env };
    const { code, stdout, stderr } = await presenceHere(args, { cwd, env, clock: this.#clock });
    if (code === 0) return stdout;
    throw new Error(`presence ${args.join(" ")} ended with ${code}:\n${stderr}`);
  }

  readonly #clock = () => Date.now() + this.days * DAY_MS;

  /** What one check of the doctor finds. */
  async findings(check: CheckName): Promise<readonly Finding[]> {
    const config = configFrom({ ...this.#settings, ...this.env });
    const clock = this.#clock;
    const context = {
      config,
      home: this.home,
      now: clock(),
      isFull: false,
      user: systemUser(),
      serverUnit: this.path("no-unit"),
      settingsFolder: join(this.folder, "settings"),
      systemctl: () => undefined,
      ...SOUND_SERVICE,
      freeBytes,
      openState: () => openState(config.stateUrl, this.home, { clock }),
      ...this.edges,
    };
    return findingsOf(check, context);
  }

  [Symbol.dispose](): void {
    rmSync(dirname(this.folder), { recursive: true, force: true });
  }
}
