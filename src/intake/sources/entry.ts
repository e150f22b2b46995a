/**
 * What a row says of its independence when it enters the ledger: which principal saw it, whether it counts, and which source it
 * names. The checks of history follow each night (`judgeLedger`), and take effect by rows of their own.
 */

import { BUILT_IN } from "../../contract/source-id.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { Merges } from "../../ledger/decisions/merges.ts";
import type { Source, SourceStore } from "../../ledger/sources/source-store.ts";
import { type IntakeHashes, nonBlank, type Sighting } from "../lines/sighting.ts";
import { Affiliations } from "./affiliations.ts";
import { type LineSources, lineSources } from "./line-sources.ts";
import { principalTag } from "./principal-tag.ts";
import { collectivePrincipal, Principals } from "./principals.ts";

export interface Entered {
  readonly tag: string;
  readonly counts: boolean;
  readonly source: string | null;
}

interface NewIds {
  readonly record: number;
  readonly row: number;
}

const BUILT_IN_ENTRY: Entered = { tag: BUILT_IN, counts: true, source: BUILT_IN };

/** An individual source is named once so many of its observers were active in the days before. */
const NAMED_OBSERVERS = 5;
const ACTIVE_DAYS = 30;

/** From when on an observer is active on a UTC day (ms). */
export function activeSince(day: number): number {
  return day - ACTIVE_DAYS * DAY_MS;
}

interface EntryDeps {
  readonly store: SourceStore;
  readonly hashes: IntakeHashes;
  readonly day: number; // UTC day of acceptance, ms
  /** The merges in effect. */
  readonly merges: Pick<Merges, "root">;
}

/** Judges the rows of one UTC day as they enter. Owns caches, so it must not be used after a failed transaction. */
export class Entry {
  readonly #deps: EntryDeps;
  readonly #sourceOf: LineSources;
  readonly #principals: Principals;
  readonly #affiliations: Affiliations;
  readonly #standings: ReadonlyMap<string, number>;
  readonly #active: ReadonlyMap<string, number>;
  /** Source -> observers of the day. */
  readonly #noted = new Map<string, Set<string>>();

  constructor(deps: EntryDeps) {
    const { store, day, merges } = deps;
    this.#deps = deps;
    this.#sourceOf = lineSources(store, "take_in");
    this.#principals = new Principals(store);
    this.#affiliations = new Affiliations(store, merges);
    this.#standings = store.standings();
    this.#active = store.activeObservers(activeSince(day));
  }

  /** The source of a line. Throws LineFault for one that is not active: asked before any row is appended for the line. */
  sourceOf(input: Sighting["input"]): Source | undefined {
    return this.#sourceOf(input);
  }

  /** `row` is the id that the observation will have. */
  enter(sighting: Sighting, source: Source | undefined, { record, row }: NewIds): Entered {
    const media = this.#isReusedMedia(sighting, row);
    if (source === undefined) {
      if (media) this.#setAside(row, "same_media");
      return { ...BUILT_IN_ENTRY, counts: !media };
    }
    const observer = this.#observerOf(sighting, source);
    this.#note(source, sighting.observerHash);
    const check = media ? "same_media" : this.#check({ sighting, source, record, ...observer });
    if (check !== undefined && check !== "not_established") this.#setAside(row, check);
    return {
      tag: principalTag(observer.principal, record, this.#deps.hashes),
      counts: check === undefined,
      source: this.#isNamed(source) ? source.id : null,
    };
  }

  #observerOf({ observerHash }: Sighting, source: Source) {
    return source.vetting === "collective"
      ? { principal: collectivePrincipal(source), isSuspended: false, isVouched: true }
      : this.#principals.observer(observerHash);
  }

  #check(entering: Entering): string | undefined {
    const { sighting, source, record, principal } = entering;
    if (entering.isSuspended) return "suspended";
    if (!source.assetTypes.includes(sighting.input.asset_type)) return "cannot_see";
    const root = this.#deps.merges.root(record);
    if (this.#affiliations.has(principal, { record: root, nameKey: sighting.nameKey })) return "affiliated";
    if (source.vetting === "collective") return undefined;
    const isEstablished = entering.isVouched || this.#standings.has(principal);
    return isEstablished ? undefined : "not_established";
  }

  /** One picture may show several assets; it is reused where another observer or another instant has it. */
  #isReusedMedia({ input, observerHash, instant }: Sighting, row: number): boolean {
    const media = nonBlank(input.media_sha256)?.toLowerCase();
    if (media === undefined) return false;
    const isKnown = this.#isKnown(`media ${media}`, row);
    const isSameLook = this.#isKnown(`media ${media} ${observerHash} ${instant}`, row);
    return isKnown && !isSameLook;
  }

  #isKnown(trace: string, row: number): boolean {
    const { store, hashes } = this.#deps;
    return store.firstWith(Buffer.from(hashes.sourceRef(trace).slice(0, 32), "hex"), row) !== row;
  }

  #setAside(row: number, check: string): void {
    this.#deps.store.putSetAside(row, check, this.#deps.day);
  }

  #note({ id }: Source, observer: string): void {
    const noted = this.#noted.get(id) ?? new Set<string>();
    this.#noted.set(id, noted);
    if (noted.has(observer)) return;
    noted.add(observer);
    this.#deps.store.noteActive(id, observer, this.#deps.day);
  }

  #isNamed({ id, vetting }: Source): boolean {
    return vetting === "collective" || (this.#active.get(id) ?? 0) >= NAMED_OBSERVERS;
  }
}

interface Entering {
  readonly sighting: Sighting;
  readonly source: Source;
  readonly record: number;
  readonly principal: string;
  readonly isSuspended: boolean;
  readonly isVouched: boolean;
}
