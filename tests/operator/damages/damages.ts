/** Ways to break an installation. The doctor must find each, and what it prints must cure it. */

import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";
import { deskPaths, systemUser } from "../../../src/kernel/home.ts";
import { readNightlyStatus, writeNightlyStatus } from "../../../src/kernel/status-files.ts";
import { DAY_MS, isoTime } from "../../../src/kernel/time.ts";
import type { CheckName } from "../../../src/operations/doctor/checks.ts";
import { APPLICATION_ID_OF_1X } from "../../../src/snapshot/schema.ts";
import { openState } from "../../../src/state/open-state.ts";
import { PROJECT } from "../../support/operations/presence-process.ts";
import { TestAuthority } from "../../support/timestamp/authority.ts";
import { replying, TestAuthorityServer } from "../../support/timestamp/authority-server.ts";
import type { Installation } from "./installation.ts";

export interface Damage {
  readonly name: string;
  /** The doctor's check that finds it. */
  readonly check: CheckName;
  readonly make: (it: Installation) => unknown;
  /** What a person does, where the cure is not a command. Otherwise the printed commands are run. */
  readonly byHand?: (it: Installation) => unknown;
  /** Which of the printed commands are run, where they are alternatives. */
  readonly chosen?: RegExp;
  readonly needs?: "root" | "restic" | "faketime" | "openssl";
}

const GIB = 1 << 30;
const STRANGER = 64_199;

export const DAMAGES: readonly Damage[] = [
  // Owners and modes
  { name: "home open to everybody", check: "permissions", make: (it) => chmodSync(it.home.night, 0o777) },
  { name: "keys open to everybody", check: "permissions", make: (it) => chmodSync(it.home.keys, 0o755) },
  { name: "ledger that others read", check: "permissions", make: (it) => chmodSync(it.home.ledger, 0o644) },
  {
    name: "signing key that others read",
    check: "permissions",
    make: (it) => chmodSync(it.path("keys/production.signing.json"), 0o640),
  },
  { name: "release that others write", check: "permissions", make: (it) => chmodSync(published(it), 0o666) },
  {
    name: "files of another user",
    check: "permissions",
    needs: "root",
    make: (it) => chownSync(it.home.nightly, STRANGER, STRANGER),
  },
  {
    name: "front server outside the group",
    check: "front server",
    make: (it) => {
      chmodSync(it.home.night, 0o750);
      it.edges = { user: withFrontServer([]) };
    },
    byHand: (it) => (it.edges = { user: withFrontServer([statSync(it.home.night).gid]) }),
  },
  {
    name: "closed folder above the home",
    check: "front server",
    make: (it) => {
      chmodSync(it.folder, 0o700);
      it.edges = { user: withFrontServer([]) };
    },
  },
  {
    name: "unit that leaves the keys open",
    check: "users of server and ledger",
    make: (it) => {
      it.edges = { serverUnit: join(it.folder, "presence.service") };
      writeFileSync(join(it.folder, "presence.service"), "[Service]\n");
    },
    byHand: (it) => {
      const shipped = readFileSync(join(PROJECT, "deploy/systemd/presence.service"), "utf8");
      writeFileSync(join(it.folder, "presence.service"), shipped.replaceAll("/srv/presence", it.home.root));
    },
  },

  // The machine
  {
    name: "full disk",
    check: "disk space",
    make: (it) => (it.edges = { freeBytes: () => GIB / 2 }),
    byHand: (it) => (it.edges = {}),
  },
  {
    name: "disk that will be full in days",
    check: "disk forecast",
    make: (it) => {
      it.edges = { freeBytes: () => 10 * GIB };
      writeFileSync(it.home.sizes, JSON.stringify(Array.from({ length: 10 }, (_, day) => sizesOf(day))));
    },
    byHand: (it) => (it.edges = { freeBytes: () => 1000 * GIB }),
  },
  {
    name: "timer that is off",
    check: "timers",
    make: (it) => (it.edges = { systemctl: timerStates("inactive") }),
    byHand: (it) => (it.edges = { systemctl: timerStates("active") }),
  },
  {
    name: "clock that went back",
    check: "clock",
    make: (it) => (it.days = -2),
    byHand: (it) => (it.days = 0),
  },
  {
    name: "ledger in the future",
    check: "clock",
    needs: "faketime",
    make: async (it) => {
      it.days = 3;
      await it.run(`presence ingest ${more(it)}`);
      await it.run("presence seal --now");
      it.days = 0;
    },
  },

  // Ledger and keys
  {
    name: "damaged ledger",
    check: "ledger file",
    needs: "restic",
    make: (it) => overwrite(it.home.ledger),
    chosen: /^(mv|presence-backup fetch|presence (restore|build))/,
  },
  {
    name: "row that was changed",
    check: "ledger rows",
    needs: "restic",
    make: (it) =>
      inDatabase(it.home.ledger, "UPDATE openings SET body = replace(body, 'storefront', 'billboard')"),
  },
  {
    name: "ledger that is gone",
    check: "ledger file",
    needs: "restic",
    make: (it) => rmSync(it.home.ledger),
    chosen: /^(mv|presence-backup fetch|presence (restore|build))/,
  },
  {
    name: "older copy of the ledger",
    check: "checkpoint",
    needs: "restic",
    make: (it) => {
      for (const ending of ["-wal", "-shm"]) rmSync(it.home.ledger + ending, { force: true });
      copyFileSync(join(it.folder, "older.db"), it.home.ledger);
    },
  },
  {
    name: "signing key that is gone",
    check: "keys of the ledger",
    needs: "restic",
    make: (it) => rmSync(it.path("keys/production.signing.json")),
  },
  {
    name: "manifest key that is gone",
    check: "keys of the ledger",
    needs: "restic",
    make: (it) => rmSync(it.path("keys/production.manifest.json")),
  },
  {
    name: "secret of another ledger",
    check: "keys of the ledger",
    needs: "restic",
    make: (it) => {
      const secret = Buffer.alloc(32, 1).toString("base64");
      writeFileSync(it.path("keys/production.intake.json"), JSON.stringify({ secret }));
    },
  },
  {
    name: "lines that wait for a night",
    check: "pending lines",
    needs: "faketime",
    make: async (it) => {
      await it.run(`presence ingest ${more(it)}`);
      it.days = 3;
    },
  },
  {
    name: "decision that waits for a night",
    check: "unsealed rows",
    needs: "faketime",
    make: async (it) => {
      await it.run("presence city pause toronto");
      it.days = 3;
    },
  },
  {
    name: "lines that name no source",
    check: "named sources",
    make: async (it) => {
      it.env["STRICTNESS"] = "off";
      await it.run(`presence ingest ${more(it, { source: undefined })}`);
      await it.run("presence seal --now");
    },
    byHand: (it) => (it.days = 31), // in which all lines name theirs
  },
  {
    name: "timestamp that did not come",
    check: "timestamps",
    needs: "openssl",
    make: async (it) => {
      using former = new TestAuthority();
      it.env["TSA_URL"] = "http://127.0.0.1:9/";
      it.env["TSA_CA_FILE"] = join(it.folder, "authority.pem");
      copyFileSync(former.caFile, it.env["TSA_CA_FILE"]);
      await it.run(`presence ingest ${more(it)}`);
      await it.run("presence seal --now");
      inDatabase(it.home.ledger, `UPDATE external_proofs SET requested_at = requested_at - ${2 * DAY_MS}`);
    },
    byHand: async (it) => {
      using authority = new TestAuthority();
      await using server = await TestAuthorityServer.start(replying((query) => authority.reply(query)));
      Object.assign(it.env, { TSA_URL: server.url, TSA_CA_FILE: authority.caFile });
      await it.run("presence seal");
    },
  },
  {
    name: "source that sends nothing",
    check: "intake of sources",
    needs: "faketime",
    make: (it) => {
      it.env["SOURCE_SILENT_DAYS"] = "2";
      it.days = 4;
    },
  },
  {
    name: "folder of the inbox that everybody may use",
    check: "inbox",
    make: (it) => {
      const folder = join(it.home.inbox, "example-walks");
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      chmodSync(folder, 0o777);
    },
  },
  {
    name: "delivery of nobody",
    check: "inbox",
    make: (it) => mkdirSync(join(it.home.inbox, "unknown"), { recursive: true }),
    byHand: (it) => rmSync(join(it.home.inbox, "unknown"), { recursive: true }),
  },
  {
    name: "view of the review desk that is gone",
    check: "review desk",
    make: async (it) => {
      await it.run("presence desk view");
      rmSync(deskPaths(it.home).queue);
    },
  },
  {
    name: "batch outside the bounds",
    check: "held back batches",
    make: async (it) => {
      await it.run(`presence ingest ${crowd(it)}`);
      await it.run("presence seal --now");
    },
    chosen: /batch (show|approve)/,
  },

  // Releases
  { name: "release that is gone", check: "release", make: (it) => relink(it.home.current, "releases/gone") },
  {
    name: "release without its pages",
    check: "release",
    make: (it) => rmSync(join(it.home.current, "site"), { recursive: true }),
  },
  {
    name: "snapshot of presence 1.x",
    check: "snapshot version",
    make: (it) =>
      inDatabase(join(it.home.current, "snapshot.db"), `PRAGMA application_id = ${APPLICATION_ID_OF_1X}`),
  },
  {
    name: "snapshot of a newer version, which the version before takes the place of",
    check: "snapshot version",
    make: (it) => inDatabase(join(it.home.current, "snapshot.db"), "PRAGMA user_version = 999"),
  },
  { name: "damaged page", check: "published files", make: (it) => appendFileSync(published(it), " ") },
  {
    name: "damaged tile",
    check: "published files",
    make: (it) => overwrite(first(join(it.home.current, "site/ledger/tile"))),
  },
  {
    name: "checkpoint that nobody signed",
    check: "published files",
    make: (it) => appendFileSync(join(it.home.current, "site/ledger/checkpoint"), "x"),
  },
  {
    name: "leftovers of a build",
    check: "leftovers of builds",
    make: (it) => mkdirSync(join(it.home.releases, ".building-7")),
  },
  {
    name: "release that is late",
    check: "age of the release",
    needs: "faketime",
    make: (it) => (it.days = 3),
  },
  {
    name: "hold that nobody lifted",
    check: "held release",
    make: (it) => it.run("presence release hold --note audit"),
    chosen: /approve$/,
  },
  {
    name: "night that was cut off",
    check: "last night",
    make: (it) => lastNight(it, { state: "running", finished_at: null }),
  },
  {
    name: "night that failed",
    check: "last night",
    make: (it) =>
      lastNight(it, {
        state: "failed",
        steps: [{ name: "build", outcome: "failed", seconds: 1, facts: { error: "no space" } }],
      }),
  },
  {
    name: "night in the future",
    check: "last night",
    make: (it) => lastNight(it, { started_at: isoTime(Date.now() + 10 * DAY_MS) }),
  },

  // State and delivery
  {
    name: "key of the state that is gone",
    check: "key of the state",
    needs: "restic",
    make: (it) => rmSync(it.home.stateKey),
  },
  {
    name: "damaged state",
    check: "state file",
    needs: "restic",
    make: (it) => overwrite(it.home.state),
  },
  {
    name: "state out of reach",
    check: "state",
    make: (it) => (it.env["STATE_URL"] = "postgres://nobody@127.0.0.1:9/none"),
    byHand: (it) => delete it.env["STATE_URL"],
  },
  {
    name: "email without a mail server",
    check: "email",
    make: enqueue,
    byHand: (it) => Object.assign(it.env, MAIL),
  },
  {
    name: "delivery that was switched off",
    check: "email",
    make: async (it) => {
      await enqueue(it);
      it.env["DELIVERY"] = "off";
    },
    byHand: (it) => Object.assign(it.env, MAIL, { DELIVERY: "server" }),
  },
  {
    name: "full outbox",
    check: "outbox",
    needs: "faketime",
    make: async (it) => {
      await enqueue(it);
      Object.assign(it.env, MAIL);
      it.days = 1;
    },
  },

  // The running service
  {
    name: "server that does not run",
    check: "running server",
    make: (it) => (it.edges = { ask: async () => "ECONNREFUSED" }),
    byHand: (it) => (it.edges = {}),
  },
  {
    name: "server without a release",
    check: "running server",
    make: (it) => (it.edges = { ask: async () => ({ status: 503, body: "no release" }) }),
    byHand: (it) => (it.edges = {}),
  },
  {
    name: "front server that does not answer",
    check: "public address",
    make: (it) => {
      const ask = async (url: string) => (url.startsWith("https") ? "no answer in time" : READY);
      it.edges = { ask };
    },
    byHand: (it) => (it.edges = {}),
  },
  {
    name: "certificate that ends in five days",
    check: "certificate",
    make: (it) => (it.edges = { askCertificate: async () => certificateFor(5) }),
    byHand: (it) => (it.edges = { askCertificate: async () => certificateFor(80) }),
  },
  {
    name: "certificate that clients refuse",
    check: "certificate",
    make: (it) => {
      const refused = { ...certificateFor(80), problem: "ERR_TLS_CERT_ALTNAME_INVALID" };
      it.edges = { askCertificate: async () => refused };
    },
    byHand: (it) => (it.edges = {}),
  },

  // What nobody set up
  {
    name: "service that nothing watches",
    check: "monitoring",
    make: (it) => (it.env["METRICS_PORT"] = ""),
    byHand: (it) => delete it.env["METRICS_PORT"],
  },
  {
    name: "site without a contact",
    check: "contact",
    make: (it) => Object.assign(it.env, { SECURITY_CONTACT: "", OPERATOR_NAME: "" }),
    byHand: (it) => (it.env = {}),
  },
  {
    name: "backups that were switched off",
    check: "backups",
    needs: "restic",
    make: (it) => (it.env["BACKUP_HOOK"] = ""),
    byHand: (it) => delete it.env["BACKUP_HOOK"],
  },

  // Configuration
  {
    name: "settings that others change",
    check: "modes of the configuration",
    needs: "root",
    make: (it) => settingsOf(it, 0o666),
    byHand: (it) => settingsOf(it, 0o644),
  },
  {
    name: "secret that every user reads",
    check: "modes of the configuration",
    needs: "root",
    make: (it) => settingsOf(it, 0o644, "presence/smtp-url"),
    byHand: (it) => settingsOf(it, 0o640, "presence/smtp-url"),
  },
  {
    name: "setting with a slip in its name",
    check: "names of settings",
    make: (it) => (it.env["SMPT_URL"] = "smtp://127.0.0.1:9"),
    byHand: (it) => delete it.env["SMPT_URL"],
  },
  {
    name: "address without encryption",
    check: "settings of a real service",
    make: (it) => (it.env["BASE_URL"] = "http://presence.example.org"),
    byHand: (it) => (it.env["BASE_URL"] = "https://presence.example.org"),
  },
  {
    name: "texts that are not there",
    check: "files of the configuration",
    make: (it) => (it.env["OPERATOR_TEXTS"] = join(it.folder, "texts")),
    byHand: (it) => mkdirSync(join(it.folder, "texts")),
  },
  {
    name: "map of streets that is not there",
    check: "map of the operator",
    make: (it) => (it.env["BASEMAP"] = join(it.folder, "streets.pmtiles")),
    byHand: (it) => delete it.env["BASEMAP"],
  },
  {
    name: "incidents that cannot be read",
    check: "files of the configuration",
    make: (it) => writeFileSync(it.home.incidents, "[{}]"),
    byHand: (it) => writeFileSync(it.home.incidents, "[]"),
  },

  // Backups
  { name: "backup that is late", check: "backups", needs: "restic", make: lateBackup },
  {
    name: "backup that failed",
    check: "backups",
    needs: "restic",
    make: (it) => noteBackup(it, { failure: { at: isoTime(Date.now()), problem: "no route to host" } }),
  },
  {
    name: "backups that nobody checked",
    check: "backups",
    needs: "restic",
    make: (it) => noteBackup(it, { objects: null, restored: null, pruned: null }),
  },
  {
    name: "damaged backups",
    check: "backups",
    needs: "restic",
    make: async (it) => {
      for (const pack of filesBelow(join(it.folder, "data/data"))) {
        chmodSync(pack, 0o600);
        overwrite(pack);
      }
      await it.run("! presence-backup check"); // fails, and the doctor says so
    },
    byHand: async (it) => {
      it.env["BACKUP_REPOSITORY"] = join(it.folder, "data-second");
      it.env["BACKUP_KEYS_REPOSITORY"] = join(it.folder, "keys-second");
      for (const task of ["init", "back-up", "prove", "check"]) await it.run(`presence-backup ${task}`);
    },
  },
];

const MAIL = { SMTP_URL: "smtp://127.0.0.1:9", MAIL_FROM: "presence@presence.example.org" };

const READY = { status: 200, body: "ready" };

function certificateFor(days: number) {
  return { endsAt: Date.now() + days * DAY_MS, problem: undefined };
}

/** Puts a file into the folder of settings. */
function settingsOf(it: Installation, mode: number, name = "presence.toml"): void {
  const path = join(it.folder, "settings", name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  writeFileSync(path, "");
  chmodSync(path, mode);
}

function published(it: Installation): string {
  return join(it.home.current, "site/index.html");
}

function first(folder: string): string {
  const [file = ""] = filesBelow(folder);
  return file;
}

/** The second half of a file, so that its beginning still says what it is. */
function overwrite(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, Math.floor(bytes.length / 2)));
}

function inDatabase(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

function relink(path: string, target: string): void {
  rmSync(path);
  symlinkSync(target, path);
}

const Line = z.looseObject({ source_ref: z.string(), lat: z.number(), name: z.string() });
type Line = z.infer<typeof Line>;

function shippedLines(): Line[] {
  const text = readFileSync(join(PROJECT, "deploy/example-sightings.ndjson"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => Line.parse(JSON.parse(line)));
}

function fileOf(it: Installation, lines: readonly object[]): string {
  const file = join(it.folder, "more.ndjson");
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

/** The shipped lines once more, as other ones. */
function more(it: Installation, changes: object = {}): string {
  const lines = shippedLines().map((line) => ({
    ...line,
    source_ref: `further ${line.source_ref}`,
    ...changes,
  }));
  return fileOf(it, lines);
}

/** More lines than a brake lets pass, each with a name of its own. */
function crowd(it: Installation): string {
  const copies = Array.from({ length: 12 }, (_, at) =>
    shippedLines().map((line) => ({
      ...line,
      source_ref: `${at} ${line.source_ref}`,
      lat: line.lat + at / 1000,
      name: `${line.name} ${String.fromCharCode(65 + at)}`,
    })),
  );
  return fileOf(it, copies.flat());
}

function withFrontServer(groups: readonly number[]) {
  const front = { name: "www-data", uid: STRANGER, gid: STRANGER };
  return { ...systemUser(), accountOf: () => front, groupsOf: () => groups };
}

function sizesOf(day: number) {
  const at = isoTime(Date.now() - (10 - day) * DAY_MS);
  return { at, free_bytes: (20 - day) * GIB, ledger_bytes: 0, state_bytes: 0 };
}

const timerStates = (active: string) => (args: readonly string[]) =>
  args
    .filter((arg) => arg.endsWith(".timer"))
    .map((unit) => `Id=${unit}\nLoadState=loaded\nActiveState=${active}\n`)
    .join("\n");

function lastNight(it: Installation, changes: Partial<Parameters<typeof writeNightlyStatus>[1]>): void {
  const night = readNightlyStatus(it.home.nightly);
  if (night === undefined) throw new Error("there was no night");
  writeNightlyStatus(it.home.nightly, { ...night, ...changes });
}

async function enqueue(it: Installation): Promise<void> {
  await using state = await openState(undefined, it.home);
  await state.outbox.enqueue([{ key: "one", kind: "mail", target: "sub_1", payload: "{}" }]);
}

function lateBackup(it: Installation): void {
  const { backed } = JSON.parse(readFileSync(it.home.backupStatus, "utf8"));
  noteBackup(it, { backed: { ...backed, as_of: isoTime(Date.now() - DAY_MS) } });
}

function noteBackup(it: Installation, news: object): void {
  const status = JSON.parse(readFileSync(it.home.backupStatus, "utf8"));
  writeFileSync(it.home.backupStatus, JSON.stringify({ ...status, ...news }));
}
