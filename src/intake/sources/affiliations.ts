import type { Merges } from "../../ledger/decisions/merges.ts";
import type { SourceStore } from "../../ledger/sources/source-store.ts";

interface AffiliatedSubject {
  readonly record: number; // ledger row, at the end of merges
  readonly nameKey: string;
}

/** Which principals run which records: they are never independent of them. */
export class Affiliations {
  readonly #known: ReadonlySet<string>;

  /** `merges` as they are in effect: who runs a record runs the one that it went into. */
  constructor(store: Pick<SourceStore, "affiliations">, merges: Pick<Merges, "root">) {
    this.#known = new Set(
      store.affiliations().map(({ principal, subject }) => `${principal} ${rootSubject(subject, merges)}`),
    );
  }

  /** Whether a principal runs a record, or the brand whose name it has. */
  has(principal: string, { record, nameKey }: AffiliatedSubject): boolean {
    if (this.#known.size === 0) return false;
    return (
      this.#known.has(`${principal} ${recordSubject(record)}`) ||
      this.#known.has(`${principal} ${brandSubject(nameKey)}`)
    );
  }
}

function rootSubject(subject: string, merges: Pick<Merges, "root">): string {
  const record = recordOf(subject);
  return record === undefined ? subject : recordSubject(merges.root(record));
}

/** The record of a subject that is one. */
export function recordOf(subject: string): number | undefined {
  const [, row] = /^record (\d+)$/.exec(subject) ?? [];
  return row === undefined ? undefined : Number(row);
}

export function recordSubject(record: number): string {
  return `record ${record}`;
}

export function brandSubject(nameKey: string): string {
  return `name ${nameKey}`;
}
