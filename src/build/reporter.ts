import { appendFileSync } from "node:fs";
import type { Output } from "../kernel/text/terminal.ts";
import { type Clock, isoTime } from "../kernel/time.ts";

type StageProgress = (done: number, total: number) => void;

/** Shows each stage on a terminal, writes one JSON line per stage to the build log, and measures time and memory. */
export interface Reporter {
  stage<T>(name: string, work: (progress: StageProgress) => T | Promise<T>): Promise<T>;
  seconds(): number;
  peakMemoryMb(): number;
}

interface ReporterOptions {
  readonly output: Output;
  readonly logFile: string;
  readonly clock: Clock;
}

export function buildReporter({ output, logFile, clock }: ReporterOptions): Reporter {
  const startedAt = clock();
  const seconds = (since: number) => Math.round((clock() - since) / 10) / 100;
  return {
    async stage(name, work) {
      const stageStart = clock();
      const log = (outcome: string) =>
        appendFileSync(
          logFile,
          `${JSON.stringify({ time: isoTime(clock()), stage: name, outcome, seconds: seconds(stageStart), peak_memory_mb: peakMb() })}\n`,
        );
      try {
        const result = await withProgress({ stderr: output, clock }, name.padEnd(10), work);
        output.write(`${name.padEnd(10)} ${seconds(stageStart).toFixed(2)} s\n`);
        log("ok");
        return result;
      } catch (error) {
        log("failed");
        throw error;
      }
    },
    seconds: () => seconds(startedAt),
    peakMemoryMb: peakMb,
  };
}

/** Peak memory of this process in MB (`ru_maxrss`). */
function peakMb(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

type ProgressUpdate = (done: number, total: number) => void; // total 0: unknown

interface Progress {
  readonly update: ProgressUpdate;
  readonly done: () => void;
}

const WIDTH = 28;
const REDRAW_MS = 100;

/** Runs `work` with a progress bar on a terminal, and without one elsewhere. The bar owns the current line until the end. */
export async function withProgress<T>(
  { stderr, clock }: { readonly stderr: Output; readonly clock: Clock },
  label: string,
  work: (update: ProgressUpdate) => T | Promise<T>,
): Promise<T> {
  const bar = progressBar(stderr, label, clock);
  try {
    return await work(bar.update);
  } finally {
    bar.done();
  }
}

function progressBar(output: Output, label: string, clock: Clock): Progress {
  if (output.redraw === undefined) return { update: () => undefined, done: () => undefined };
  let drawnAt = 0;
  let drawn = false;
  return {
    update(done, total) {
      if (clock() - drawnAt < REDRAW_MS) return;
      drawnAt = clock();
      drawn = true;
      output.redraw?.(barText(label, done, total));
    },
    done() {
      if (drawn) output.redraw?.("");
    },
  };
}

/** `label  [#####-----]  50 %  1,234 of 2,468`; without a known total, the count alone. */
export function barText(label: string, done: number, total: number): string {
  const count = done.toLocaleString("en-US");
  if (total <= 0) return `${label}  ${count}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * WIDTH);
  const bar = "#".repeat(filled) + "-".repeat(WIDTH - filled);
  return `${label}  [${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${count} of ${total.toLocaleString("en-US")}`;
}
