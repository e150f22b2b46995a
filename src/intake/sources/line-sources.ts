import { BUILT_IN } from "../../contract/fields.ts";
import type { LivePrincipal } from "../../ledger/rows/live-rows.ts";
import type { Source, SourceStore } from "../../ledger/sources/source-store.ts";
import { LineFault } from "../lines/fault.ts";
import type { ObservationInput } from "../lines/observation-input.ts";
import { type IntakeHashes, namedSource, type Registered } from "../lines/sighting.ts";
import { Principals } from "./principals.ts";

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
