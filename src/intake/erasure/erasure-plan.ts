import type { RedactionReason } from "../../contract/enums.ts";
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { LiveRows } from "../../ledger/rows/live-rows.ts";
import type { RecordBody, RowKind } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { isBatchName, knownBatch } from "../batches.ts";
import { NEAR_OPT_OUT } from "../lines/name.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { type OptOutPart, type OptOutSubject, partRows, planOptedOut } from "../opt-outs/plan-opt-out.ts";
import {
  lostNamings,
  namingsAfter,
  rewrittenMerges,
  type Scope,
  scopeAround,
  strippedRows,
  withDependents,
} from "./cascade.ts";

/** A request of the operator. `target` is a row id, a record's public id, or the name of a batch. */
export interface ErasureRequest {
  readonly kind: "redaction" | "opt_out"; // what the operator asks for; no row says
  readonly target: string;
  readonly reason: RedactionReason;
  /** Limits an opt-out to one asset or one place of the record. */
  readonly part?: OptOutPart | undefined;
  /** Names that an opt-out refuses, too. */
  readonly also?: readonly string[] | undefined;
}

type Details = Pick<RecordBody, "public_id" | "city"> & { readonly name: string };

/** Everything that an erasure would do, for the operator to confirm. Making a plan changes nothing. */
export type ErasurePlan = ReturnType<typeof plan>;

/** Throws OperatorError for what cannot be erased, with the alternative. */
export function planErasure(ledger: LedgerWriter, request: ErasureRequest): ErasurePlan {
  if (request.kind === "opt_out") return planOptOut(ledger, request);
  if (isBatchName(request.target)) return planBatch(ledger, request);
  return request.reason === "wrong_record"
    ? planWrongRecord(ledger, request)
    : planRedaction(ledger, request);
}

/** Throws OperatorError for a row that cannot be redacted, with the alternative. */
export function planRedaction(ledger: LedgerWriter, request: ErasureRequest): ErasurePlan {
  const { live } = ledger;
  const row = redactable(live, request.target);
  const about = live.recordsAbout(row);
  return plan(ledger, request, { about, scope: scopeAround(live, about), start: new Set([row]) });
}

/** Throws OperatorError when no live record has the public id, or the record has no such asset or place. */
export function planOptOut(ledger: LedgerWriter, request: ErasureRequest): ErasurePlan {
  const { about, scope, group } = wholeRecord(ledger, request.target);
  const { part } = request;
  const start = part === undefined ? group : partRows(part, group, scope, ledger);
  return plan(ledger, request, { about, scope, start: new Set(start), optsOut: group });
}

/** The erasure of a record that is wrong as a whole; nothing is refused afterwards. Throws OperatorError as `planOptOut` does. */
export function planWrongRecord(ledger: LedgerWriter, request: ErasureRequest): ErasurePlan {
  const { about, scope, group } = wholeRecord(ledger, request.target);
  return plan(ledger, request, { about, scope, start: new Set(group) });
}

/** The erasure of all rows of a batch, and of its lines without one. Throws OperatorError for an unknown batch, and for one that has nothing. */
function planBatch(ledger: LedgerWriter, request: ErasureRequest): ErasurePlan {
  const { live, batches } = ledger;
  const { name } = knownBatch(batches, request.target);
  const rows = batches.rowsOf(name);
  const lines = batches.lineIds(name);
  if (rows.length + lines.length === 0)
    throw new OperatorError(
      `batch ${name} has no row and no line: they are erased, or none came in, or it is older than the days for which it is known what came in it`,
    );
  const about = [...new Set(rows.flatMap((row) => live.recordsAbout(row)))];
  const subject = { about, scope: scopeAround(live, about), start: new Set(rows) };
  const planned = plan(ledger, request, subject);
  const code = planCode(live.last(), request, planned.rows);
  return { ...planned, about: undefined, pending: [...planned.pending, ...lines], batch: name, code };
}

/** A record, and all that was merged with it. */
function wholeRecord({ live }: LedgerWriter, publicId: string) {
  const record = recordOf(live, publicId);
  const scope = scopeAround(live, [record]);
  const root = scope.merges.root(record);
  const group = [...scope.records.keys()].filter((id) => scope.merges.root(id) === root);
  return { about: [record], scope, group };
}

/** The erasure of observations whose observers or source leave; the rows that need them go along. */
export function planLeaving(ledger: LedgerWriter, rows: readonly number[]): ErasurePlan {
  const { live } = ledger;
  const about = [...new Set(rows.flatMap((row) => live.recordsAbout(row)))];
  const request = { kind: "redaction", target: "leaving", reason: "privacy_request" } as const;
  return plan(ledger, request, { about, scope: scopeAround(live, about), start: new Set(rows) });
}

interface Subject {
  readonly about: readonly number[]; // the records in question, the one to show first
  readonly scope: Scope;
  readonly start: ReadonlySet<number>; // the rows that the operator means
  readonly optsOut?: readonly number[]; // the records that opt out together
}

function plan(ledger: LedgerWriter, request: ErasureRequest, { about, scope, start, optsOut }: Subject) {
  const { live } = ledger;
  const erased = withDependents(start, scope);
  const merges = rewrittenMerges(scope, start, erased);
  for (const row of merges.rows) erased.add(row);
  const lost = lostNamings(scope, erased);
  for (const { id } of lost) erased.add(id);
  const namings = namingsAfter(ledger, scope, lost, erased);
  const kinds = kindsOf(scope, start, live);
  const rows = [...erased].filter((row) => kinds.has(row)).sort((a, b) => a - b);
  const records = rows.filter((row) => scope.records.has(row));
  const optedOut =
    optsOut &&
    planOptedOut(
      ledger,
      optOutSubject(request, { scope, start, group: optsOut }, erased),
      intakeHashes(ledger.purposeKey),
    );
  return {
    request,
    rows,
    rowsByKind: countedKinds(rows, kinds),
    // Those whose row goes.
    records: records.map((id) => details(scope, id)).filter((known) => known !== undefined),
    about: details(scope, about[0] ?? 0), // the record of a redacted row, whether it stays or goes
    observed: span(scope, erased),
    renamed: namings.renamed,
    optedOut,
    // Ids of pending lines that are deleted, and those that wait for a reviewer from now on.
    pending: (optedOut?.pending.refused ?? []).map(({ id }) => id),
    heldAgain: (optedOut?.pending.review ?? []).map(({ id }) => ({ id, reason: NEAR_OPT_OUT })),
    onlineChecks: live.onlineChecks(records),
    stripped: strippedRows(scope, erased),
    merges: merges.replacements.length, // that are written anew
    replacements: [...merges.replacements, ...namings.rows],
    related: [...scope.records.keys()], // records of which intake learns anew what is left
    batch: undefined as string | undefined, // that is taken back as a whole
    optOuts: optedOut?.entries,
    code: planCode(live.last(), request, rows), // valid until the ledger changes
  };
}

/** Eight digits that stand for the ledger's last row, the request and the rows. */
export function planCode(
  head: { readonly row: number; readonly hash: string },
  { kind, target, reason, part, also = [] }: ErasureRequest,
  rows: readonly number[],
): string {
  const more = [...(part === undefined ? [] : [{ ...part }]), ...also.map((name) => ({ also: name }))];
  return confirmationCode([head.row, head.hash, kind, target, reason, rows, ...more]);
}

function optOutSubject(
  { part, also = [] }: ErasureRequest,
  { scope, start, group }: { scope: Scope; start: ReadonlySet<number>; group: readonly number[] },
  erased: ReadonlySet<number>,
): OptOutSubject {
  const asset = part !== undefined && "asset" in part ? [...start][0] : undefined;
  return { scope, group, erased, asset, isWhole: part === undefined, also };
}

const INSTEAD: Readonly<Partial<Record<RowKind, string>>> = {
  record:
    "a record goes as a whole: use `presence opt-out` with its public id, or `presence redact` with its public id and --reason wrong_record",
  asset: "an asset goes with its last observation: redact its observations",
  naming: "it goes with its record, or with the last row that bears the name it gives",
  city: "a city is public geography: use `presence city unpublish`",
  revisit:
    "it says what was drawn and how much of it was found; an asset that is erased counts there no longer",
  reassign: "it says whose an observation is: take it back with `presence review split NEW-RECORD --undo`",
  seal: "a seal says what was signed, and nothing of anyone",
  redaction: "it says which rows were erased, and nothing of anyone",
  look: "it sums up the looks of everyone in a city: one that a single observer or source made goes with them",
};

function redactable(live: LiveRows, target: string): number {
  const row = /^[1-9]\d{0,14}$/.test(target) ? Number(target) : undefined;
  const known = row === undefined ? undefined : live.find(row);
  if (row === undefined || known === undefined)
    throw new OperatorError(`row ${target}: the ledger has no such row`);
  const instead = INSTEAD[known.kind];
  if (instead !== undefined)
    throw new OperatorError(
      `row ${target} is of kind ${known.kind} and is not redacted by itself: ${instead}`,
    );
  if (known.isLive) return row;
  if (known.erasedBy === undefined)
    throw new OperatorError(
      `row ${target}: its values are gone and no redaction names it: the ledger was changed; restore it from your backup`,
    );
  throw new OperatorError(
    `row ${target} was already erased, by row ${known.erasedBy.id}: if that command was interrupted, run it again as it was, with its code`,
  );
}

function recordOf(live: LiveRows, publicId: string): number {
  const known = live.withPublicId(publicId);
  if (known === undefined)
    throw new OperatorError(
      `${publicId}: no record has this public id: it is wrong, or the record has already opted out (if that command was interrupted, run it again as it was, with its code)`,
    );
  if (known.kind === "record") return known.id;
  throw new OperatorError(
    `${publicId} is the public id of an asset: opt out the record that it belongs to, limited with --asset ${publicId}`,
  );
}

/** A review of something erased lies in no scope, and can be redacted too. */
function kindsOf(
  { records, assets, sightings, decisions }: Scope,
  start: ReadonlySet<number>,
  live: LiveRows,
): Map<number, RowKind> {
  const kinds = new Map<number, RowKind>([
    ...[...records.keys()].map((id) => [id, "record"] as const),
    ...[...assets.keys()].map((id) => [id, "asset"] as const),
    ...sightings.map(({ id }) => [id, "observation"] as const),
    ...decisions.map(({ id, kind }) => [id, kind] as const),
  ]);
  for (const row of start) {
    const kind = kinds.get(row) ?? live.find(row)?.kind;
    if (kind !== undefined) kinds.set(row, kind);
  }
  return kinds;
}

function countedKinds(rows: readonly number[], kinds: ReadonlyMap<number, RowKind>) {
  const counts = new Map<RowKind, number>();
  for (const row of rows) {
    const kind = kinds.get(row);
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const order: RowKind[] = [
    "record",
    "naming",
    "asset",
    "observation",
    "reassign",
    "review",
    "identity",
    "status",
    "recount",
  ];
  return Object.fromEntries(order.flatMap((kind) => (counts.has(kind) ? [[kind, counts.get(kind)]] : [])));
}

function details({ records, namings }: Scope, id: number): Details | undefined {
  const body = records.get(id);
  if (body === undefined) return undefined;
  const { public_id, city } = body;
  return { public_id, name: namings.get(id)?.name ?? public_id, city };
}

/** As public as the observations are. */
function span({ sightings }: Scope, erased: ReadonlySet<number>) {
  const times = sightings.filter(({ id }) => erased.has(id)).map(({ body }) => body.observed_at);
  if (times.length === 0) return undefined;
  times.sort();
  return { first: times[0] ?? "", last: times.at(-1) ?? "" };
}
