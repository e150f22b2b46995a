import { sideBySide } from "../kernel/concurrency.ts";
import type { Clock } from "../kernel/time.ts";
import {
  type Finding,
  type OnlineProvider,
  type OnlineSubject,
  ProviderUnavailable,
  type Signal,
  signalsOf,
} from "./provider.ts";
import { type OnlineVerdict, planChecks, verdictOf } from "./signals.ts";

export interface OnlineResult extends OnlineVerdict {
  readonly record: number; // ledger row
  readonly checkedAt: number; // ms
  readonly provider: string; // the names of those that were names
}

export interface OnlineRunDeps {
  readonly subjects: Iterable<OnlineSubject>;
  readonly providers: readonly OnlineProvider[];
  readonly budget: number; // records
  readonly clock: Clock;
  /** Called with some results at a time, as they come; never twice at once. What it throws ends the run. */
  record(results: readonly OnlineResult[]): void | Promise<void>;
  readonly progress?: (done: number, total: number) => void;
}

/**
 * Counts of a run. `left`: planned but not kept, because a provider that was needed became unavailable; they stay due.
 * `unavailable`: messages of unavailable providers.
 */
export type OnlineRunSummary = Awaited<ReturnType<typeof runOnlineChecks>>;

const SIDE_BY_SIDE = 4;
const BATCH = 25;

/** The subjects that a run would look for now. */
export function plannedChecks({
  subjects,
  providers,
  clock,
  budget,
}: Pick<OnlineRunDeps, "subjects" | "providers" | "clock" | "budget">): OnlineSubject[] {
  const known = new Set(providers.flatMap(({ signals }) => signals));
  const askable = Array.from(subjects).filter((subject) =>
    signalsOf(subject).some((signal) => known.has(signal)),
  );
  return planChecks(askable, clock(), budget);
}

/** Looks for the records that are due. Throws what `record` throws; every failure of the web is a result. */
export async function runOnlineChecks(deps: OnlineRunDeps) {
  const planned = plannedChecks(deps);
  const desk = new Desk(deps.providers);
  const counts = { detected: 0, none: 0, unknown: 0 };
  let waiting: OnlineResult[] = [];
  let done = 0;
  let writing = Promise.resolve();
  const flush = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) writing = writing.then(() => deps.record(batch));
    return writing;
  };
  await sideBySide(planned, SIDE_BY_SIDE, async (subject) => {
    const checked = await desk.check(subject);
    if (checked !== undefined) {
      counts[checked.verdict] += 1;
      waiting.push({ ...checked, record: subject.record, checkedAt: deps.clock() });
    }
    if (waiting.length >= BATCH) await flush();
    done += 1;
    deps.progress?.(done, planned.length);
  });
  await flush();
  const left = planned.length - counts.detected - counts.none - counts.unknown;
  return { planned: planned.length, ...counts, left, unavailable: [...desk.unavailable] };
}

/** Asks the providers, and skips those that became unavailable. */
class Desk {
  readonly unavailable = new Set<string>();
  readonly #providers: readonly OnlineProvider[];
  readonly #stopped = new Set<OnlineProvider>();

  constructor(providers: readonly OnlineProvider[]) {
    this.#providers = providers;
  }

  /** Undefined when a provider that was needed became unavailable. */
  async check(subject: OnlineSubject): Promise<(OnlineVerdict & { readonly provider: string }) | undefined> {
    const findings: Finding[] = [];
    const names = new Set<string>();
    let isMissing = false;
    for (const signal of signalsOf(subject)) {
      const provider = this.#providers.find(({ signals }) => signals.includes(signal));
      if (provider === undefined) continue;
      const finding = await this.#ask(provider, subject, signal);
      if (finding === undefined) isMissing = true;
      else findings.push(finding);
      names.add(provider.name);
    }
    const verdict = verdictOf(findings);
    if (isMissing && verdict.verdict !== "detected") return undefined;
    return { ...verdict, provider: [...names].join(" ") };
  }

  async #ask(provider: OnlineProvider, subject: OnlineSubject, signal: Signal): Promise<Finding | undefined> {
    if (this.#stopped.has(provider)) return undefined;
    try {
      return await provider.check(subject, signal);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      this.#stopped.add(provider);
      this.unavailable.add(error.message);
      return undefined;
    }
  }
}
