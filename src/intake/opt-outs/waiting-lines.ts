import type { HeldLine } from "../../ledger/matching/intake-traces.ts";
import type { OptOutSource } from "../../ledger/matching/opt-out-list.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type IntakeHashes, readSighting } from "../lines/sighting.ts";
import { cityFinder } from "../places/place.ts";
import { OptOutJudge, type OptOutVerdict } from "./judge.ts";

/** Lines that wait, by what an opt-out does to them; those that it does not concern are left out. */
export interface JudgedLines {
  readonly refused: readonly HeldLine[];
  readonly review: readonly HeldLine[];
}

/** Holds lines that wait against the opt-outs of a source. */
export function judgedLines(
  ledger: LedgerWriter,
  source: OptOutSource,
  hashes: IntakeHashes,
  lines: readonly HeldLine[],
): JudgedLines {
  const now = ledger.now();
  const judge = new OptOutJudge(source, hashes, now);
  const cityOf = cityFinder(ledger.intake.cities());
  const verdict = ({ input }: HeldLine): OptOutVerdict => {
    const sighting = readSighting(1, JSON.parse(input), hashes, now);
    const city = cityOf(sighting.cell);
    return city === undefined ? "pass" : judge.judge(sighting, city.slug);
  };
  const verdicts = Map.groupBy(lines, verdict);
  return { refused: verdicts.get("refuse") ?? [], review: verdicts.get("review") ?? [] };
}
