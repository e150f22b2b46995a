import type Database from "better-sqlite3";
import type { CheckpointType, Environment } from "../../contract/enums.ts";
import { CANONICALIZATION_VERSION, HASH_ALGORITHM } from "../../contract/versions.ts";
import { EMPTY_ROOT, sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson } from "../../kernel/text/json.ts";
import { isoDate, isoTime, utcDayStart } from "../../kernel/time.ts";
import { formatTreeHead } from "../../proof/tlog/note.ts";
import { INDEXED_KINDS } from "../database/tables.ts";
import type { NoteSigner } from "../keys/note.ts";
import { type NewRow, SealBody } from "../rows/rows.ts";
import { storedRows } from "../rows/stored-rows.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { Frontier } from "./merkle.ts";

export interface SealResult {
  readonly seals: readonly SealBody[];
  readonly checkpoint: { readonly size: number; readonly root: string; readonly note: string } | undefined;
  readonly rows: number; // rows that these seals cover
}

/** What sealing needs of the writer, inside one of its transactions. */
export interface SealContext {
  readonly database: Database.Database;
  readonly environment: Environment;
  readonly checkpoints: Checkpoints;
  readonly signer: NoteSigner;
  readonly instant: number; // ms
  readonly lastRow: number;
  append(row: NewRow): { id: number; leafHash: Buffer };
}

/**
 * Closes ranges of rows and signs the tree (design 5): each finished UTC day, then, with `now`, the open rest. Every row but
 * the last seals lies in exactly one range. A range holds at least one row other than seals; a day of seals alone joins the next day.
 * Ranges follow the order of the tree: after an erasure one of an earlier day may follow.
 */
export function sealRows(context: SealContext, options: { readonly now: boolean }): SealResult {
  const previous = lastSeal(context.database)?.body;
  const tree = newestTree(context.checkpoints);
  const { finished, rest } = planRanges(context, previous?.last_observation_id ?? 0, tree);
  const seals: SealBody[] = [];
  const appendSeal = (range: OpenRange, type: CheckpointType, day: number) => {
    const seal = manifest(context, range, type, day, seals.at(-1) ?? previous);
    seals.push(seal);
    const { leafHash } = context.append({ kind: "seal", body: seal });
    tree.push(leafHash);
    return leafHash;
  };
  const today = utcDayStart(context.instant);
  // Rows of an erasure may lie before rows of earlier days: their range closes, although their day is not over.
  const typeOf = ({ day }: OpenRange) => (day < today ? "daily" : "on_demand");
  for (const range of finished) rest.add("seal", appendSeal(range, typeOf(range), range.day));
  if (options.now && rest.hasContent) appendSeal(rest, "on_demand", today);
  return {
    seals,
    checkpoint: seals.length > 0 ? signTree(context, tree) : undefined,
    rows: seals.reduce((sum, seal) => sum + seal.leaf_count, 0),
  };
}

/** Rows in a row, with the tree over them alone. */
class OpenRange {
  readonly tree = new Frontier();
  readonly first: number;
  day = 0;
  lastHash: Buffer = EMPTY_ROOT;
  hasContent = false;

  constructor(first: number) {
    this.first = first;
  }

  add(kind: string, leafHash: Buffer): void {
    this.tree.push(leafHash);
    this.lastHash = leafHash;
    this.hasContent ||= kind !== "seal";
  }
}

/** Pushes the rows that no checkpoint covers yet onto `tree`, and splits those that no seal covers by day. */
function planRanges(
  context: SealContext,
  sealed: number,
  tree: Frontier,
): { finished: OpenRange[]; rest: OpenRange } {
  const finished: OpenRange[] = [];
  let range = new OpenRange(sealed + 1);
  const finish = (next: number) => {
    finished.push(range);
    range = new OpenRange(next);
  };
  for (const [id, kind, acceptedAt, , leafHash] of storedRows(context.database, sealed, context.lastRow)) {
    const day = utcDayStart(acceptedAt);
    if (day !== range.day && range.hasContent) finish(id);
    range.day = day;
    range.add(kind, leafHash);
    if (id > tree.size) tree.push(leafHash);
  }
  if (range.hasContent && range.day < utcDayStart(context.instant)) finish(context.lastRow + 1);
  return { finished, rest: range };
}

function newestTree(checkpoints: Checkpoints): Frontier {
  const newest = checkpoints.latest();
  return newest === undefined ? new Frontier() : Frontier.fromBytes(newest.size, newest.frontier);
}

function manifest(
  { environment, signer, instant }: SealContext,
  range: OpenRange,
  type: CheckpointType,
  day: number,
  previous: SealBody | undefined,
): SealBody {
  const content = {
    canonicalization_version: CANONICALIZATION_VERSION,
    checkpoint_type: type,
    created_at: isoTime(instant),
    date: isoDate(day),
    environment,
    first_observation_id: range.first,
    hash_algorithm: HASH_ALGORITHM,
    last_ledger_hash: range.lastHash.toString("hex"),
    last_observation_id: range.first + range.tree.size - 1,
    leaf_count: range.tree.size,
    merkle_root: range.tree.root().toString("hex"),
    previous_manifest_sha256: previous?.manifest_sha256 ?? null,
    signing_key_id: signer.keyId,
  };
  return { ...content, manifest_sha256: sha256Hex(canonicalJson(content)) };
}

function signTree({ checkpoints, signer, instant }: SealContext, tree: Frontier): SealResult["checkpoint"] {
  const root = tree.root();
  const note = signer.sign(formatTreeHead({ origin: signer.name, size: tree.size, root }));
  checkpoints.insert({
    size: tree.size,
    note,
    root,
    frontier: tree.toBytes(),
    createdAt: instant,
    keyId: signer.keyId,
  });
  return { size: tree.size, root: root.toString("hex"), note };
}

export interface Seal {
  readonly row: number;
  readonly body: SealBody;
}

/** The seal rows up to `upTo`, the earliest first. */
export function seals(database: Database.Database, upTo: number): Seal[] {
  return select(database, "AND id <= ? ORDER BY id").all(upTo).map(parsed);
}

export function lastSeal(database: Database.Database): Seal | undefined {
  const stored = select(database, "ORDER BY id DESC LIMIT 1").get();
  return stored && parsed(stored);
}

/**
 * The last row that a seal covers, or the tree's last when nothing but the seals' own rows comes after it. With a seal that
 * leaves today open, the open rows lie in the tree and are not published (design 5).
 */
export function lastSealedRow(seals: readonly Seal[], treeSize: number): number {
  const covered = seals.at(-1)?.body.last_observation_id ?? 0;
  const own = seals.filter(({ row }) => row > covered).length;
  return covered + own === treeSize ? treeSize : covered;
}

interface StoredSeal {
  readonly row: number;
  readonly body: string;
}

function select(database: Database.Database, tail: string): Database.Statement<unknown[], StoredSeal> {
  return database.prepare<unknown[], StoredSeal>(
    `SELECT row, body FROM rows JOIN openings ON row = id WHERE ${INDEXED_KINDS} AND kind = 'seal' ${tail}`,
  );
}

function parsed({ row, body }: StoredSeal): Seal {
  return { row, body: SealBody.parse(JSON.parse(body)) };
}
