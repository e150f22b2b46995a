import { type SilentSource, silentSources } from "../intake/sources/silent-sources.ts";
import type { LedgerReader } from "../ledger/reader.ts";

/** The sources of a ledger that send nothing. */
export function silentSourcesOf(
  reader: LedgerReader,
  { now, days }: { readonly now: number; readonly days: number },
): SilentSource[] {
  const sources = reader
    .sources()
    .map(({ id, state, row }) => ({ id, state, registeredAt: reader.live.acceptedAt(row) ?? now }));
  return silentSources(sources, reader.lastIntake(), { now, days });
}
