/** Pages of observations: see `observationPages`. */

import type { RowOf } from "../../kernel/table.ts";
import { packer } from "./packed.ts";
import { OBSERVATIONS_A_PAGE, observationColumns, type observationPages } from "./records.ts";

type Page = RowOf<typeof observationPages.columns>;
type Facts = RowOf<typeof observationColumns>;

/** What a release shows of an observation. */
export interface StoredObservation extends Facts {
  readonly id: number; // ledger row
  readonly ledgerHash: string; // hex
}

/** The same with the hash as bytes, as the fold has it. */
export interface WrittenObservation extends Facts {
  readonly id: number;
  readonly ledgerHash: Uint8Array;
}

const HASH_DIGITS = 64;
const { pack, unpack } = packer(observationColumns);

/** The pages of a record's observations; the first of them has the number `from`. */
export function observationPagesOf(observations: readonly WrittenObservation[], from: number): Page[] {
  const starts = Array.from(
    { length: Math.ceil(observations.length / OBSERVATIONS_A_PAGE) },
    (_, page) => page * OBSERVATIONS_A_PAGE,
  );
  return starts.map((start) => {
    const own = observations.slice(start, start + OBSERVATIONS_A_PAGE);
    return {
      seq: from + start,
      rows: own.map(({ id }) => id),
      facts: pack(own),
      ledgerHashes: Buffer.concat(own.map(({ ledgerHash }) => ledgerHash)),
    };
  });
}

/** The observations of a page in their order. */
export function observationsOn({ rows, facts, ledgerHashes }: Omit<Page, "seq">): StoredObservation[] {
  const hashes = Buffer.from(ledgerHashes).toString("hex");
  return unpack(facts, rows.length).map((observation, at) => ({
    ...observation,
    id: rows[at] ?? 0,
    ledgerHash: hashes.slice(at * HASH_DIGITS, (at + 1) * HASH_DIGITS),
  }));
}
