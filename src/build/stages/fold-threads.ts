/**
 * Threads that prove the rows of a ledger while this one folds them. Ranges are folded in the order of the rows, so that neither the
 * fold nor what is found wrong depends on the number of threads.
 */
import { availableParallelism } from "node:os";
import { InOrder } from "../../kernel/concurrency.ts";
import { type RowRange, rowsOf, scoutsOf } from "../../ledger/proved-ranges.ts";
import { type LedgerReader, openLedgerReader } from "../../ledger/reader.ts";
import type { LedgerRow } from "../../ledger/rows/rows.ts";
import type { RowChain } from "../../ledger/verified-rows.ts";
import { type BuildInput, type BuildSummary, Folding, writeSnapshot } from "../../snapshot/build.ts";
import type { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { writeInThreads } from "./city-threads.ts";
import { type Keeping, RowKeeper } from "./row-keeper.ts";
import { RangeReport, type RangeUnit } from "./threads/prover-messages.ts";
import { runWorkers } from "./worker.ts";

const MAX_THREADS = 4;
/** Each thread loads its program, so few rows are not worth many. */
const ROWS_A_THREAD = 50_000;
const ROWS_A_UNIT = 1000;
/** What a thread proves dies young. */
const SMALL_HEAP = { resourceLimits: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 } };

/** How many threads are worth starting beside the one that folds; 0 for a small ledger. */
export function proversFor(rows: number): number {
  return Math.min(MAX_THREADS, availableParallelism(), Math.floor(rows / ROWS_A_THREAD));
}

interface Proving {
  readonly threads: number;
  readonly rowsAtOnce?: number;
  readonly keeping?: Keeping | undefined; // undefined: no rows are kept
}

/** As `buildSnapshot`, with threads that prove rows, then compute cities; one alone is not worth the messages. */
export async function buildInThreads(input: BuildInput, proving: Proving): Promise<BuildSummary> {
  using reader = openLedgerReader(input.ledgerPath);
  const fold = await foldInThreads(input, reader, proving);
  if (proving.threads === 1) return writeSnapshot(input, reader, fold);
  return await writeInThreads(input, reader, fold, proving.threads);
}

async function foldInThreads(
  input: BuildInput,
  reader: LedgerReader,
  { threads, rowsAtOnce = ROWS_A_UNIT, keeping }: Proving,
): Promise<LedgerFold> {
  const { ledgerPath, treeSize } = input;
  const dealer = new Dealer(input, reader, { rowsAtOnce, keeping });
  const tasks = Array.from({ length: threads }, () => ({ ledgerPath, treeSize }));
  await runWorkers(
    new URL("./threads/prover-worker.ts", import.meta.url),
    tasks,
    (raw) => dealer.deal(raw),
    SMALL_HEAP,
  );
  return dealer.finish();
}

/** What folds rows in order. */
interface Folder {
  readonly folding: Folding;
  readonly chain: RowChain;
  row(row: LedgerRow): void;
}

function folderOf(input: BuildInput, reader: LedgerReader, keeping: Keeping | undefined): Folder {
  if (keeping !== undefined) return new RowKeeper(input, reader, keeping);
  const folding = new Folding(reader, input);
  return { folding, chain: reader.rowChain(input.treeSize), row: (row) => folding.row(row) };
}

class Dealer {
  readonly #folder: Folder;
  readonly #units: Iterator<RangeUnit>;
  readonly #reports = new InOrder<RangeReport>((report) => this.#fold(report));
  #failure: { readonly error: unknown } | undefined;

  constructor(
    input: BuildInput,
    reader: LedgerReader,
    { rowsAtOnce, keeping }: { readonly rowsAtOnce: number; readonly keeping: Keeping | undefined },
  ) {
    this.#folder = folderOf(input, reader, keeping);
    const { folding, chain } = this.#folder;
    this.#units = unitsOf(chain.edge().size, input.treeSize, folding.sealed, rowsAtOnce);
  }

  /** After a failure all threads come to their end by themselves: none is terminated in native code. */
  deal(raw: unknown): RangeUnit {
    if (this.#failure !== undefined) return "end";
    try {
      const report = RangeReport.parse(raw);
      if (report.unit !== undefined) this.#reports.take(report.unit, report);
      const { value, done } = this.#units.next();
      return done === true ? "end" : value;
    } catch (error) {
      this.#failure = { error };
      return "end";
    }
  }

  /** Once all threads have ended. */
  finish(): LedgerFold {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#folder.folding.finish();
  }

  #fold({ rows, scouts }: RangeReport): void {
    const { folding, chain } = this.#folder;
    if (rows !== undefined) for (const row of rowsOf(rows, chain)) this.#folder.row(row);
    if (scouts !== undefined) for (const [row, principal] of scoutsOf(scouts)) folding.scout(row, principal);
  }
}

/** The rows after those that are folded, then the scouts of the sealed ones. */
function* unitsOf(
  folded: number,
  treeSize: number,
  sealed: number,
  rowsAtOnce: number,
): Generator<RangeUnit> {
  let unit = 0;
  for (const range of ranges(folded, treeSize, rowsAtOnce)) yield { unit: unit++, what: "rows", ...range };
  for (const range of ranges(0, folded, rowsAtOnce)) yield { unit: unit++, what: "trusted scouts", ...range };
  for (const range of ranges(folded, sealed, rowsAtOnce)) yield { unit: unit++, what: "scouts", ...range };
}

function* ranges(from: number, upTo: number, size: number): Generator<RowRange> {
  for (let after = from; after < upTo; after += size) yield { after, upTo: Math.min(after + size, upTo) };
}
