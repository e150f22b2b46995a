import { sideBySide } from "../kernel/side-by-side.ts";
import type { Clock } from "../kernel/time.ts";
import { planChecks } from "./plan.ts";
import {
  type Finding,
  type OnlineProvider,
  type OnlineSubject,
  ProviderUnavailable,
  type Signal,
  signalsOf,
} from "./provider.ts";
import { type OnlineVerdict, verdictOf } from "./verdict.ts";

export interface OnlineResult extends OnlineVerdict {
  readonly record: number; // ledger row
  readonly checkedAt: number; // ms
  readonly provider: string; // the names of those that were asked
}

export interface OnlineRunParts {
  readonly subjects: Iterable<OnlineSubject>;
  readonly providers: readonly OnlineProvider[];
  readonly budget: number; // records
  readonly clock: Clock;
  /** Called with some results at a time, as they come; never twice at once. What it throws ends the run. */
  record(results: readonly OnlineResult[]): void | Promise<void>;
  readonly progress?: (done: number, total: number) => void;
}

export interface OnlineRunSummary {
  readonly planned: number;
  readonly detected: number;
  readonly none: number;
  readonly unknown: number;
  /** Planned, but nothing was kept, because a provider that was needed gave out: they stay as they were, and due. */
  readonly left: number;
  readonly unavailable: readonly string[]; // what providers gave out with
}

const SIDE_BY_SIDE = 4;
const BATCH = 25;

/** The subjects that a run would look for now. */
export function plannedChecks({
  subjects,
  providers,
  clock,
  budget,
}: Pick<OnlineRunParts, "subjects" | "providers" | "clock" | "budget">): OnlineSubject[] {
  const known = new Set(providers.flatMap(({ signals }) => signals));
  const askable = Array.from(subjects).filter((subject) =>
    signalsOf(subject).some((signal) => known.has(signal)),
  );
  return planChecks(askable, clock(), budget);
}

/** Looks for the records whose turn it is. Throws what `record` throws; whatever the web does is a result. */
export async function runOnlineChecks(parts: OnlineRunParts): Promise<OnlineRunSummary> {
  const planned = plannedChecks(parts);
  const desk = new Desk(parts.providers);
  const counts = { detected: 0, none: 0, unknown: 0 };
  let waiting: OnlineResult[] = [];
  let done = 0;
  let writing = Promise.resolve();
  const flush = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) writing = writing.then(() => parts.record(batch));
    return writing;
  };
  await sideBySide(planned, SIDE_BY_SIDE, async (subject) => {
    const checked = await desk.check(subject);
    if (checked !== undefined) {
      counts[checked.verdict] += 1;
      waiting.push({ ...checked, record: subject.record, checkedAt: parts.clock() });
    }
    if (waiting.length >= BATCH) await flush();
    done += 1;
    parts.progress?.(done, planned.length);
  });
  await flush();
  const left = planned.length - counts.detected - counts.none - counts.unknown;
  return { planned: planned.length, ...counts, left, unavailable: [...desk.unavailable] };
}

/** Asks the providers, and those that gave out no more. */
class Desk {
  readonly unavailable = new Set<string>();
  readonly #providers: readonly OnlineProvider[];
  readonly #givenOut = new Set<OnlineProvider>();

  constructor(providers: readonly OnlineProvider[]) {
    this.#providers = providers;
  }

  /** Undefined when it cannot be told because a provider gave out, which is not the record's fault. */
  async check(subject: OnlineSubject): Promise<(OnlineVerdict & { readonly provider: string }) | undefined> {
    const findings: Finding[] = [];
    const asked = new Set<string>();
    let isMissing = false;
    for (const signal of signalsOf(subject)) {
      const provider = this.#providers.find(({ signals }) => signals.includes(signal));
      if (provider === undefined) continue;
      const finding = await this.#ask(provider, subject, signal);
      if (finding === undefined) isMissing = true;
      else findings.push(finding);
      asked.add(provider.name);
    }
    const verdict = verdictOf(findings);
    if (isMissing && verdict.verdict !== "detected") return undefined;
    return { ...verdict, provider: [...asked].join(" ") };
  }

  async #ask(provider: OnlineProvider, subject: OnlineSubject, signal: Signal): Promise<Finding | undefined> {
    if (this.#givenOut.has(provider)) return undefined;
    try {
      return await provider.check(subject, signal);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      this.#givenOut.add(provider);
      this.unavailable.add(error.message);
      return undefined;
    }
  }
}
