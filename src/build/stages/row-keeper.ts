import type { LedgerReader } from "../../ledger/reader.ts";
import { type CachedRow, RowCache, withoutRows } from "../../ledger/row-cache.ts";
import type { LedgerRow } from "../../ledger/rows/rows.ts";
import type { ChainEdge, RowChain } from "../../ledger/verified-rows.ts";
import { type BuildInput, Folding } from "../../snapshot/build.ts";

/** 20 MB; what a build reads anew is at most this much more than came since the last one. */
const ROWS_A_FILE = 2 ** 18;

export interface Keeping {
  readonly program: string; // rows that another one kept are not used
  readonly rowsAFile?: number;
}

/** Folds the kept rows of a ledger, if there are any, and keeps the sealed rows that are folded after them. */
export class RowKeeper {
  readonly folding: Folding;
  readonly chain: RowChain;
  readonly #reader: LedgerReader;
  readonly #files: RowCache;
  readonly #program: string;
  readonly #rowsAFile: number;
  #start: ChainEdge;
  #others: CachedRow[] = [];

  constructor(input: BuildInput, reader: LedgerReader, { program, rowsAFile = ROWS_A_FILE }: Keeping) {
    this.#reader = reader;
    this.#files = new RowCache(input.ledgerPath);
    this.#program = program;
    this.#rowsAFile = rowsAFile;
    const { folding, edge } = this.#resumed(input);
    this.folding = folding;
    this.chain = reader.rowChain(input.treeSize, edge);
    this.#start = this.chain.edge();
  }

  /** Rows must come in order, each after the chain has taken it. */
  row(row: LedgerRow): void {
    this.folding.row(row);
    if (row.id > this.folding.sealed) return;
    this.#note(row);
    if (row.id === this.#start.size + this.#rowsAFile) this.#keep();
  }

  /** Other rows than the ledger's may have been kept before a restore. */
  #resumed(input: BuildInput): { folding: Folding; edge: ChainEdge | undefined } {
    const folding = new Folding(this.#reader, input);
    const erased = this.#reader.erasedRows(folding.sealed, input.treeSize);
    let edge: ChainEdge | undefined;
    for (const kept of this.#files.ranges(this.#program, folding.sealed, erased)) {
      folding.kept(kept);
      edge = kept.end;
    }
    if (edge === undefined || this.#reader.continues(edge)) return { folding, edge };
    this.#files.clear();
    return { folding: new Folding(this.#reader, input), edge: undefined };
  }

  #note(row: LedgerRow): void {
    if (row.body !== undefined && row.kind !== "observation") this.#others.push(row);
  }

  #keep(): void {
    const start = this.#start;
    const end = this.chain.edge();
    const observations = this.folding.cachedSightings(start.size, end.size);
    // An erasure may have committed since the rows were read.
    const erased = this.#reader.erasedRows(end.size, Number.POSITIVE_INFINITY);
    const kept = { start, end, observations, others: this.#others };
    this.#files.write(this.#program, withoutRows(kept, erased));
    this.#start = end;
    this.#others = [];
  }
}
