import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";

/** What an audit checked, and the faults that it found. Only the audit writes to it. */
export interface Fault {
  readonly subject: string; // `row 17`, `checkpoint 4096` or a file's path
  readonly problem: string;
}

/** What a part of an audit found, as plain data. */
export interface Found {
  readonly faults: readonly Fault[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Why rows were erased is private: nothing public proves the counts that the operator states. */
export const REASONS_UNCHECKED = "redactions, their reasons not checkable";

export const MADE_DOCUMENTS = "documents made on demand";

/** From the frame of a release to its files: how a report reads best. */
const ORDER: readonly string[] = [
  "signing keys",
  "signed tree heads",
  "leaves",
  "disclosures",
  "seals",
  "redactions",
  REASONS_UNCHECKED,
  "redacted rows",
  "rows that wait for a seal",
  "tiles and bundles",
  "timestamps",
  "timestamps, their signers unchecked",
  "files",
  "databases",
  MADE_DOCUMENTS,
];

export class Findings {
  readonly faults: Fault[] = [];
  readonly #checked = new Map<string, number>();

  fault(subject: string, problem: string): void {
    this.faults.push({ subject, problem });
  }

  /** Adds to how many things of a kind were checked. */
  checked(what: string, count = 1): void {
    this.#checked.set(what, (this.#checked.get(what) ?? 0) + count);
  }

  /** Adds what a part of the audit found elsewhere. */
  take({ faults, counts }: Found): void {
    for (const fault of faults) this.faults.push(fault);
    for (const [what, count] of Object.entries(counts)) this.checked(what, count);
  }

  /** As plain data. */
  found(): Found {
    return { faults: this.faults, counts: this.counts() };
  }

  /** In the order of ORDER, whichever part of the audit came to its things first; what is not in it comes last. */
  counts(): Readonly<Record<string, number>> {
    const place = (what: string) => (ORDER.includes(what) ? ORDER.indexOf(what) : ORDER.length);
    return Object.fromEntries([...this.#checked].sort(([a], [b]) => place(a) - place(b)));
  }

  /** Runs a check whose own errors are faults of `subject`; undefined when it failed. Throws OperatorError when it could not be made. */
  async attempt<T>(subject: string, check: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      return this.#failed(subject, error);
    }
  }

  /** The same for a check that waits for nothing. */
  attemptNow<T>(subject: string, check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      return this.#failed(subject, error);
    }
  }

  #failed(subject: string, error: unknown): undefined {
    if (error instanceof OperatorError) throw error;
    this.fault(subject, problemOf(error));
    return undefined;
  }
}

/** In one line, because each fault is one. */
export function problemOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll(/\s*\n\s*/g, " ");
  return error instanceof Error ? error.message : String(error);
}
