import { chmodSync, existsSync, mkdirSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { assertStoreVersion } from "../../kernel/database-file.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { copyForeignFile } from "../../kernel/files/foreign-file.ts";
import { SECRET_MODE, SHARED_DATABASE_MODE, SHARED_KEY_MODE } from "../../kernel/files/secret-file.ts";
import type { ProcessUser } from "../../kernel/home.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { type Clock, systemClock } from "../../kernel/time.ts";
import { LEDGER_FORMAT } from "../../ledger/database/ledger-file.ts";
import { openTreeHead } from "../../ledger/keys/key-ring.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import { openLedgerWriter } from "../../ledger/writer.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { isHeld, renewGeneration } from "../../state/database/database-file.ts";
import { openState } from "../../state/open-state.ts";
import { accountOrNumber, homeOwners } from "../home-access.ts";
import { type BackupManifest, copyListed, putBackupManifest, settleDatabase } from "./backup-home.ts";

/** The folders of a home, each of which one user restores. */
export type Part = "night" | "state";

export interface RestoreOptions {
  readonly backup: string; // folder
  readonly manifest: BackupManifest;
  readonly keys: string | undefined; // folder of keys that were kept apart
  readonly published: string | undefined; // the newest published checkpoint
  readonly parts?: readonly Part[];
  /** Whether the group of `state/` uses the state, too. */
  readonly isShared?: boolean;
  readonly clock?: Clock;
  readonly progress: (rows: number, total: number) => void;
}

/** Below `night/`: a backup of the state alone, for the user who may not read the whole one. */
export const STATE_TO_RESTORE = "state-to-restore";

const MAX_HEAD_BYTES = 1 << 16;

/**
 * Restores a home, or parts of one, into an empty folder, and migrates its ledger and state. Each file is opened once and through no link, and checked
 * against the manifest while it is copied. Throws OperatorError for a damaged backup and one of a newer program, keys that do not belong to it, a ledger
 * that does not verify against its checkpoint, and one that is older than the published checkpoint.
 */
export async function restoreHome(folder: string, options: RestoreOptions): Promise<void> {
  const { backup, manifest, parts = ["night", "state"] } = options;
  assertStoreVersion(homePaths(backup).ledger, LEDGER_FORMAT, manifest.ledger_format);
  if (!manifest.keys && options.keys === undefined)
    throw new OperatorError(`${backup}: the backup has no keys: give their folder with --keys`);
  if (parts.includes("night")) restoreNight(homePaths(folder), options);
  if (parts.includes("state")) await restoreState(homePaths(folder), options);
  else handOverState(homePaths(folder), options);
}

function restoreNight(home: Home, options: RestoreOptions): void {
  const { backup, manifest, keys, clock = systemClock } = options;
  for (const name of Object.keys(manifest.files).filter(isOfNight))
    if (keys === undefined || !isHead(name)) copyFromBackup(options, name, join(home.root, name));
  if (keys !== undefined) takeHeads(keys, home.keys);
  if (!existsSync(home.keys)) throw new OperatorError(`${backup}: the backup lists no keys: use another one`);
  // Opening it for writing migrates it.
  openLedgerWriter(home.ledger, { keysDir: home.keys, clock }).close();
  rmSync(`${home.ledger}.lock`, { force: true });
  verifyLedger(home, options);
  settleDatabase(home.ledger);
}

async function restoreState(home: Home, options: RestoreOptions): Promise<void> {
  const { manifest, isShared = false, clock = systemClock } = options;
  mkdirSync(home.stateFolder, { recursive: true });
  chmodSync(home.stateFolder, isShared ? 0o2770 : 0o700);
  for (const name of Object.keys(manifest.files).filter(isOfState)) {
    const [to, mode] = isKeyOfState(name)
      ? [home.stateKey, isShared ? SHARED_KEY_MODE : SECRET_MODE]
      : [join(home.root, name), isShared ? SHARED_DATABASE_MODE : SECRET_MODE];
    copyFromBackup(options, name, to, mode);
  }
  if (!existsSync(home.state)) return;
  await (await openState(undefined, home, { clock })).close();
  renewGeneration(home.state);
  settleDatabase(home.state);
}

/** Leaves the files of the state, and a manifest of them, for the user who restores them. */
function handOverState(home: Home, options: RestoreOptions): void {
  const { manifest } = options;
  if (manifest.state !== "sqlite") return;
  const folder = join(home.night, STATE_TO_RESTORE);
  const listed = Object.entries(manifest.files).filter(([name]) => isOfState(name));
  for (const [name] of listed) copyFromBackup(options, name, join(folder, name));
  putBackupManifest(folder, { ...manifest, keys: true, files: Object.fromEntries(listed) });
}

function copyFromBackup(
  { backup, manifest, keys }: RestoreOptions,
  name: string,
  to: string,
  mode?: number,
): void {
  const listed = manifest.files[name];
  if (listed === undefined) throw new Error(`${name} is not in the manifest`);
  const from =
    keys !== undefined && name.startsWith(KEYS)
      ? { folder: keys, name: basename(name) }
      : { folder: backup, name };
  copyListed(from, to, { ...listed, ...(mode && { mode }) });
}

/** A backup has the key of the state beside those of the ledger. */
const KEYS = "night/keys/";
const isHead = (name: string) => name.startsWith(KEYS) && name.endsWith(".head");
const isKeyOfState = (name: string) => name === `${KEYS}state.key`;
const isOfState = (name: string) => name.startsWith("state/") || isKeyOfState(name);
const isOfNight = (name: string) => name.startsWith("night/") && !isOfState(name);

/** Heads that were kept apart may be newer than the backup. They are public, and signed. */
function takeHeads(from: string, to: string): void {
  if (!existsSync(from)) throw new OperatorError(`--keys ${from}: folder not found`);
  for (const name of readdirSync(from).filter((each) => each.endsWith(".head")))
    copyForeignFile(from, name, join(to, name), { maxBytes: MAX_HEAD_BYTES, mode: SECRET_MODE });
}

function verifyLedger(home: Home, { backup, manifest, published, progress }: RestoreOptions): void {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  const head = reader.latestCheckpoint();
  if ((head?.note ?? null) !== manifest.signed_head)
    throw new OperatorError(
      `${backup}: the newest checkpoint of its ledger is not the one in its manifest; use another backup`,
    );
  reader.assertHoldsHead(home.keys);
  if (published !== undefined) assertNotBehind(reader, published);
  const size = head?.size ?? 0;
  for (const { id } of reader.verifiedRows(size)) if (id % 1000 === 0) progress(id, size);
}

/** Refuses an older copy, from which the log would sign a second history of published rows. */
function assertNotBehind(reader: LedgerReader, published: string): void {
  const head = publishedHead(reader, published);
  const here = reader.latestCheckpoint()?.size ?? 0;
  if (head.size > here)
    throw new OperatorError(
      `the backup has ${here} signed rows, but a checkpoint of ${head.size} rows was published: restore a newer backup. With this one the log would sign a second history of the rows after ${here}`,
    );
  if (head.size > 0 && reader.checkpointAt(head.size)?.root.equals(head.root) !== true)
    throw new OperatorError(
      `the published checkpoint of ${head.size} rows belongs to another copy of this ledger or to another log: restore the backup that belongs to it`,
    );
}

function publishedHead(reader: LedgerReader, published: string) {
  try {
    return openTreeHead(published, reader.keyRing());
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new OperatorError(
      `--published: not a checkpoint signed by the keys of this ledger (${cause.message}): use /ledger/checkpoint of your site. If a newer key signed it, the backup is older than that key: restore a newer backup`,
      { cause },
    );
  }
}

export const PARTS: readonly Part[] = ["night", "state"];

type Machine = Pick<ProcessUser, "uid" | "accountOf">;

/** Throws OperatorError where both folders are other users'. */
export function ownParts(target: string, user: Machine): "whole" | readonly Part[] {
  const waiting = existsSync(target) ? readdirSync(target) : [];
  if (!PARTS.some((part) => waiting.includes(part))) return "whole";
  const { home, state } = homeOwners(homePaths(target));
  const owners = { night: waiting.includes("night") ? home : undefined, state };
  const own = PARTS.filter((part) => owners[part]?.uid === user.uid);
  if (own.length > 0) return own;
  const names = PARTS.flatMap((part) => {
    const owner = owners[part];
    return owner === undefined ? [] : [`${part}/ as ${accountOrNumber(user, owner).name}`];
  });
  throw new OperatorError(`${target}: its folders belong to other users: restore ${names.join(", and ")}`);
}

/** The lines that follow a restore. Each acts as one user alone, so that no folder which another user exchanges leads it elsewhere. */
export function nextSteps(
  target: string,
  parts: "whole" | readonly Part[],
  hasState: boolean,
  user: Machine,
): string[] {
  const end = "Next: presence build, presence verify.";
  if (parts === "whole" || parts.length === PARTS.length) return [end];
  const { home, state } = homeOwners(homePaths(target));
  const as = (owner: typeof home, ...words: readonly string[]) =>
    shellLine([
      "runuser",
      "-u",
      owner === undefined ? "OWNER" : accountOrNumber(user, owner).name,
      "--",
      ...words,
    ]);
  const handedOver = join(target, "night", STATE_TO_RESTORE);
  const remove = `  ${as(home, "rm", "-r", handedOver)}`;
  if (parts.includes("state")) return ["Next, as root:", remove, end];
  if (!hasState) return [end];
  return [
    `The state is not restored yet: it belongs to another user, who may not read the backup. It lies in ${handedOver}. As root:`,
    `  folder=$(${as(state, "mktemp", "-d")})`,
    `  ${as(home, "tar", "-C", handedOver, "-c", ".")} | ${as(state, "tar", "-x", "-C")} "$folder"`,
    `  ${as(state, "presence", "restore")} "$folder" --into ${shellLine([target])}`,
    `  ${as(state, "rm", "-r")} "$folder"`,
    remove,
    end,
  ];
}

const PROCESSES = "/proc";

/**
 * Throws OperatorError when a process has a database of these parts of the home open. A lock is tried on each file that is there: every
 * connection in WAL mode holds a shared one. Of a deleted file, which has no lock to try, Linux names who has it open. Of another user's part
 * nothing could be said: this user may not open it.
 */
export function refuseHeldHome(home: Home, parts: readonly Part[] = PARTS, processes = PROCESSES): void {
  const databases = { night: home.ledger, state: home.state };
  for (const path of parts.map((part) => resolve(databases[part]))) {
    const pids = holdersOf(path, processes);
    if (pids.length === 0 && !(existsSync(path) && isHeld(path))) continue;
    const who = pids.length === 0 ? "another process" : `process ${pids.join(", ")}`;
    throw new OperatorError(
      `${path}: ${who} has it open: stop the server, every worker and the timers, and restore then; what they write would be lost`,
    );
  }
}

/** The processes that this user may look into, except this one. */
function holdersOf(path: string, processes: string): string[] {
  const pids = existsSync(processes) ? readdirSync(processes).filter((name) => /^\d+$/.test(name)) : [];
  const names = new Set([path, `${path} (deleted)`]);
  return pids.filter(
    (pid) =>
      pid !== String(process.pid) && openFiles(join(processes, pid, "fd")).some((file) => names.has(file)),
  );
}

function openFiles(folder: string): string[] {
  try {
    return readdirSync(folder).map((descriptor) => linkTarget(join(folder, descriptor)));
  } catch {
    return []; // another user's, or ended meanwhile
  }
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
}
