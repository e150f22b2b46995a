import { parentPort, workerData } from "node:worker_threads";
import { openLedgerReader } from "../../ledger/reader.ts";
import { readEarlierSite } from "../earlier-site.ts";
import { BuildEffects } from "../effects.ts";
import { writeLedgerFiles } from "../ledger/ledger-files.ts";
import { type LedgerMessage, LedgerTask } from "./ledger.ts";

const { ledgerPath, site, earlierSite, ...task } = LedgerTask.parse(workerData);
const send = (message: LedgerMessage) => parentPort?.postMessage(message);

using reader = openLedgerReader(ledgerPath);
const earlier = readEarlierSite(earlierSite);
const effects = new BuildEffects(site, earlier);
writeLedgerFiles({ ...task, reader, effects, earlier }, (done, total) => send({ done, total }));
send(effects.drain());
