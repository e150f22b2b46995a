import { appendFileSync } from "node:fs";
import type { Output } from "../kernel/text/terminal.ts";
import { type Clock, isoTime } from "../kernel/time.ts";
import { withProgress } from "./progress.ts";

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
