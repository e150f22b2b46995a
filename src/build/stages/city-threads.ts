/** Threads that compute the cities of a snapshot, while this one gathers their facts and writes their rows in order. */
import type { LedgerReader } from "../../ledger/reader.ts";
import { type BuildInput, type BuildSummary, SnapshotWriting } from "../../snapshot/build.ts";
import { cityTask } from "../../snapshot/fold/city-facts.ts";
import type { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import type { CityRows } from "../../snapshot/write/city-rows.ts";
import { CityReport, type CityUnit } from "./city-messages.ts";
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
  const tasks = Array.from({ length: threads }, () => null);
  await runWorkers(new URL("./city-worker.ts", import.meta.url), tasks, (raw) =>
    cities.deal(CityReport.parse(raw)),
  );
  return writing.finish();
}

class CityDealer {
  readonly #writing: SnapshotWriting;
  readonly #cities: ReturnType<SnapshotWriting["cities"]>;
  /** Rows that came before those of an earlier city. */
  readonly #early = new Map<number, CityRows>();
  #dealt = 0;
  #written = 0;

  constructor(writing: SnapshotWriting) {
    this.#writing = writing;
    this.#cities = writing.cities();
  }

  deal({ unit, rows }: CityReport): CityUnit {
    if (unit !== undefined && rows !== undefined) this.#early.set(unit, rows);
    this.#write();
    const { value, done } = this.#cities.next();
    if (done === true) return "end";
    return { unit: this.#dealt++, task: cityTask(value.facts), release: value.release };
  }

  #write(): void {
    for (
      let next = this.#early.get(this.#written);
      next !== undefined;
      next = this.#early.get(this.#written)
    ) {
      this.#early.delete(this.#written);
      this.#written += 1;
      this.#writing.city(next);
    }
  }
}
