import { FormatError } from "../tlog/bytes.ts";
import type { StepName } from "./steps.ts";

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
