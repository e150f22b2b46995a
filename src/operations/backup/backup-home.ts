import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { z } from "zod";
import { keptRelease, type LastRelease } from "../../build/changes/known-releases.ts";
import { hashOfFile } from "../../build/stages/manifest.ts";
import { currentRelease, treeSizeOf } from "../../build/stages/publish.ts";
import { Environment } from "../../contract/enums.ts";
import { Sha256Hex } from "../../contract/fields.ts";
import {
  assertStoreVersion,
  openDatabaseFile,
  type StoreFormat,
  VERSION_OF_1X,
} from "../../kernel/database-file.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { filesBelow } from "../../kernel/files/durable-file.ts";
import { copyForeignFile, readForeignFile } from "../../kernel/files/foreign-file.ts";
import { MAX_SECRET_BYTES, SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { isoTime } from "../../kernel/time.ts";
import { LEDGER_FORMAT, ledgerDamage } from "../../ledger/database/ledger-file.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { readStateFile, renewGeneration, stateDamage } from "../../state/database/database-file.ts";
import { readStateKey } from "../../state/state-key.ts";

const PAGES_A_STEP = 1000;

/** Whether SQLite says that it cannot read what a database holds. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && "code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
}

/** Copies a database in use, as of one moment, with SQLite's own backup, to one file that only its owner may read. */
export async function copyDatabase(
  from: string,
  to: string,
  onProgress: (pages: number, total: number) => void,
): Promise<void> {
  const source = openDatabaseFile(from, { readonly: true });
  try {
    // Without a read transaction the copy would restart whenever another process writes, and might never end.
    source.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages);
        return PAGES_A_STEP;
      },
    });
  } finally {
    source.close();
  }
  settleDatabase(to);
  chmodSync(to, SECRET_MODE);
}

/** Moves the write-ahead log of a closed database into its file. */
export function settleDatabase(path: string): void {
  const database = openDatabaseFile(path);
  try {
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}

export const BACKUP_FORMAT: StoreFormat = {
  store: "backup",
  version: 1,
  oldest: 1,
  remedy: "restore it with the version that made it",
};
const FILE_NAME = "backup.json";
const MAX_BYTES = 1 << 20;

/** The description of a backup, `backup.json`. */
export const BackupManifest = z.object({
  backup_format: z.int(),
  made_at: z.iso.datetime(),
  environment: Environment,
  origin: z.string(),
  ledger_format: z.int(),
  rows: z.int(),
  tree_size: z.int(),
  signed_head: z
    .string()
    .nullable()
    .describe("The newest checkpoint of the ledger, null before the first seal."),
  state: z.enum(["sqlite", "postgresql", "none"]),
  state_version: z.int().nullable(),
  keys: z
    .boolean()
    .describe("Whether the keys lie in the backup; their hashes are listed where they are kept apart, too."),
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: Sha256Hex })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** Writes the manifest of every file in the folder. */
export async function writeBackupManifest(
  folder: string,
  facts: Omit<BackupManifest, "files" | "backup_format">,
): Promise<BackupManifest> {
  const files: BackupManifest["files"] = {};
  for (const file of filesBelow(folder)) files[relative(folder, file)] = await listedFile(file);
  const manifest = { backup_format: BACKUP_FORMAT.version, ...facts, files };
  putBackupManifest(folder, manifest);
  return manifest;
}

/** Puts a manifest in the place of an earlier one. */
export function putBackupManifest(folder: string, manifest: BackupManifest): void {
  rmSync(join(folder, FILE_NAME), { force: true });
  writeFileSync(join(folder, FILE_NAME), `${JSON.stringify(manifest, null, 2)}\n`, { mode: SECRET_MODE });
}

/** What the manifest says of a file. */
export async function listedFile(path: string): Promise<BackupManifest["files"][string]> {
  return { bytes: statSync(path).size, sha256: await hashOfFile(path) };
}

/** Presence 1.x called the member `format`. */
const Version = z.union([
  z.object({ backup_format: z.int() }).transform((manifest) => manifest.backup_format),
  z.object({ format: z.int() }).transform(() => VERSION_OF_1X),
]);

/** Throws OperatorError for a folder that is no backup, and one of another version. */
export function readBackupManifest(folder: string): BackupManifest {
  const path = join(folder, FILE_NAME);
  if (!existsSync(path)) throw new OperatorError(`${folder}: not a backup: it has no ${FILE_NAME}`);
  const content = parseJson(readForeignFile(folder, FILE_NAME, { maxBytes: MAX_BYTES }).toString("utf8"));
  const version = Version.safeParse(content).data;
  if (version !== undefined) assertStoreVersion(path, BACKUP_FORMAT, version);
  const parsed = BackupManifest.safeParse(content);
  if (!parsed.success || Object.keys(parsed.data.files).some((name) => /(^|\/)\.{0,2}(\/|$)/.test(name)))
    throw damaged(path, "not the manifest of a backup");
  return parsed.data;
}

/** Copies a file of the manifest for its owner only, whatever permissions it has. Throws OperatorError for another content. */
export function copyListed(
  from: { readonly folder: string; readonly name: string },
  to: string,
  { bytes, sha256, mode = SECRET_MODE }: BackupManifest["files"][string] & { readonly mode?: number },
): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    copyForeignFile(from.folder, from.name, to, { maxBytes: bytes, sha256, mode });
  } catch (cause) {
    const path = join(from.folder, from.name);
    if (hasErrorCode(cause, "ENOENT")) throw damaged(path, "missing");
    throw cause instanceof OperatorError ? damaged(cause.message) : cause;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(...problem: readonly string[]): OperatorError {
  return new OperatorError(`${problem.join(": ")}: the backup is damaged; use another one`);
}

export interface BackupOptions {
  readonly stateIsElsewhere: boolean; // in PostgreSQL
  readonly withKeys: boolean;
  /** A new folder, to which the keys go where they are kept apart. */
  readonly keysTo?: string | undefined;
  /** Rows up to there were proved by an earlier backup. 0: every row is, and the whole of both databases is checked. */
  readonly provedRows: number;
  readonly madeAt: number; // ms
  readonly progress: (pages: number, total: number) => void;
}

const TRIES = 3;

/** The original is damaged: another copy would be, too. */
class Damage extends OperatorError {
  constructor(path: string, problem: string) {
    super(
      `${path}: ${problem}: no backup was made. Keep the backups that you have, and run \`presence doctor --full\``,
    );
  }
}

/**
 * Copies what cannot be recreated into an empty folder while the service runs. Keys first, then ledger, then state:
 * - a checkpoint signed meanwhile is in the copied ledger and not yet with the copied keys, as after an interrupted seal;
 * - an opt-out meanwhile is applied in the copied state and not in the copied ledger, as after a kill, and the same command completes it. In the other
 *   order the state would keep a record that the ledger no longer knows.
 * Copies again if the parts still do not belong together, as with a new signing key or a new state. Throws OperatorError for a copy that
 * `restore` would refuse: every row is checked, and both databases.
 */
export async function backupHome(
  home: Home,
  folder: string,
  options: BackupOptions,
): Promise<BackupManifest> {
  for (let tries = TRIES; ; tries -= 1) {
    try {
      return await copyHome(home, folder, options);
    } catch (error) {
      const isFinal = tries === 1 || !(error instanceof OperatorError) || error instanceof Damage;
      if (isFinal) throw explained(error, home, folder);
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    }
  }
}

/** Names the files of the home, because those of the copy are deleted. */
function explained(error: unknown, home: Home, folder: string): unknown {
  if (isDamage(error)) return new Damage(home.root, error.message);
  if (!(error instanceof OperatorError)) return error;
  const message = error.message.replaceAll(copyPaths(folder).stateKey, home.stateKey);
  return new OperatorError(message.replaceAll(folder, home.root), { cause: error });
}

/** The paths of a copy, in which the keys lie together. */
export function copyPaths(folder: string): Home {
  const home = homePaths(folder);
  return { ...home, stateKey: join(home.keys, basename(home.stateKey)) };
}

async function copyHome(home: Home, folder: string, options: BackupOptions): Promise<BackupManifest> {
  const copy = copyPaths(folder);
  if (!existsSync(home.ledger))
    throw new OperatorError(`${home.ledger}: there is no ledger: check PRESENCE_HOME`);
  copyKeys(home, copy.keys);
  await copyDatabase(home.ledger, copy.ledger, options.progress);
  if (!options.stateIsElsewhere) await copyState(home, copy, options.progress);
  for (const input of ["gazetteer", "incidents", "review"] as const)
    if (existsSync(home[input])) copyFileSync(home[input], copy[input]);
  assertLedgerSound(copy, options);
  const facts = checkedFacts(copy, options);
  copyLastRelease(home, copy);
  const manifest = await writeBackupManifest(folder, facts); // with the hashes of keys that go elsewhere
  if (options.keysTo !== undefined) renameSync(copy.keys, options.keysTo);
  else if (!options.withKeys) rmSync(copy.keys, { recursive: true });
  return manifest;
}

/** Copies key files only, without locks and temporary files, and the key of the state with them. */
export function copyKeys({ keys: from, stateKey }: Home, to: string): void {
  if (!existsSync(from)) throw new OperatorError(`${from}: the folder of the keys is missing`);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from)) if (/\.(json|head|next)$/.test(name)) copyKey(from, name, to);
  if (existsSync(stateKey)) copyKey(dirname(stateKey), basename(stateKey), to);
}

/** The key of the state lies in a folder of the server's user. Heads are public. */
function copyKey(from: string, name: string, to: string): void {
  const mode = name.endsWith(".head") ? 0o644 : SECRET_MODE;
  copyForeignFile(from, name, join(to, name), { maxBytes: MAX_SECRET_BYTES, hasNames: true, mode });
}

/** Copies the state, if there is one, as a state of its own, and checks it. Throws OperatorError for a damaged one. */
export async function copyState(
  home: Pick<Home, "state">,
  copy: Pick<Home, "state">,
  progress: BackupOptions["progress"],
): Promise<void> {
  if (!existsSync(home.state)) return;
  mkdirSync(dirname(copy.state), { recursive: true, mode: 0o700 });
  await copyDatabase(home.state, copy.state, progress);
  renewGeneration(copy.state);
  for (const problem of stateDamage(copy.state)) throw new Damage(copy.state, problem);
  settleDatabase(copy.state);
}

/** What lies in the copy, checked as a restore does it. Throws Damage. */
function assertLedgerSound({ ledger }: Home, { provedRows, progress }: BackupOptions): void {
  for (const problem of provedRows === 0 ? ledgerDamage(ledger) : []) throw new Damage(ledger, problem);
  using reader = openLedgerReader(ledger);
  try {
    reader.checkRows({ after: provedRows, rows: Infinity, isLate: () => false, progress });
  } catch (error) {
    throw error instanceof OperatorError ? new Damage(ledger, error.message) : error;
  }
}

/** Throws OperatorError when keys, ledger and state of the copy do not belong together. */
function checkedFacts(
  copy: Home,
  { stateIsElsewhere, withKeys, madeAt }: BackupOptions,
): Omit<BackupManifest, "files" | "backup_format"> {
  const state = readStateFile(copy.state);
  if (state !== undefined) assertStateKey(copy, state.keyCheck);
  using reader = openLedgerReader(copy.ledger, { keysDir: copy.keys });
  reader.assertHoldsHead(copy.keys);
  const head = reader.latestCheckpoint();
  const { environment, origin } = reader.meta;
  const { lastRow } = reader.head();
  const erasure = reader.redactions(lastRow).at(-1)?.id ?? 0;
  if (erasure > (head?.size ?? 0))
    throw new OperatorError(
      `${copy.ledger}: row ${erasure}, an erasure, is not sealed yet, and such a copy cannot be restored: run \`presence seal\`, then the backup again`,
    );
  reader.close();
  settleDatabase(copy.ledger);
  if (existsSync(copy.state)) settleDatabase(copy.state);
  return {
    made_at: isoTime(madeAt),
    environment,
    origin,
    ledger_format: LEDGER_FORMAT.version, // of another one, the reader refuses
    rows: lastRow,
    tree_size: head?.size ?? 0,
    signed_head: head?.note ?? null,
    state: stateIsElsewhere ? "postgresql" : state === undefined ? "none" : "sqlite",
    state_version: state?.version ?? null,
    keys: withKeys,
  };
}

/** The copy of the key may be newer than that of the database, by one rotation. */
function assertStateKey(copy: Home, expected: string): void {
  const { check, previousCheck } = readStateKey(copy);
  if (check !== expected && previousCheck !== expected)
    throw new OperatorError(`${copy.stateKey}: not the key that ${copy.state} was created with`);
}

/** Copies the figures that the next release is compared with, and the current change file, unless the release names rows that were erased since. */
function copyLastRelease(home: Home, copy: Home): void {
  const directory = currentRelease(home);
  if (directory === undefined || treeSizeOf(directory) < lastErasure(copy)) return;
  try {
    const release = keptRelease(directory);
    const last: LastRelease = { figures: release.figures(), changes: release.changes() };
    writeFileSync(copy.lastRelease, JSON.stringify(last), { mode: SECRET_MODE });
  } catch (error) {
    // A build has removed the release meanwhile; the next change file then has nothing to compare with.
    if (!(hasErrorCode(error, "ENOENT") || error instanceof FormatError)) throw error;
  }
}

function lastErasure(copy: Home): number {
  using reader = openLedgerReader(copy.ledger);
  const last = reader.redactions(reader.head().lastRow).at(-1)?.id ?? 0;
  reader.close();
  settleDatabase(copy.ledger);
  return last;
}
