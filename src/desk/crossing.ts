/**
 * What crosses between the desk and the ledger's user, each way as files that the reader opens once, through no link: the queue and what became of
 * decisions one way, decisions the other. A decision has ids and codes from closed lists, and no text that somebody typed.
 */
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { hasErrorCode, OperatorError } from "../kernel/errors.ts";
import { moveReplacing, replaceFile } from "../kernel/files/durable-file.ts";
import { ForeignFolder, readForeignFile } from "../kernel/files/foreign-file.ts";
import { parseUntrustedJson } from "../kernel/text/json.ts";
import { QUEUE_VERSION, ReviewQueue } from "../review/queue/model.ts";

export type { ReviewQueue };

/** What a reviewer may do: see `needsLead`. Each has one role of the ledger, which is published with its decisions. */
export const DESK_ROLES = ["reviewer", "lead"] as const;
export type DeskRole = (typeof DESK_ROLES)[number];

const LEAD_KINDS: ReadonlySet<string> = new Set(["integrity", "independence"]);
const MAX_ITEMS_OF_REVIEWER = 10;

/** Large groups, and what touches trust in sources, are the lead's to decide. */
export function needsLead(kind: string, items: number): boolean {
  return LEAD_KINDS.has(kind) || items > MAX_ITEMS_OF_REVIEWER;
}

const ACTIONS = ["accept", "reject", "classify", "unflag", "unretire"] as const;

const Id = z.string().regex(/^[0-9a-f]{32}$/);
const Code = z.string().regex(/^[a-z_]{2,40}$/);

const common = {
  format: z.literal(1),
  id: Id,
  at: z.int().nonnegative(), // ms
  by: z.enum(DESK_ROLES),
  reason: Code,
};
/** Ids of items, of groups and of records, and codes of industries. */
const Name = z.string().regex(/^[a-zA-Z0-9_.:~-]{1,200}$/);

/** The closed list of what a desk may ask of the ledger. */
export const DeskDecision = z.discriminatedUnion("kind", [
  z.strictObject({
    ...common,
    kind: z.literal("item"),
    action: z.enum(ACTIONS),
    subject: Name,
    value: Name.nullable(),
    expect: z.int().nonnegative().nullable(),
  }),
  z.strictObject({
    ...common,
    kind: z.literal("group"),
    action: z.enum(ACTIONS),
    subject: Name,
    value: Name.nullable(),
    version: Name,
  }),
]);
export type DeskDecision = z.infer<typeof DeskDecision>;

/** What the ledger made of a decision. */
export const OUTCOMES = ["decided", "already", "waits", "refused"] as const;

const Results = z.strictObject({
  format: z.literal(1),
  results: z.array(
    z.strictObject({
      id: Id,
      outcome: z.enum(OUTCOMES),
      row: z.int().nullable(),
      /** Of a refusal; null once an erasure has emptied the view. */
      message: z.string().max(500).nullable(),
    }),
  ),
});
export type DeskResult = z.infer<typeof Results>["results"][number];

const MAX_DECISION_BYTES = 2048;
const MAX_QUEUE_BYTES = 128 * 2 ** 20;
const MAX_RESULTS_BYTES = 4 * 2 ** 20;
const FILE = /^([0-9a-f]{32})\.json$/;
/** The desk's group reads the view, and the ledger's takes decisions: each folder passes its group on. */
const SHARED_MODE = 0o640;

/** Writes a decision for the ledger's user. It appears whole; the same one may be written again. */
export function writeDecision(folder: string, decision: DeskDecision): void {
  const draft = join(folder, `.${decision.id}`); // hidden names are no decisions
  replaceFile(draft, JSON.stringify(DeskDecision.parse(decision)), SHARED_MODE);
  moveReplacing(draft, join(folder, decisionFile(decision)));
}

export interface ReadDecisions {
  readonly decisions: readonly DeskDecision[]; // in order
  /** Names of files that are none. */
  readonly refused: readonly string[];
}

/** The decisions that lie in a folder that another user writes: of its owner alone, and at most `limit`. */
export function readDecisions(folder: string, limit: number): ReadDecisions {
  if (!existsSync(folder)) return { decisions: [], refused: [] };
  using opened = new ForeignFolder(folder);
  const owner = statSync(opened.path).uid; // of what was opened
  const decisions: DeskDecision[] = [];
  const refused: string[] = [];
  for (const name of readdirSync(opened.path).filter((each) => !each.startsWith("."))) {
    if (decisions.length === limit) break;
    const decision = readDecision(opened.path, name, owner);
    if (decision === undefined) refused.push(name);
    else decisions.push(decision);
  }
  return { decisions: decisions.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)), refused };
}

/** Takes files out of the folder: decisions that are written, and what is none. What is a folder gets a hidden name, for which no unit starts. */
export function removeFiles(folder: string, names: readonly string[]): void {
  using opened = new ForeignFolder(folder);
  for (const name of names) {
    const path = join(opened.path, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      renameSync(path, join(opened.path, `.refused-${randomUUID()}`));
    else rmSync(path, { force: true }); // of a link, the link
  }
}

/** The name of a decision's file. */
export function decisionFile({ id }: Pick<DeskDecision, "id">): string {
  return `${id}.json`;
}

function readDecision(folder: string, name: string, owner: number): DeskDecision | undefined {
  const id = FILE.exec(name)?.[1];
  if (id === undefined) return undefined;
  const assert = ({ uid }: Stats) => {
    if (uid !== owner) throw new OperatorError(`${name}: it is another user's: it is not read`);
  };
  try {
    const text = readForeignFile(folder, name, { maxBytes: MAX_DECISION_BYTES, assert }).toString("utf8");
    const parsed = DeskDecision.safeParse(parsedJson(text));
    return parsed.data?.id === id ? parsed.data : undefined;
  } catch (error) {
    const isNone = ["ENOENT", "EACCES"].some((code) => hasErrorCode(error, code)); // closed to this user: its desk's is not
    if (error instanceof OperatorError || isNone) return undefined;
    throw error;
  }
}

/** Undefined for what is none. */
export function parsedJson(text: string): unknown {
  try {
    return parseUntrustedJson(text);
  } catch {
    return undefined;
  }
}

/** Puts the queue into the view, in place of the one before. */
export function writeQueue(path: string, queue: ReviewQueue): void {
  writeShared(path, JSON.stringify(ReviewQueue.parse(queue)));
}

export function writeResults(path: string, results: readonly DeskResult[]): void {
  writeShared(path, JSON.stringify(Results.parse({ format: 1, results })));
}

function writeShared(path: string, text: string): void {
  replaceFile(path, `${text}\n`, SHARED_MODE);
}

/** Its version alone: the ledger's user, who is trusted, checked the rest, which would halt the desk for 100 ms where 5,000 items wait. */
const OwnQueue = z.custom<ReviewQueue>(
  (value) => z.looseObject({ queue_version: z.literal(QUEUE_VERSION) }).safeParse(value).success,
);

/** Throws OperatorError for something else in its place; undefined where there is none, as while an erasure runs. */
export function readQueue(path: string): ReviewQueue | undefined {
  const text = readView(path, MAX_QUEUE_BYTES);
  return text === undefined ? undefined : checked(path, OwnQueue, text);
}

export function readResults(path: string): readonly DeskResult[] {
  const text = readView(path, MAX_RESULTS_BYTES);
  return text === undefined ? [] : checked(path, Results, text).results;
}

function readView(path: string, maxBytes: number): string | undefined {
  const folder = dirname(path);
  try {
    return readForeignFile(folder, path.slice(folder.length + 1), { maxBytes }).toString("utf8");
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function checked<T>(path: string, schema: z.ZodType<T>, text: string): T {
  const parsed = schema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  throw new OperatorError(
    `${path}: another version of presence wrote it: run \`presence desk view\` with this one`,
  );
}

/** Stands for a file as it is now: another one has another. Undefined where there is none. */
export function generationOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}:${stats.mtimeNs}:${stats.size}`;
}
