/** Threads that compute the cities of a snapshot, while this one finds their facts and writes their rows in order. */
import { InOrder } from "../../kernel/concurrency.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { type BuildInput, type BuildSummary, SnapshotWriting } from "../../snapshot/build.ts";
import type { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import type { CityRows } from "../../snapshot/write/city-rows.ts";
import { CityReport, type CityUnit } from "./threads/city-messages.ts";
import { runWorkers } from "./worker.ts";

/** As `writeSnapshot`, with threads that compute. */
export async function writeInThreads(
  input: BuildInput,
  reader: LedgerReader,
  fold: LedgerFold,
  threads: number,
): Promise<BuildSummary> {
  using writing = new SnapshotWriting(input, reader, fold);
  const cities = new CityDealer(writing);
  const shared = fold.sightings.share();
  const tasks = Array.from({ length: threads }, () => shared);
  await runWorkers(new URL("./threads/city-worker.ts", import.meta.url), tasks, (raw) =>
    cities.deal(CityReport.parse(raw)),
  );
  return writing.finish();
}

class CityDealer {
  readonly #cities: ReturnType<SnapshotWriting["cities"]>;
  readonly #rows: InOrder<CityRows>;
  #dealt = 0;

  constructor(writing: SnapshotWriting) {
    this.#cities = writing.cities();
    this.#rows = new InOrder((rows) => writing.city(rows));
  }

  deal({ unit, rows }: CityReport): CityUnit {
    if (unit !== undefined && rows !== undefined) this.#rows.take(unit, rows);
    const { value, done } = this.#cities.next();
    if (done === true) return "end";
    const { sightings: _, ...task } = value.facts;
    return { unit: this.#dealt++, task, release: value.release };
  }
}
