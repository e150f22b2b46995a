import { BoundedCache } from "../../kernel/bounded-cache.ts";
import type { OptOutFact, OptOutSource, OptOutWeight } from "../../ledger/matching/intake-store.ts";
import { LineFault } from "../lines/fault.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { type FactKeys, factKeys, keysOf, type OptOutSubject, wordHash } from "./fact-keys.ts";
import { areNear, nameWords } from "./near-name.ts";

/** `refuse` the line, let it wait for `review`, or `pass` it: no opt-out concerns it. */
export type OptOutVerdict = "refuse" | "review" | "pass";

const CACHED_NAMES = 50_000;

/**
 * Holds lines against the opt-outs of their city (docs/operations/privacy.md has the rules). The only place that applies these
 * rules: when a line is accepted, when its day is taken in, and when an opt-out looks for pending lines. Owns caches, so it must
 * not outlive a change of the list.
 */
export class OptOutJudge {
  readonly #source: OptOutSource;
  readonly #hashes: IntakeHashes;
  readonly #now: number;
  readonly #keys = new Map<string, FactKeys>();
  readonly #names = new BoundedCache<string, boolean>(CACHED_NAMES);
  readonly #hasOptOuts: boolean;

  /** `now` in ms decides which places have expired. */
  constructor(source: OptOutSource, hashes: IntakeHashes, now: number) {
    this.#source = source;
    this.#hashes = hashes;
    this.#now = now;
    this.#hasOptOuts = source.hasOptOuts();
  }

  /** Throws LineFault for a line that an opt-out refuses. `city` is a slug. */
  refuse(sighting: OptOutSubject, city: string): Exclude<OptOutVerdict, "refuse"> {
    const verdict = this.judge(sighting, city);
    if (verdict !== "refuse") return verdict;
    throw new LineFault("opted_out", "name", "matches a record that has opted out in this city");
  }

  judge(sighting: OptOutSubject, city: string): OptOutVerdict {
    if (!this.#hasOptOuts) return "pass";
    if (this.#isRefusedName(city, sighting.nameKey)) return "refuse";
    const facts = this.#factsOf(sighting, city);
    if (facts.some(({ weight }) => weight === "all")) return "refuse";
    const verdicts = byOptOut(facts)
      .filter(([optOut]) => this.#isNear(optOut, sighting.nameKey))
      .map(([, weights]) => verdictOf(weights));
    return verdicts.includes("refuse") ? "refuse" : verdicts.includes("review") ? "review" : "pass";
  }

  #isRefusedName(city: string, nameKey: string): boolean {
    return this.#names.take(`${city} ${nameKey}`, () =>
      this.#source.isOptedOut(this.#keysIn(city).name(nameKey)),
    );
  }

  #factsOf(sighting: OptOutSubject, city: string): OptOutFact[] {
    return keysOf(sighting, this.#keysIn(city), this.#hashes)
      .flatMap((key) => this.#source.optOutFacts(key, this.#now))
      .filter(({ assetType }) => assetType === null || assetType === sighting.input.asset_type);
  }

  #isNear(optOut: Buffer, nameKey: string): boolean {
    const words = nameWords(nameKey, wordHash(optOut, this.#hashes));
    const names = Map.groupBy(this.#source.optOutWords(optOut), ({ name }) => name);
    return [...names.values()].some((name) =>
      areNear(
        name.map(({ word, key }) => ({ word, key: key.toString("hex") })),
        words,
      ),
    );
  }

  #keysIn(city: string): FactKeys {
    const known = this.#keys.get(city) ?? factKeys(city, this.#hashes);
    this.#keys.set(city, known);
    return known;
  }
}

/** What a near name's other matches come to. */
function verdictOf(weights: ReadonlySet<OptOutWeight>): OptOutVerdict {
  if (weights.has("own")) return "refuse";
  return weights.has("place") ? "review" : "pass";
}

function byOptOut(facts: readonly OptOutFact[]): [Buffer, ReadonlySet<OptOutWeight>][] {
  const groups = Map.groupBy(facts, ({ optOut }) => optOut.toString("hex"));
  return [...groups].map(([id, group]) => [
    Buffer.from(id, "hex"),
    new Set(group.map(({ weight }) => weight)),
  ]);
}
