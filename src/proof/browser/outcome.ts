import { FormatError } from "../tlog/bytes.ts";

/**
 * How a step ended. `failed` is a contradiction in what the site publishes. `could not check` says nothing about the row:
 * something was out of reach. `not checked` had nothing to go by, or came after a step that did not pass. `withdrawn`: the values
 * were erased, and the log is whole without them.
 */
export type State = "passed" | "failed" | "could not check" | "not checked" | "withdrawn";

export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** A step that passed: one or two sentences for people, the values that were compared, and what later steps may rely on. */
export interface Passed<Found> {
  readonly says: string;
  readonly facts: readonly Fact[];
  readonly found: Found;
}

export interface StepReport {
  readonly step: StepName;
  readonly state: State;
  readonly says: string;
  readonly facts: readonly Fact[];
  readonly files: readonly string[]; // addresses that were read
}

/** Ends a step, and with it the check, in another state than `passed`. The message is for people. */
export class Stop extends Error {
  readonly state: Exclude<State, "passed">;
  readonly facts: readonly Fact[];

  constructor(state: Exclude<State, "passed">, message: string, facts: readonly Fact[] = []) {
    super(message);
    this.name = "Stop";
    this.state = state;
    this.facts = facts;
  }
}

/** Runs a check of published values: where it finds that they contradict each other, the step ends with them as `failed`. */
export function withFacts<Found>(facts: readonly Fact[], check: () => Found): Found {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new Stop("failed", `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`, facts);
  }
}

const SHOWN = 8;

/** The ends of a long hash or key, for a sentence; the whole of it belongs into the facts. */
export function shortened(text: string): string {
  return text.length <= 2 * SHOWN + 1 ? text : `${text.slice(0, SHOWN)}…${text.slice(-SHOWN)}`;
}

export interface Verdict {
  readonly state: "passed" | "passed in part" | "withdrawn" | "failed" | "could not check";
  readonly says: string;
}

/** The conclusion from the reports of all steps; it claims no more than they checked. */
export function verdictOf({ row, knownKey }: Question, reports: readonly StepReport[]): Verdict {
  const stop = reports.find(({ state }) => state !== "passed");
  if (stop?.state === "failed")
    return {
      state: "failed",
      says: `Row ${row} did not pass the step “${titleOf(stop)}”. ${stop.says} ${UNTIL_EXPLAINED}`,
    };
  const passed = new Set(reports.filter(({ state }) => state === "passed").map(({ step }) => step));
  if (!passed.has("path"))
    return {
      state: "could not check",
      says: `Row ${row} could not be checked. ${stop?.says ?? ""} ${NO_FINDING}`,
    };
  const signer = knownKey === "" ? "this site's key" : "the key that you entered";
  const stands = `Row ${row} is in the tree signed by ${signer}`;
  const consistent = knownKey === "" ? ` ${SAME_SITE}` : "";
  if (stop?.state === "withdrawn")
    return { state: "withdrawn", says: `${stands}. ${stop.says}${consistent}` };
  if (!passed.has("disclosure"))
    return { state: "passed in part", says: `${stands}. Its contents were not checked.${consistent}` };
  if (!passed.has("published"))
    return {
      state: "passed in part",
      says: `${stands}, and the text below matches its fingerprint. The record's list was not checked.${consistent}`,
    };
  if (!passed.has("related"))
    return {
      state: "passed in part",
      says: `${stands}, the text below matches its fingerprint, and the record's list matches the row. Record, asset and changes were not checked. ${stop?.says ?? ""}${consistent}`,
    };
  const related = reports.find(({ step }) => step === "related")?.says ?? "";
  return {
    state: "passed",
    says: `${stands}, the text below matches its fingerprint, and the record's list matches. ${related}${consistent}`,
  };
}

const UNTIL_EXPLAINED = "Do not rely on this row until that is explained.";
const NO_FINDING = "This says nothing for or against the row.";
const SAME_SITE =
  "The key also came from this site, so this shows only that the site is consistent with itself.";

function titleOf({ step }: StepReport): string {
  return STEPS.find(({ name }) => name === step)?.title ?? step;
}

/** What a reader asks: which row, listed under which record, and by which key. */
export interface Question {
  readonly row: number;
  readonly record: string; // public id; "" when none is named
  readonly knownKey: string; // a verification key known from elsewhere; "" for none
}

/** Where the links of observations lead, and what the address says again while the page is open. */
export function verifyAddress(row: number | string, record: string): string {
  const address = `/verify/?row=${row}`;
  return record === "" ? address : `${address}&record=${record}`;
}

const ROW = /^[1-9][0-9]{0,14}$/;
const RECORD = /^[A-Za-z0-9_-]{0,80}$/; // one segment of an address, so that no other file is read

/** The question in three texts, or what is wrong with them, as a sentence. */
export function readQuestion(row: string, record: string, knownKey: string): Question | string {
  const texts = { row: row.trim(), record: record.trim(), knownKey: knownKey.trim() };
  if (!ROW.test(texts.row)) return "The ledger row must be a whole number, starting at 1.";
  if (!RECORD.test(texts.record)) return "The record id must contain only letters, digits, - and _.";
  return { row: Number(texts.row), record: texts.record, knownKey: texts.knownKey };
}

/** What is checked about a row, in this order: each step takes only what the ones before it have proved. */
export const STEPS = [
  {
    name: "key",
    title: "Key",
    checks:
      "The public key's id is the hash of its name and bytes. If you entered a key, it is the same key.",
  },
  {
    name: "checkpoint",
    title: "Signed tree head",
    checks: "The key signed the tree's number of rows and root hash.",
  },
  {
    name: "leaf",
    title: "Leaf",
    checks: "The row's entry has the row's number, and its hash is in the tree's lowest tiles.",
  },
  {
    name: "path",
    title: "Inclusion in the tree",
    checks: "The leaf hash and its siblings hash to the signed root.",
  },
  {
    name: "disclosure",
    title: "Disclosure",
    checks: "The published text of the row matches its fingerprint.",
  },
  {
    name: "published",
    title: "Published observation",
    checks: "The record's list of observations matches the row.",
  },
  {
    name: "related",
    title: "Record, asset and changes",
    checks:
      "The rows of the record and the asset, and the rows that the list names as changes, are in the tree and lead to what the list shows.",
  },
] as const;

export type StepName = (typeof STEPS)[number]["name"];
