import type { NightlyStatus, StepRecord } from "../../kernel/status-files.ts";
import { type Clock, isoTime, SECOND_MS, utcDayStart } from "../../kernel/time.ts";
import { failureText } from "../failure-text.ts";

type Facts = StepRecord["facts"];

/** One step of the night. It must be repeatable, because a killed night starts it again. */
export interface NightStep {
  readonly name: string;
  /** Whether the night ends when this step fails. */
  readonly isEssential: boolean;
  /** Whether the result of an earlier run of the same night still holds, so that the step is skipped. */
  stillDone?(before: Facts): boolean;
  /** Whether its result waits for the operator, by its facts. */
  isHeld?(facts: Facts): boolean;
  /** Resolves with the facts of the step, or with the reason why there was nothing to do. */
  run(): Promise<Facts | string>;
}

export const EXIT = { done: 0, failed: 1, degraded: 2, held: 3, busy: 75 } as const;

interface NightDeps {
  readonly steps: readonly NightStep[];
  readonly before: NightlyStatus | undefined;
  readonly clock: Clock;
  readonly pid: number;
  readonly save: (status: NightlyStatus) => void;
  readonly say: (line: string) => void;
}

/** Runs the steps in order and saves the outcome of each. Never rejects for a step that fails. */
export async function runSteps({ steps, before, clock, pid, save, say }: NightDeps): Promise<NightlyStatus> {
  const startedAt = clock();
  const started_at = isoTime(startedAt);
  const records: StepRecord[] = [];
  const status = (end: Pick<NightlyStatus, "state" | "exit_code" | "finished_at">): NightlyStatus => {
    const saved = { ...end, pid, started_at, steps: [...records] };
    save(saved);
    return saved;
  };
  const known = doneThisNight(before, startedAt);
  for (const step of steps) {
    records.push({ name: step.name, outcome: "running", seconds: null, facts: {} });
    status({ state: "running", exit_code: null, finished_at: null });
    say(`${step.name} …`);
    const record = await runStep(step, known.get(step.name), clock);
    records.splice(-1, 1, record);
    say(`${step.name}: ${record.outcome}${plainFacts(record.facts)}`);
    if (record.outcome === "failed" && step.isEssential) break;
  }
  const state = outcomeOf(steps, records);
  return status({ state, exit_code: EXIT[state], finished_at: isoTime(clock()) });
}

/** The steps that an earlier run of the same UTC day finished. */
function doneThisNight(before: NightlyStatus | undefined, now: number): Map<string, Facts> {
  if (before === undefined || utcDayStart(Date.parse(before.started_at)) !== utcDayStart(now))
    return new Map();
  return new Map(
    before.steps.filter(({ outcome }) => outcome === "done").map(({ name, facts }) => [name, facts]),
  );
}

async function runStep(step: NightStep, before: Facts | undefined, clock: Clock): Promise<StepRecord> {
  const startedAt = clock();
  const seconds = () => Math.round((clock() - startedAt) / 10) / 100;
  const { name } = step;
  if (before !== undefined && step.stillDone?.(before) === true)
    return {
      name,
      outcome: "done",
      seconds: seconds(),
      facts: { ...before, resumed: "done earlier this night" },
    };
  try {
    const facts = await step.run();
    if (typeof facts === "string")
      return { name, outcome: "skipped", seconds: seconds(), facts: { reason: facts } };
    return { name, outcome: step.isHeld?.(facts) === true ? "held" : "done", seconds: seconds(), facts };
  } catch (error) {
    return { name, outcome: "failed", seconds: seconds(), facts: { error: failureText(error) } };
  }
}

function outcomeOf(
  steps: readonly NightStep[],
  records: readonly StepRecord[],
): "done" | "failed" | "degraded" | "held" {
  const failed = records.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
  if (steps.some(({ name, isEssential }) => isEssential && failed.includes(name))) return "failed";
  if (records.some(({ outcome }) => outcome === "held")) return "held";
  return failed.length === 0 ? "done" : "degraded";
}

function plainFacts(facts: Facts): string {
  const words = Object.entries(facts).map(([name, value]) => `${name.replaceAll("_", " ")} ${value ?? "-"}`);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

/** The outcome as one line, for a text-based monitor. */
export function monitorLine({ state, started_at, finished_at, steps }: NightlyStatus): string {
  const failed = steps.find(({ outcome }) => outcome === "failed");
  const seconds = (Date.parse(finished_at ?? started_at) - Date.parse(started_at)) / SECOND_MS;
  const reason = failed === undefined ? "" : ` step=${failed.name}`;
  return `NIGHTLY ${state.toUpperCase()} seconds=${seconds}${reason}`;
}
