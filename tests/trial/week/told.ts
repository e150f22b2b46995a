import type { EntityResponse } from "../../../src/contract/records/entity.ts";
import type { OperatorIncident } from "../../../src/contract/service/status.ts";

type Counted = Readonly<Partial<Record<"received" | "open" | "upheld" | "not_upheld", number>>>;

/** A review of an observation: what the samples must say of it. */
export interface Verdict {
  readonly accepts: boolean;
  readonly reason: string;
}

/** What a record's document must say since a decision; undefined: it does. */
type Expected = (document: EntityResponse) => string | undefined;

/** What the desk was told to do, kept apart from the ledger: the checks of a release follow from it alone. */
export class Told {
  /** By public id: the record it was merged into. */
  readonly mergedInto = new Map<string, string>();
  /** Public ids that opted out. */
  readonly gone = new Set<string>();
  readonly erasedRows = new Set<number>();
  readonly verdicts = new Map<number, Verdict>();
  incidents: readonly OperatorIncident[] = [];
  /** Rows of reviews that a report led to. */
  readonly disputed: (number | null)[] = [];
  /** What the metrics must count of reports of problems. */
  reports: Counted = {};
  readonly #expected = new Map<string, { readonly publicId: string; readonly fits: Expected }>();

  /** A merge, or one that is turned round. */
  merged(publicId: string, into: string): void {
    this.mergedInto.delete(into);
    this.mergedInto.set(publicId, into);
  }

  /** The record that stays. */
  rootOf(publicId: string): string {
    const into = this.mergedInto.get(publicId);
    return into === undefined ? publicId : this.rootOf(into);
  }

  /** A record that is gone, with all that was merged into it. */
  erased(publicId: string): void {
    const ids = [...this.mergedInto.keys()].filter((id) => this.rootOf(id) === publicId);
    for (const id of [...ids, publicId]) {
      this.mergedInto.delete(id);
      this.gone.add(id);
    }
  }

  /** From the next release on the record says `value` at `what`; a later word about the same replaces it. */
  expect(publicId: string, what: string, read: (document: EntityResponse) => unknown, value: unknown): void {
    const fits = (document: EntityResponse) => {
      const said = read(document);
      return said === value ? undefined : `${what} is ${JSON.stringify(said)}, not ${JSON.stringify(value)}`;
    };
    this.#expected.set(`${publicId} ${what}`, { publicId, fits });
  }

  /** What the published documents do not say as decided. */
  faults(documentOf: (publicId: string) => EntityResponse): string[] {
    return [...this.#expected.values()]
      .filter(({ publicId }) => this.rootOf(publicId) === publicId && !this.gone.has(publicId))
      .flatMap(({ publicId, fits }) => {
        const fault = fits(documentOf(publicId));
        return fault === undefined ? [] : [`${publicId}: ${fault}`];
      });
  }
}
