import type { Config } from "../../kernel/config/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { Home, ProcessUser } from "../../kernel/home.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import type { State } from "../../state/open-state.ts";
import type { Ask, AskCertificate } from "./ask.ts";

/** Only a problem fails the doctor. `not set up`: `mend` names the page to read; `note`: nothing is to be done. */
export type Level = "problem" | "warning" | "not set up" | "note";

/** A problem and its remedy. */
export interface Finding {
  readonly problem: string;
  readonly mend: string;
  readonly level?: Level; // a problem where none is given
}

export function levelOf({ level = "problem" }: Finding): Level {
  return level;
}

/** A part of a real service that nobody set up. */
export function notSetUp(isMissing: boolean, problem: string, page: string): Finding[] {
  return isMissing ? [{ problem, mend: page, level: "not set up" }] : [];
}

/** What the checks read. They change nothing. */
export interface CheckContext {
  readonly config: Config;
  readonly home: Home;
  readonly now: number; // ms
  /** Checks everything, however long it takes; otherwise a share where everything would take long. */
  readonly isFull: boolean;
  readonly user: ProcessUser;
  /** The server's systemd unit, which need not be there. */
  readonly serverUnit: string;
  /** The standard output of `systemctl` with these arguments; undefined where systemd does not answer. */
  readonly systemctl: (args: readonly string[]) => string | undefined;
  readonly ask: Ask;
  readonly askCertificate: AskCertificate;
  /** Folder of the service's settings and secrets, which need not be there. */
  readonly settingsFolder: string;
  /** Free bytes on the disk of a path. */
  readonly freeBytes: (path: string) => number;
  /** Undefined if there is no state. Rejects with OperatorError when it cannot be opened. */
  readonly openState: () => Promise<State | undefined>;
}

export type Check = (context: CheckContext) => Iterable<Finding> | AsyncIterable<Finding>;

export const NIGHTLY = "run `presence nightly`, and check that its timer runs (systemctl list-timers)";

export function findingIf(isWrong: boolean, problem: string, mend: string): Finding[] {
  return isWrong ? [{ problem, mend }] : [];
}

/** The message of an OperatorError as a finding; other errors are thrown again. */
export function findingOf(error: unknown, mend: string): Finding {
  if (!(error instanceof OperatorError)) throw error;
  return { problem: error.message, mend };
}

/** The OperatorError of `work` as a finding. */
export function attempt(work: () => void, mend: string): Finding[] {
  try {
    work();
    return [];
  } catch (error) {
    return [findingOf(error, mend)];
  }
}

type LedgerCheck = (reader: LedgerReader, context: CheckContext) => Iterable<Finding>;

/** A check that reads the ledger. It finds nothing in a ledger that cannot be opened, which the check of the file reports. */
export function ofLedger(find: LedgerCheck): (context: CheckContext) => Generator<Finding> {
  return function* (context) {
    let reader: LedgerReader;
    try {
      reader = openLedgerReader(context.home.ledger);
    } catch (error) {
      if (error instanceof OperatorError) return;
      throw error;
    }
    try {
      yield* find(reader, context);
    } finally {
      reader.close();
    }
  };
}

/** A check that only a ledger of real data needs. */
export function ofRealLedger(find: LedgerCheck): (context: CheckContext) => Generator<Finding> {
  return ofLedger((reader, context) =>
    reader.meta.environment === "production" ? find(reader, context) : [],
  );
}

/** Reads the state. Finds nothing in one that cannot be opened, which the check of the state reports. */
export async function withState(
  { openState }: CheckContext,
  find: (state: State) => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    await using state = await openState();
    return state === undefined ? [] : await find(state);
  } catch (error) {
    if (error instanceof OperatorError) return [];
    throw error;
  }
}
