import type Database from "better-sqlite3";
import { z } from "zod";
import { OnlinePresence, SignalType } from "../contract/enums.ts";
import { OperatorError } from "../kernel/errors.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { selection } from "../kernel/table.ts";
import { SECOND_MS } from "../kernel/time.ts";
import { onlineChecks as checks, externalProofs as proofs } from "./database/tables.ts";

/** Results of looking for a record on the public web. They lie outside the tree: no citation and no score depends on them. */
export const OnlineCheck = z.object({
  record: z.int().positive(),
  checkedAt: z.int().nonnegative(), // ms
  verdict: OnlinePresence,
  signalTypes: z.array(SignalType),
  matchCount: z.int().nonnegative(),
  provider: z.string().min(1),
});
export type OnlineCheck = z.infer<typeof OnlineCheck>;

const CHECK = selection(checks.columns, "id");

/** Throws ZodError for a malformed check, and SQLite's constraint error for a record that does not exist. */
export function insertOnlineCheck(database: Database.Database, check: OnlineCheck): void {
  const { record, checkedAt, verdict, signalTypes, matchCount, provider } = OnlineCheck.parse(check);
  database
    .prepare(
      "INSERT INTO online_checks (record, checked_at, verdict, signal_types, match_count, provider) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .run(record, checkedAt, verdict, JSON.stringify(signalTypes), matchCount, provider);
}

/** Checks made up to and including `upTo` (ms), the earliest first. */
export function onlineChecks(database: Database.Database, upTo: number): OnlineCheck[] {
  return CHECK.prepare<[number]>(
    database,
    "FROM online_checks WHERE checked_at <= ? ORDER BY checked_at, id",
  ).all(upTo);
}

/** Checks that may be published: of live records that a seal covers, that is up to row `sealed`. The earliest first. */
export function* publishedOnlineChecks(
  database: Database.Database,
  upTo: number,
  sealed: number,
): Generator<OnlineCheck> {
  const isLive = database.prepare<[number], number>("SELECT 1 FROM openings WHERE row = ?").pluck();
  for (const check of onlineChecks(database, upTo))
    if (check.record <= sealed && isLive.get(check.record) === 1) yield check;
}

/** A line of `online-checks.ndjson`. Who made the check stays private. */
export const PublishedCheck = z.strictObject({
  record: OnlineCheck.shape.record, // ledger row
  checked_at: z.iso.datetime(),
  verdict: OnlinePresence,
  signal_types: OnlineCheck.shape.signalTypes,
  match_count: OnlineCheck.shape.matchCount,
});

export function publishedCheckLine(check: OnlineCheck): string {
  const line: z.infer<typeof PublishedCheck> = {
    record: check.record,
    checked_at: new Date(check.checkedAt).toISOString(),
    verdict: check.verdict,
    signal_types: check.signalTypes,
    match_count: check.matchCount,
  };
  return `${JSON.stringify(line)}\n`;
}

/** The last check of each record up to `upTo` (ms), by record. */
export function latestOnlineChecks(database: Database.Database, upTo: number): Map<number, OnlineCheck> {
  return new Map(onlineChecks(database, upTo).map((check) => [check.record, check]));
}

/**
 * Proofs by a third party that a signed tree head existed at a time, at most one for each checkpoint. They lie outside the tree, and
 * a checkpoint is valid without one. A verified proof never changes.
 */

const ExternalProof = z.object({
  size: z.int().positive(), // of the checkpoint
  provider: z.string(), // host of the authority asked
  status: z.enum(["pending", "verified", "failed"]),
  token: z.instanceof(Buffer).nullable(), // DER of the whole RFC 3161 answer, once verified
  sha256: z.string().nullable(), // of the token, hex
  verifiedAt: z.int().nullable(), // ms, whole seconds
  requestedAt: z.int(), // ms, whole seconds
  attemptedAt: z.int().nullable(), // ms, whole seconds; of the answer, once there was one
});
export type ExternalProof = z.infer<typeof ExternalProof>;

const PROOF = selection(proofs.columns);

/**
 * The proofs as they stood at `asOf` (ms), the smallest checkpoint first: a proof answered later is pending, a proof requested
 * later is absent. Throws OperatorError for a token that is not the one recorded.
 */
export function externalProofs(database: Database.Database, asOf: number): ExternalProof[] {
  return PROOF.prepare<[number]>(database, "FROM external_proofs WHERE requested_at <= ? ORDER BY size")
    .all(asOf)
    .map((row) => standingAt(whole(ExternalProof.parse(row)), asOf));
}

function whole(proof: ExternalProof): ExternalProof {
  const isVerified = proof.status === "verified";
  const hash = proof.token && sha256Hex(proof.token);
  if (isVerified === (hash !== null) && hash === proof.sha256 && isVerified === (proof.verifiedAt !== null))
    return proof;
  throw new OperatorError(
    `external proof of checkpoint ${proof.size}: not the one that was verified: the ledger was changed; restore it from your backup`,
  );
}

function standingAt(proof: ExternalProof, asOf: number): ExternalProof {
  if (proof.status === "pending" || (proof.attemptedAt ?? 0) <= asOf) return proof;
  return { ...proof, status: "pending", token: null, sha256: null, verifiedAt: null, attemptedAt: null };
}

/** A checkpoint that waits for its proof. */
export interface Unproven {
  readonly size: number;
  readonly note: string; // the bytes to be proved
}

/** The newest first. */
export function unprovenCheckpoints(database: Database.Database, limit: number): Unproven[] {
  return database
    .prepare<[number], Unproven>(
      `SELECT size, note FROM external_proofs JOIN checkpoints USING (size)
       WHERE status <> 'verified' ORDER BY size DESC LIMIT ?`,
    )
    .all(limit);
}

/** Requests a proof of the newest checkpoint, unless it was requested before. */
export function requestNewestProof(database: Database.Database, provider: string, time: number): void {
  database
    .prepare(
      `INSERT INTO external_proofs (size, provider, status, requested_at)
       SELECT max(size), ?, 'pending', ? FROM checkpoints
       HAVING max(size) IS NOT NULL AND max(size) NOT IN (SELECT size FROM external_proofs)`,
    )
    .run(provider, wholeSecond(time));
}

/** The outcome of a request: a verified token, an answer that proves nothing, or (`pending`) no answer. */
export type ProofOutcome = { readonly size: number; readonly provider: string } & (
  | { readonly status: "verified"; readonly token: Buffer }
  | { readonly status: "failed" | "pending" }
);

/** Keeps a verified proof permanently; without an answer the last outcome stays. */
export function recordProof(database: Database.Database, outcome: ProofOutcome, time: number): void {
  const { size, provider, status } = outcome;
  const at = wholeSecond(time);
  if (status === "pending") {
    database
      .prepare("UPDATE external_proofs SET attempted_at = ? WHERE size = ? AND status = 'pending'")
      .run(at, size);
    return;
  }
  const token = status === "verified" ? outcome.token : null;
  database
    .prepare(
      `UPDATE external_proofs
       SET provider = ?, status = ?, token = ?, sha256 = ?, verified_at = ?, attempted_at = ?
       WHERE size = ? AND status <> 'verified'`,
    )
    .run(provider, status, token, token && sha256Hex(token), token && at, at, size);
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}
