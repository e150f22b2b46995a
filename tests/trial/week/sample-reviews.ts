/** Reviews the nightly samples of the methodology metrics, and compares the metrics with the decisions. */

import type { MethodologyMetrics, MethodologySample } from "../../../src/contract/service/methodology.ts";
import { SAMPLE_REASONS } from "../../../src/method/review-sample.ts";
import type { Reason } from "../../../src/review/moves.ts";
import type { Listed, WeekDesk } from "./desk.ts";
import type { Verdict } from "./told.ts";

/** Verdicts of one day, in turn: most are right, each sample has its own kind of mistake, and one says nothing of either. */
const VERDICTS: readonly { readonly accepts: boolean; readonly reason: Reason }[] = [
  { accepts: true, reason: "picture_clear" },
  { accepts: true, reason: "picture_clear" },
  { accepts: true, reason: "picture_clear" },
  { accepts: false, reason: SAMPLE_REASONS.misread },
  { accepts: false, reason: SAMPLE_REASONS.mismatched },
  { accepts: false, reason: "suspicious_pattern" },
];

/** Reviews the next observations of the last night's samples, and notes what was said of them. */
export async function reviewSamples(desk: WeekDesk, metrics: MethodologyMetrics, day: number): Promise<void> {
  const { ocr_sample, entity_match_sample } = metrics;
  const drawn = new Set([...ocr_sample.observation_rows, ...entity_match_sample.observation_rows]);
  const { verdicts, erasedRows } = desk.told;
  const rows = [...drawn]
    .filter((row) => !verdicts.has(row) && !erasedRows.has(row))
    .slice(0, VERDICTS.length);
  const list = rows.flatMap((row, at): Listed[] => {
    const verdict = VERDICTS[at];
    if (verdict === undefined) return [];
    verdicts.set(row, verdict);
    return [{ action: verdict.accepts ? "accept" : "reject", subject: String(row), reason: verdict.reason }];
  });
  await desk.apply(`samples-${day}.csv`, list);
}

/** Whether the samples say what was decided about their rows. */
export function sampleFaults(
  { ocr_sample, entity_match_sample }: MethodologyMetrics,
  verdicts: ReadonlyMap<number, Verdict>,
): string[] {
  return [
    ...faultsOf("ocr_sample", ocr_sample, SAMPLE_REASONS.misread, verdicts),
    ...faultsOf("entity_match_sample", entity_match_sample, SAMPLE_REASONS.mismatched, verdicts),
  ];
}

function faultsOf(
  name: string,
  sample: MethodologySample,
  mistake: string,
  verdicts: ReadonlyMap<number, Verdict>,
): string[] {
  const found = sample.observation_rows.flatMap((row) => verdicts.get(row) ?? []);
  const correct = found.filter(({ accepts }) => accepts).length;
  const wrong = found.filter(({ accepts, reason }) => !accepts && reason === mistake).length;
  const expected = { reviewed: correct + wrong, correct, undecided: found.length - correct - wrong };
  return Object.entries(expected)
    .filter(([member, count]) => sample[member] !== count)
    .map(([member, count]) => `${name}: ${member} is ${JSON.stringify(sample[member])}, not ${count}`);
}
