import { openLedgerReader } from "../../../ledger/reader.ts";
import { BuildEffects, readEarlierSite } from "../../effects.ts";
import { writeLedgerFiles } from "../../ledger/ledger-files.ts";
import { type LedgerMessage, LedgerTask } from "../ledger.ts";
import type { TaskModule } from "../tasks.ts";

/** Writes the files below `ledger/`. */
export const run: TaskModule["run"] = (raw, send: (message: LedgerMessage) => void) => {
  const { ledgerPath, site, earlierSite, ...task } = LedgerTask.parse(raw);
  using reader = openLedgerReader(ledgerPath);
  const earlier = readEarlierSite(earlierSite);
  const effects = new BuildEffects(site, earlier);
  writeLedgerFiles({ ...task, reader, effects, earlier }, (done, total) => send({ done, total }));
  send(effects.drain());
};
