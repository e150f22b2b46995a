/** Items that one decision answers: a rule about names, a name in a city, a pair of names, and whatever came from one source or in one batch. */
import { heldNameId } from "../../intake/lines/held-name.ts";
import { standardClassifier } from "../../intake/matching/classify.ts";
import { INDUSTRY_TIE } from "../../intake/naming/queue-namings.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { Batches } from "../../ledger/matching/batches.ts";
import type { DeskState } from "../desk-state.ts";
import type { Item } from "../items.ts";
import { Evidence, type EvidenceSources } from "./evidence.ts";
import type { QueueKind } from "./model.ts";

const KEY_DIGITS = 12;

/** Held names that are decided about once in a city. */
export const HELD_KINDS = ["generic-name", "damaged-name", "private-name", "opt-out"] as const;

function isHeld(kind: QueueKind): boolean {
  return HELD_KINDS.some((held) => held === kind);
}

/** What a rule says of a name: by a word in it, or because it is a listed brand's. */
export interface NameRule {
  readonly key: string; // of the group
  readonly word: string | undefined;
  readonly industry: string;
}

/** Undefined for a proposal that no present rule makes. */
export function ruleOf(name: string, industry: string): NameRule {
  const rule = standardClassifier().ruleOf(nameKey(name));
  const isPresent = rule?.industry === industry;
  const by = isPresent && rule.word === undefined ? "brand" : "rule";
  return { key: `${by}:${industry}`, word: isPresent ? rule.word : undefined, industry };
}

/** The group that asks an item where several say the same; undefined for one that is asked by itself. */
export function askedIn(item: Item, state: DeskState): string | undefined {
  if (isHeld(item.kind)) return heldNameKey(item);
  switch (item.kind) {
    case "industry":
      return ruleGroup(item, state);
    case "match":
      return pairGroup(item, state);
    case "set-aside":
      return `sample:${item.about.check}`;
    case "independence":
      return `pattern:${item.about.check}`;
    default:
      return undefined;
  }
}

/** A name in a city, held for one reason. */
export function heldNameKey({ city, about: { line, check } }: Pick<Item, "city" | "about">): string {
  return `name:${heldNameId({ city: city ?? "", reason: check ?? "", name: line?.input.name ?? "" })}`;
}

function ruleGroup({ about: { record, check } }: Item, state: DeskState): string | undefined {
  const naming = record === undefined ? undefined : state.records.get(record)?.naming;
  if (naming?.industry == null || check === INDUSTRY_TIE) return undefined;
  return ruleOf(naming.name, naming.industry).key;
}

/** The word by which a rule proposed the industry of a record; undefined for brands, and where the rule is another by now. */
function wordOf({ kind, about: { record } }: Item, state: DeskState): string | undefined {
  const naming = record === undefined ? undefined : state.records.get(record)?.naming;
  return kind !== "industry" || naming?.industry == null
    ? undefined
    : ruleOf(naming.name, naming.industry).word;
}

/** Two names that are near each other, at however many places of a city. */
function pairGroup({ city, about: { record, candidates = [] } }: Item, state: DeskState): string | undefined {
  const [only, ...others] = candidates;
  if (record === undefined || only === undefined || others.length > 0) return undefined;
  const keys = [record, only].map((id) => nameKey(state.records.get(id)?.name ?? ""));
  return `pair:${digest([city, ...keys.sort()])}`;
}

function digest(parts: readonly (string | null)[]): string {
  return sha256Hex(JSON.stringify(parts)).slice(0, KEY_DIGITS);
}

/** Which of the items that wait. */
export interface ItemFilter {
  readonly city?: string | undefined;
  readonly kind?: QueueKind | undefined;
  readonly source?: string | undefined;
  readonly batch?: string | undefined;
  readonly group?: string | undefined;
}

export interface FilterSources extends EvidenceSources {
  readonly batches: Batches;
}

const GROUP = /^(rule|brand|name|pair|sample|pattern|source|batch|check):(.{1,80})$/;

export function isGroupKey(subject: string): boolean {
  return GROUP.test(subject);
}

/** Items in their order. Reads the observations of their records where a source or a batch is asked for. */
export function filtered<T extends Item>(
  items: readonly T[],
  filter: ItemFilter,
  sources: FilterSources,
): T[] {
  const { city, kind, group } = filter;
  if (group !== undefined && !isGroupKey(group))
    throw new OperatorError(`"${group.slice(0, 80)}": no group; \`presence review list\` prints their keys`);
  const few = items.filter((item) => (city ?? item.city) === item.city && (kind ?? item.kind) === item.kind);
  const [, by, value = ""] = GROUP.exec(group ?? "") ?? [];
  const ofGroup =
    by === undefined || by === "source" || by === "batch" ? few : few.filter(inGroup(by, value, sources));
  const source = by === "source" ? value : filter.source;
  const batch = by === "batch" ? value : filter.batch;
  const ofSource = source === undefined ? ofGroup : ofGroup.filter(fromSource(source, ofGroup, sources));
  return batch === undefined ? ofSource : ofSource.filter(fromBatch(batch, ofSource, sources));
}

type Test = (item: Item) => boolean;

/** A rule is named by its code, or one of its words by itself. */
function inGroup(by: string, value: string, { state }: FilterSources): Test {
  if (by === "check") return ({ about: { check } }) => check === value;
  if (by === "rule" && !/^[A-Z]?\d*$/.test(value)) return (item) => wordOf(item, state) === nameKey(value);
  return (item) => askedIn(item, state) === `${by}:${value}`;
}

function fromSource(source: string, items: readonly Item[], sources: FilterSources): Test {
  const evidence = evidenceOf(items, sources);
  return ({ about: { line, record } }) =>
    line === undefined
      ? record !== undefined && evidence.sourcesOf(record).includes(source)
      : (line.input.source ?? line.input.source_type) === source;
}

function fromBatch(batch: string, items: readonly Item[], sources: FilterSources): Test {
  const evidence = evidenceOf(items, sources);
  const rows = new Set(sources.batches.rowsOf(batch));
  return ({ about: { line, record } }) =>
    line === undefined
      ? record !== undefined && evidence.of(record).some(({ row }) => rows.has(row))
      : line.held.batch === batch;
}

function evidenceOf(items: readonly Item[], sources: FilterSources): Evidence {
  return new Evidence(sources, new Set(items.flatMap(({ about: { record } }) => record ?? [])));
}
