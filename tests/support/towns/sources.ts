/** The registered sources of invented towns, whose operator vouches for observers. */
import { AssetType, SourceType } from "../../../src/contract/enums.ts";
import { addSource, hashOf } from "../../../src/intake/sources/source-desk.ts";
import type { Clock } from "../../../src/kernel/time.ts";
import { type LedgerWriter, openLedgerWriter } from "../../../src/ledger/writer.ts";
import type { Operator } from "../operations/operator.ts";
import { benchSource } from "./observations.ts";

/** Individual sources of one operator, one of each kind, and the observers whom it vouches for. */
export function registerTownSources(ledger: LedgerWriter, observers: readonly string[]): void {
  for (const kind of SourceType.options)
    addSource(ledger, {
      id: benchSource(kind),
      kind,
      vetting: "individual",
      operator: "bench",
      name: null,
      isNamed: false,
      licence: "invented",
      consent: "invented",
      assetTypes: AssetType.options,
    });
  ledger.transaction(() => {
    for (const observer of observers) {
      const own = hashOf(ledger, { source: benchSource("scout"), observer });
      ledger.sources.putObserver({
        observer: own,
        principal: own,
        isSuspended: false,
        isVouched: true,
        enrolledIn: null,
      });
      ledger.sources.establish(own, 0);
    }
  });
}

/** The same, in an operator's ledger. */
export function registerSourcesOf(
  { home }: Pick<Operator, "home">,
  observers: readonly string[],
  at: string,
): void {
  const clock: Clock = () => Date.parse(at);
  using ledger = openLedgerWriter(home.ledger, { keysDir: home.keys, clock });
  registerTownSources(ledger, observers);
}
