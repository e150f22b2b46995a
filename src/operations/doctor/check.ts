import type { Config } from "../../kernel/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { Home } from "../../kernel/home.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import type { State } from "../../state/open-state.ts";

/** Something that is wrong, and how to mend it. */
export interface Finding {
  readonly problem: string;
  readonly mend: string;
}

/** What the checks look at. They change nothing. */
export interface Patient {
  readonly config: Config;
  readonly home: Home;
  readonly now: number; // ms
  /** Bytes that may still be written where a file lies. */
  readonly freeBytes: (path: string) => number;
  /** Undefined where there is none. Rejects with OperatorError when it cannot be had. */
  readonly openState: () => Promise<State | undefined>;
}

export interface Check {
  readonly name: string;
  find(patient: Patient): Finding[] | Promise<Finding[]>;
}

/** Errors of the program's own parts say what to do themselves, after the colon or semicolon. */
export function findingOf(error: unknown, mend: string): Finding {
  if (!(error instanceof OperatorError)) throw error;
  return { problem: error.message, mend };
}

/** A ledger that cannot be opened is the finding of one check alone. */
export function withLedger({ home }: Patient, find: (reader: LedgerReader) => Finding[]): Finding[] {
  let reader: LedgerReader;
  try {
    reader = openLedgerReader(home.ledger);
  } catch (error) {
    if (error instanceof OperatorError) return [];
    throw error;
  }
  try {
    return find(reader);
  } finally {
    reader.close();
  }
}
