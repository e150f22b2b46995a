import type { Environment } from "../../contract/enums.ts";
import { newPublicId, type RandomBytes } from "../../kernel/ids.ts";
import type { IntakeIndex } from "../../ledger/matching/intake-index.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type KeyedHash, keyedHash } from "./keyed-hash.ts";

export const PUBLIC_ID_PREFIXES = { production: "pr", demo: "demo" } as const satisfies Record<
  Environment,
  string
>;

/** A good source never repeats 80 bits; one that does so this often gives nothing else. */
const MOST_DRAWS = 1000;

/** Gives out public ids of records and assets, each once for ever: also those of rows that were erased never come again. */
export class PublicIds {
  readonly #index: IntakeIndex;
  readonly #random: RandomBytes;
  readonly #prefix: string;
  readonly #hash: KeyedHash;
  #isComplete = false;

  constructor({ meta, purposeKey }: LedgerWriter, index: IntakeIndex, random: RandomBytes) {
    this.#index = index;
    this.#random = random;
    this.#prefix = PUBLIC_ID_PREFIXES[meta.environment];
    this.#hash = keyedHash(purposeKey("public_id"));
  }

  /** Within a transaction. Throws when the source of randomness only repeats itself. */
  next(): string {
    this.#takeEarlier();
    for (let draws = 0; draws < MOST_DRAWS; draws += 1) {
      const id = newPublicId(this.#prefix, this.#random);
      if (this.#take(id)) return id;
    }
    throw new Error("the source of randomness gives only public ids that were given out before");
  }

  #take(id: string): boolean {
    return this.#index.takePublicId(Buffer.from(this.#hash(id), "hex"));
  }

  /** A ledger of an earlier version has ids, and no register of them. */
  #takeEarlier(): void {
    if (!this.#isComplete && !this.#index.hasPublicIds())
      for (const id of this.#index.publicIdsOfRows()) this.#take(id);
    this.#isComplete = true;
  }
}
