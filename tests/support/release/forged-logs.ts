/**
 * For tests: logs that a liar publishes to a reader who knows a genuine key. The liar holds two keys; the genuine log has two
 * others, and published how the first endorsed the second.
 */

import type { SeededNumbers } from "../../../src/kernel/seeded.ts";
import { isoTime } from "../../../src/kernel/time.ts";
import { endorsementText } from "../../../src/ledger/keys/key-ring.ts";
import { type NoteSigner, signerFromSeed } from "../../../src/ledger/keys/note.ts";
import { TestLedger } from "../ledger/small-ledger.ts";
import { type TestRelease, TestReleases } from "./audited-release.ts";

const NEVER = 1_000_000_000;

interface ListedKey {
  readonly key: NoteSigner;
  readonly from: number;
  readonly endorsement?: string;
}

export interface Forgery {
  readonly name: string;
  readonly keys: readonly ListedKey[];
  readonly known: string; // the reader's key
}

function endorsed(by: NoteSigner, key: NoteSigner, from: number): ListedKey {
  const text = endorsementText(key.name, { vkey: key.vkey, fromSize: from });
  return { key, from, endorsement: by.sign(text) };
}

/** A log of four rows, whose tree head and manifest the liar's first key signed. */
export class ForgedLog implements Disposable {
  readonly #ledger = new TestLedger();
  readonly #releases = new TestReleases();
  readonly liar = this.#ledger.signingKey();
  readonly #liars = this.#key(5);
  readonly #first = this.#key(6);
  readonly #second = this.#key(7);

  constructor() {
    this.#ledger.sealAt("2026-05-01T12:00:00Z");
  }

  #key(seed: number, origin = this.liar.name): NoteSigner {
    return signerFromSeed(origin, Buffer.alloc(32, seed));
  }

  forgeries(): Forgery[] {
    const { liar } = this;
    const [liars, first, second] = [this.#liars, this.#first, this.#second];
    const [begun, honest, handover] = [{ key: liar, from: 0 }, { key: first, from: 0 }, this.#handover()];
    const elsewhere = this.#key(6, "example.org/elsewhere");
    const cases: [string, readonly ListedKey[], NoteSigner?][] = [
      ["the known key for sizes that never come", [begun, endorsed(liar, first, NEVER)]],
      ["the known key from the next size on", [begun, endorsed(liar, first, 4)]],
      ["the newer genuine key for sizes that never come", [begun, endorsed(liar, second, NEVER)], second],
      ["both genuine keys from the next size on", [begun, endorsed(liar, first, 4), handover]],
      ["a next key without endorsement", [honest, { key: liar, from: 2 }]],
      ["a next key that endorses itself", [honest, endorsed(liar, liar, 2)]],
      ["a next key that a stranger endorses", [honest, endorsed(liars, liar, 2)]],
      ["a next key with the endorsement of another", [honest, { ...handover, key: liar }]],
      ["a next key after the genuine ones", [honest, handover, endorsed(liar, liar, 6)]],
      ["the genuine list", [honest, handover]],
      ["the genuine list, to a reader of its newer key", [honest, handover], second],
      [
        "the known key between two others",
        [{ key: liars, from: 0 }, endorsed(liars, first, 2), endorsed(liars, liar, 3)],
      ],
      ["the known key between another one twice", [begun, endorsed(liar, first, 2), endorsed(liar, liar, 3)]],
      [
        "the known key first, for sizes that never come",
        [{ ...honest, from: NEVER }, endorsed(liar, liar, 0)],
      ],
      ["the known key first, for no size", [honest, endorsed(liar, liar, 0)]],
      ["no known key", [begun]],
      ["the known key under another name", [begun, endorsed(liar, elsewhere, NEVER)]],
    ];
    return cases.map(([name, keys, known = first]) => ({ name, keys, known: known.vkey }));
  }

  /** Any list that the liar can write. */
  random(numbers: SeededNumbers): Forgery {
    const own = [this.liar, this.#liars];
    const keys = Array.from({ length: numbers.between(1, 4) }, (_, at): ListedKey => {
      const key = numbers.pick([...own, this.#first, this.#second]);
      if (at === 0) return { key, from: 0 };
      const from = numbers.pick([0, 2, 3, 4, 5, NEVER]);
      return numbers.chance(0.2) ? this.#handover() : endorsed(numbers.pick(own), key, from);
    });
    return { name: "random", keys, known: numbers.pick([this.#first, this.#second]).vkey };
  }

  #handover(): ListedKey {
    return endorsed(this.#first, this.#second, 5);
  }

  publish({ keys }: Pick<Forgery, "keys">): Promise<TestRelease> {
    const at = isoTime(this.#ledger.time);
    const document = {
      schema: "com.service.ledger_keys.v1",
      origin: this.liar.name,
      environment: "demo",
      keys: keys.map(({ key, from, endorsement = null }, index) => ({
        key_id: key.keyId,
        vkey: key.vkey,
        from_tree_size: from,
        created_at: at,
        until_tree_size: keys[index + 1]?.from ?? null,
        retired_at: index + 1 < keys.length ? at : null,
        endorsement,
      })),
    };
    const files = { "ledger/keys.json": JSON.stringify(document) };
    return this.#releases.release(this.#ledger, { files });
  }

  [Symbol.dispose](): void {
    this.#ledger[Symbol.dispose]();
    this.#releases[Symbol.dispose]();
  }
}
