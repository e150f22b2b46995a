import type { Environment } from "../../contract/enums.ts";
import { newPublicId, type RandomBytes } from "../../kernel/ids.ts";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import type { IntakeLedger } from "../intake-ledger.ts";
import { type KeyedHash, keyedHash } from "./keyed-hash.ts";

export const PUBLIC_ID_PREFIXES = { production: "pr", demo: "demo" } as const satisfies Record<
  Environment,
  string
>;

/** A sound source never repeats 80 bits; after this many repeats the source is broken. */
const MAX_DRAWS = 1000;

/** Gives out public ids of records and assets, each once. The ids of erased rows are never reused. */
export class PublicIds {
  readonly #store: IntakeStore;
  readonly #random: RandomBytes;
  readonly #prefix: string;
  readonly #hash: KeyedHash;

  constructor({ meta, purposeKey }: IntakeLedger, store: IntakeStore, random: RandomBytes) {
    this.#store = store;
    this.#random = random;
    this.#prefix = PUBLIC_ID_PREFIXES[meta.environment];
    this.#hash = keyedHash(purposeKey("public_id"));
  }

  /** Within a transaction. Throws when the source of randomness only repeats itself. */
  next(): string {
    for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
      const id = newPublicId(this.#prefix, this.#random);
      if (this.#take(id)) return id;
    }
    throw new Error("the random source returns only public ids that are already taken");
  }

  #take(id: string): boolean {
    return this.#store.takePublicId(Buffer.from(this.#hash(id), "hex"));
  }
}
