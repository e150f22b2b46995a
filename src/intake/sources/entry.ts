import { BUILT_IN } from "../../contract/fields.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { Merges } from "../../ledger/decisions/merges.ts";
import type { LivePrincipal } from "../../ledger/rows/live-rows.ts";
import type { Source, SourceStore } from "../../ledger/sources/source-store.ts";
import { nonBlank } from "../lines/contact.ts";
import { LineFault } from "../lines/fault.ts";
import type { ObservationInput } from "../lines/observation-input.ts";
import { type IntakeHashes, namedSource, type Registered, type Sighting } from "../lines/sighting.ts";
import { Affiliations, Principals } from "./principals.ts";

/**
 * What a row says of its independence when it enters the ledger: which principal saw it, whether it counts, and which source it
 * names. The checks of history follow each night (`judgeLedger`), and take effect by rows of their own.
 */

export interface Entered {
  readonly tag: string;
  readonly counts: boolean;
  readonly source: string | null;
}

/** What is known of a line before its record is. */
export interface Arrival {
  readonly sighting: Sighting;
  readonly source: Source | undefined; // undefined for a built-in one
  readonly principal: string;
  /** The check that keeps it from counting, whatever record it is of. */
  readonly check: string | undefined;
  /** Whether the principal has standing: rows that enter without never count. */
  readonly isEstablished: boolean;
  readonly media: readonly string[]; // traces to remember
}

interface NewIds {
  readonly record: number;
  readonly row: number;
  readonly isAffiliated: boolean;
}

const NOT_ESTABLISHED = "not_established";

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

  /** Judges a line by itself, and remembers nothing. Throws LineFault where its source is not active. */
  judge(sighting: Sighting): Arrival {
    const source = this.#sourceOf(sighting.input);
    const media = mediaTraces(sighting);
    const isReused = this.#isReused(media);
    const principal = this.#principals.of(source?.id, sighting.observerHash);
    const isEstablished = source?.vetting !== "individual" || this.#standings.has(principal);
    const found = isReused ? "same_media" : source && this.#check(sighting, source);
    const check = found ?? (isEstablished ? undefined : NOT_ESTABLISHED);
    return { sighting, source, principal, media, check, isEstablished };
  }

  /** Whether the line's principal runs the record that it is about, or the brand; undefined is a record that is to come. */
  isAffiliated(
    { sighting: { nameKey }, source, principal, check }: Arrival,
    record: number | undefined,
  ): boolean {
    if (source === undefined || (check !== undefined && check !== NOT_ESTABLISHED)) return false;
    const root = record === undefined ? 0 : this.#deps.merges.root(record);
    return this.#affiliations.has(principal, { record: root, nameKey });
  }

  /** `row` is the id that the observation will have. */
  enter(
    { sighting, source, principal, media, isEstablished, ...arrival }: Arrival,
    { record, row, isAffiliated }: NewIds,
  ): Entered {
    for (const trace of media) this.#deps.store.addTrace(this.#keyOf(trace), row);
    const check = isAffiliated ? "affiliated" : arrival.check;
    if (check !== undefined && check !== NOT_ESTABLISHED) this.#setAside(row, check, isEstablished);
    if (source === undefined) return { tag: BUILT_IN, counts: check === undefined, source: BUILT_IN };
    this.#note(source, sighting);
    return {
      tag: principalTag(principal, record, this.#deps.hashes),
      counts: check === undefined,
      source: this.#isNamed(source) ? source.id : null,
    };
  }

  #check({ input, observerHash }: Sighting, { vetting, assetTypes }: Source): string | undefined {
    const isIndividual = vetting === "individual";
    if (isIndividual && this.#principals.observer(observerHash).isSuspended) return "suspended";
    return assetTypes.includes(input.asset_type) ? undefined : "cannot_see";
  }

  /** One picture may show several assets; it is reused where another observer or another instant has it. */
  #isReused([picture, look]: readonly string[]): boolean {
    return picture !== undefined && look !== undefined && this.#isKnown(picture) && !this.#isKnown(look);
  }

  #isKnown(trace: string): boolean {
    return this.#deps.store.hasTrace(this.#keyOf(trace));
  }

  #keyOf(trace: string): Buffer {
    return Buffer.from(this.#deps.hashes.sourceRef(trace).slice(0, 32), "hex");
  }

  #setAside(row: number, check: string, isEstablished: boolean): void {
    this.#deps.store.putSetAside(row, check, this.#deps.day, isEstablished);
  }

  #note({ id, keepsNames }: Source, { observerHash: observer, input }: Sighting): void {
    const noted = this.#noted.get(id) ?? new Set<string>();
    this.#noted.set(id, noted);
    if (noted.has(observer)) return;
    noted.add(observer);
    this.#deps.store.noteActive(id, observer, this.#deps.day);
    if (keepsNames) this.#deps.store.putName({ source: id, observer, name: input.observer });
  }

  #isNamed({ id, vetting }: Source): boolean {
    return vetting === "collective" || (this.#active.get(id) ?? 0) >= NAMED_OBSERVERS;
  }
}

/** Of a picture, and of the look in which an observer took it. */
function mediaTraces({ input, observerHash, instant }: Sighting): string[] {
  const media = nonBlank(input.media_sha256)?.toLowerCase();
  return media === undefined ? [] : [`media ${media}`, `media ${media} ${observerHash} ${instant}`];
}

/** Finds the registered source of a line; undefined for a line that names none. Throws LineFault. */
export type LineSources = (input: Pick<ObservationInput, "source" | "source_type">) => Source | undefined;

/** Lines are accepted of active sources only; what was accepted before its source was suspended is still taken in. */
const STATES = {
  accept: new Set<Source["state"]>(["active"]),
  take_in: new Set<Source["state"]>(["active", "suspended"]),
} as const;

export type LineStep = keyof typeof STATES;

/** Over the sources as they are registered now. */
export function lineSources(store: Pick<SourceStore, "sources">, step: LineStep): LineSources {
  const states = STATES[step];
  const byId = new Map(store.sources().map((source) => [source.id, source]));
  return (input) => {
    const id = namedSource(input);
    if (id === undefined) return undefined;
    const source = byId.get(id);
    if (source === undefined)
      throw new LineFault("unknown_source", "source", "is not registered: see `presence source list`");
    if (!states.has(source.state))
      throw new LineFault("source_not_active", "source", `is ${source.state}, so its lines are refused`);
    if (source.kind !== input.source_type)
      throw new LineFault(
        "not_allowed",
        "source_type",
        `must be ${source.kind}, the kind of the named source`,
      );
    return source;
  };
}

/** What the registry says now. */
export function registeredIn(store: Pick<SourceStore, "observers" | "sources">): Registered {
  return {
    operators: new Map(store.sources().map(({ id, operator }) => [id, operator])),
    principals: new Principals(store),
  };
}

const TAG_BYTES = 12;

/** Tells principals of one record apart, and says nothing across records. */
export function principalTag(
  principal: string,
  record: number,
  hashes: Pick<IntakeHashes, "observerTag">,
): string {
  const digest = hashes.observerTag(JSON.stringify(["principal", principal, record]));
  return Buffer.from(digest.slice(0, 2 * TAG_BYTES), "hex").toString("base64url");
}

/** The tag at another record. A principal that was erased is still told apart from the others of the record. */
export function tagAt(
  { principal, tag }: LivePrincipal,
  record: number,
  hashes: Pick<IntakeHashes, "observerTag">,
): string {
  return tag === BUILT_IN ? BUILT_IN : principalTag(principal ?? `tag ${tag}`, record, hashes);
}
