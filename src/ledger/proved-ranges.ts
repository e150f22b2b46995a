/**
 * Ranges of rows that threads prove. A range is plain data in few large values, which cost little on their way between threads. What
 * rows prove together is left to the thread that puts the ranges together, so what is found does not depend on their number.
 */
import type Database from "better-sqlite3";
import { z } from "zod";
import { OperatorError } from "../kernel/errors.ts";
import { HASH_BYTES } from "../proof/tlog/proof.ts";
import { provedScouts, trustedScouts } from "./disclose.ts";
import type { LedgerRow } from "./rows/rows.ts";
import { everyRow } from "./rows/stored-rows.ts";
import { knownKind, Openings, type RowChain } from "./verified-rows.ts";

export interface RowRange {
  readonly after: number;
  readonly upTo: number;
}

/** Why a range ends early. The class of an error is lost between threads. */
const Failure = z.object({ message: z.string(), isForOperator: z.boolean() });
type Failure = z.infer<typeof Failure>;

export const ProvedRange = z.object({
  after: z.int(),
  kinds: z.array(z.string()), // with the row that failed, if it is there
  acceptedAt: z.instanceof(Float64Array), // of the same rows
  leafHashes: z.instanceof(Uint8Array), // of the proved rows
  bodies: z.string(), // of the same rows, as a JSON array; null: redacted
  failure: Failure.optional(),
});
export type ProvedRange = z.infer<typeof ProvedRange>;

export const ScoutRange = z.object({
  rows: z.array(z.int()),
  principals: z.array(z.string()), // of these rows
  failure: Failure.optional(),
});
export type ScoutRange = z.infer<typeof ScoutRange>;

/** Proves ranges in one read transaction, which ends with the connection. */
export class RangeProver {
  readonly #database: Database.Database;
  readonly #openings: Openings;

  /** `upTo`: the size of the tree; a redaction by a later row does not count. */
  constructor(database: Database.Database, upTo: number) {
    database.exec("BEGIN");
    this.#database = database;
    this.#openings = new Openings(database, upTo);
  }

  rows({ after, upTo }: RowRange): ProvedRange {
    const kinds: string[] = [];
    const times: number[] = [];
    const hashes: Buffer[] = [];
    const bodies: string[] = [];
    const failure = failureOf(() => {
      for (const stored of everyRow(this.#database, after, upTo)) {
        const [, kind, acceptedAt, , leafHash, , body] = stored;
        kinds.push(kind);
        times.push(acceptedAt);
        this.#openings.prove(stored);
        hashes.push(leafHash);
        bodies.push(body ?? "null");
      }
    });
    return {
      after,
      kinds,
      acceptedAt: Float64Array.from(times),
      leafHashes: Buffer.concat(hashes),
      bodies: `[${bodies.join(",")}]`,
      failure,
    };
  }

  /** `areTrusted`: an earlier build has proved the rows. */
  scouts(range: RowRange, { areTrusted }: { readonly areTrusted: boolean }): ScoutRange {
    const rows: number[] = [];
    const principals: string[] = [];
    const scoutsIn = areTrusted ? trustedScouts : provedScouts;
    const failure = failureOf(() => {
      for (const [row, principal] of scoutsIn(this.#database, range)) {
        rows.push(row);
        principals.push(principal);
      }
    });
    return { rows, principals, failure };
  }
}

/** The rows of a range that follow those that the chain has taken. Throws what one thread alone would have thrown. */
export function* rowsOf(range: ProvedRange, chain: RowChain): Generator<LedgerRow> {
  const { after, kinds, acceptedAt, leafHashes, failure } = range;
  const bodies = JSON.parse(range.bodies);
  for (const [at, kind] of kinds.entries()) {
    const id = after + at + 1;
    const time = acceptedAt[at] ?? 0;
    chain.admit(id, kind, time);
    if (at * HASH_BYTES >= leafHashes.length) break;
    const leafHash = Buffer.from(leafHashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
    chain.push(leafHash);
    yield { id, kind: knownKind(id, kind), acceptedAt: time, body: bodies[at] ?? undefined, leafHash };
    chain.assertRoot();
  }
  if (failure !== undefined) throw thrown(failure);
}

/** Scouts by row (see `provedScouts`). */
export function* scoutsOf({ rows, principals, failure }: ScoutRange): Generator<readonly [number, string]> {
  for (const [at, row] of rows.entries()) yield [row, principals[at] ?? ""];
  if (failure !== undefined) throw thrown(failure);
}

function failureOf(work: () => void): Failure | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { message, isForOperator: error instanceof OperatorError };
  }
}

function thrown({ message, isForOperator }: Failure): Error {
  return isForOperator ? new OperatorError(message) : new Error(message);
}
