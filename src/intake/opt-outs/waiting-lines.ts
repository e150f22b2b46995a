import type { OptOutSource } from "../../ledger/matching/intake-store.ts";
import type { NamedPending } from "../../ledger/matching/pending-lines.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type IntakeHashes, readSighting } from "../lines/sighting.ts";
import { cityFinder } from "../places/place.ts";
import { OptOutJudge, type OptOutVerdict } from "./judge.ts";

/** Pending lines by what an opt-out does to them; those that it does not concern are left out. */
export interface JudgedLines {
  readonly refused: readonly NamedPending[];
  readonly review: readonly NamedPending[];
}

/** Holds all pending lines, those of reviewers included, against the opt-outs of a source. */
export function judgedLines(ledger: LedgerWriter, source: OptOutSource, hashes: IntakeHashes): JudgedLines {
  const now = ledger.now();
  const judge = new OptOutJudge(source, hashes, now);
  const cityOf = cityFinder(ledger.intake.cities());
  const verdict = ({ input }: NamedPending): OptOutVerdict => {
    const sighting = readSighting(1, JSON.parse(input), hashes, now);
    const city = cityOf(sighting.cell);
    return city === undefined ? "pass" : judge.judge(sighting, city.slug);
  };
  const refused: NamedPending[] = [];
  const review: NamedPending[] = [];
  for (const line of ledger.pending.all()) {
    const found = verdict(line);
    if (found === "refuse") refused.push(line);
    if (found === "review") review.push(line);
  }
  return { refused, review };
}
