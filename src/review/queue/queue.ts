/** Makes the queue: items and groups with what a decision needs, and what nobody is asked about. */
import { confirmationCode } from "../../kernel/confirmation.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { isoTime } from "../../kernel/time.ts";
import type { DeskState } from "../desk-state.ts";
import { byWaiting, checkWords, type Item } from "../items.ts";
import { type Asked, choicesOf, industryText, questionOf } from "./choices.ts";
import { Evidence, type EvidenceSources, Letters, subjectOfLine } from "./evidence.ts";
import { askedIn, HELD_KINDS, ruleOf } from "./groups.ts";
import {
  QUEUE_KINDS,
  QUEUE_VERSION,
  type QueueGroup,
  type QueueItem,
  type QueueKind,
  type ReviewQueue,
} from "./model.ts";

/** An item of the ledger, or a report, which waits in the state. */
export type QueuedItem = Omit<Item, "kind"> & { readonly kind: QueueKind };

export interface QueueSources extends EvidenceSources {
  readonly items: readonly QueuedItem[];
  readonly now: number; // ms
  readonly notAsked: ReviewQueue["not_asked"];
  /** Each item by itself. */
  readonly ungrouped?: boolean;
}

/** Items of a group that are shown, drawn by their ids: anyone's name comes first with equal chance. */
const SAMPLE = 12;

export function reviewQueue(sources: QueueSources): ReviewQueue {
  const { items, state, now, notAsked, ungrouped } = sources;
  const { single, grouped } =
    ungrouped === true ? { single: items, grouped: NO_GROUPS } : dividedItems(items, state);
  const { shown, groups } = shownItems(sources, single, grouped);
  return {
    queue_version: QUEUE_VERSION,
    made_at: isoTime(now),
    last_row: state.lastRow,
    counts: countsOf(single, groups),
    groups: groups.sort((a, b) => b.items - a.items || (a.key < b.key ? -1 : 1)),
    items: byWaiting(shown),
    members: Object.fromEntries([...grouped].map(([key, own]) => [key, own.map(({ item }) => item)])),
    not_asked: [...notAsked],
  };
}

type Grouped = ReadonlyMap<string, readonly QueuedItem[]>;
const NO_GROUPS: Grouped = new Map();

/** Groups alone. */
export function groupsOf(sources: EvidenceSources, grouped: Grouped): QueueGroup[] {
  return shownItems(sources, [], grouped).groups;
}

/** The items that are shown, and the groups of which they are a sample. */
function shownItems(sources: EvidenceSources, single: readonly QueuedItem[], grouped: Grouped) {
  const samples = new Map([...grouped].map(([key, own]) => [key, sampleOf(own)]));
  const all = [...single, ...[...samples.values()].flat()];
  const keyOf = new Map([...samples].flatMap(([key, own]) => own.map(({ item }) => [item, key])));
  const builder = new ItemBuilder(sources, all);
  const shown = all.map((item) => builder.item(item, keyOf.get(item.item) ?? null));
  const byId = new Map(shown.map((item) => [item.id, item]));
  const groups = [...grouped].map(([key, own]) =>
    groupOf(key, own, { byId, state: sources.state, sample: samples.get(key) ?? [] }),
  );
  return { shown, groups };
}

/** What comes once is asked by itself, unless the decision reaches further than the item. */
function dividedItems(items: readonly QueuedItem[], state: DeskState) {
  const byKey = Map.groupBy(items, (item) => (isOfLedger(item) ? askedIn(item, state) : undefined));
  const alone = [...byKey].filter(
    ([key, own]) => key === undefined || (own.length === 1 && !/^(?:rule|brand|name):/.test(key)),
  );
  const single = alone.flatMap(([, own]) => own);
  for (const [key] of alone) byKey.delete(key);
  const grouped = new Map(
    [...byKey].flatMap(([key, own]) => (key === undefined ? [] : [[key, own] as const])),
  );
  return { single, grouped };
}

function isOfLedger(item: QueuedItem): item is Item {
  return item.kind !== "report";
}

function sampleOf(items: readonly QueuedItem[]): readonly QueuedItem[] {
  return items
    .map((item) => ({ item, place: sha256Hex(item.item) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, SAMPLE)
    .map(({ item }) => item);
}

class ItemBuilder {
  readonly #state: DeskState;
  readonly #evidence: Evidence;

  constructor(sources: EvidenceSources, items: readonly QueuedItem[]) {
    this.#state = sources.state;
    const records = items.flatMap(({ about: { record, candidates = [] } }) =>
      [record ?? [], candidates].flat(),
    );
    this.#evidence = new Evidence(sources, new Set(records));
  }

  item(item: QueuedItem, group: string | null): QueueItem {
    const asked = this.#asked(item);
    return {
      id: item.item,
      ...{
        kind: item.kind,
        city: item.city,
        waits_since: item.waits_since,
        version: item.version,
        why: item.why,
      },
      question: questionOf(asked),
      choices: choicesOf(asked),
      subject: asked.subject,
      candidates: [...asked.candidates],
      facts: Object.entries(item.facts ?? {}).map(([label, value]) => ({ label, value })),
      asked_in: group,
      groups: this.#groups(item),
    };
  }

  #asked(item: QueuedItem): Asked {
    const { line, record: id, candidates = [] } = item.about;
    const letters = new Letters();
    const record = id === undefined ? undefined : this.#state.records.get(id);
    if (record === undefined)
      return { item, subject: line === undefined ? null : subjectOfLine(line), candidates: [] };
    const from = this.#evidence.pointOf(record.id);
    return {
      item,
      subject: this.#evidence.subjectOf(record, letters),
      candidates: candidates
        .flatMap((candidate) => this.#state.records.get(candidate) ?? [])
        .map((candidate) => this.#evidence.subjectOf(candidate, letters, from)),
    };
  }

  #groups({ about: { line, record, check } }: QueuedItem): string[] {
    const sources =
      line !== undefined
        ? [line.input.source ?? line.input.source_type]
        : record === undefined
          ? []
          : this.#evidence.sourcesOf(record);
    const batch = line === undefined ? [] : [`batch:${line.held.batch}`];
    return [
      ...sources.map((source) => `source:${source}`),
      ...batch,
      ...(check === undefined ? [] : [`check:${check}`]),
    ];
  }
}

interface GroupParts {
  readonly byId: ReadonlyMap<string, QueueItem>;
  readonly state: DeskState;
  readonly sample: readonly QueuedItem[];
}

function groupOf(key: string, items: readonly QueuedItem[], { byId, state, sample }: GroupParts): QueueGroup {
  const shown = sample.flatMap(({ item }) => byId.get(item) ?? []);
  const [first] = shown;
  const cities = [...Map.groupBy(items, ({ city }) => city)].map(([city, own]) => ({
    city,
    items: own.length,
  }));
  const kind = first?.kind ?? "industry";
  return {
    key,
    kind,
    city: cities.length === 1 ? (cities[0]?.city ?? null) : null,
    waits_since: items.map((item) => item.waits_since).sort()[0] ?? "",
    question: groupQuestion(key, items, { first, state }),
    choices: (first?.choices ?? []).map((choice) => groupChoice(choice, kind, items.length)),
    version: groupVersion(key, items),
    items: items.length,
    cities: cities.sort((a, b) => b.items - a.items),
    sample: shown.map((item) => ({
      id: item.id,
      name: item.subject?.name ?? "",
      detail: [item.city ?? "", ...item.candidates.map(({ name }) => `and “${name}”`)].join(" ").trim(),
    })),
  };
}

/** Changes with any item of the group and with any decision about one. */
export function groupVersion(key: string, items: readonly Pick<QueuedItem, "item" | "version">[]): string {
  return confirmationCode([key, ...items.map(({ item, version }) => `${item} ${version}`).sort()]);
}

function groupChoice(choice: QueueItem["choices"][number], kind: QueueKind, items: number) {
  const later = HELD_KINDS.some((held) => held === kind && held !== "opt-out")
    ? "; later lines of this name in the city go the same way, without a question"
    : "";
  const each = items === 1 ? choice.effect : `for each of the ${items}: ${choice.effect}`;
  return { ...choice, value: kind === "match" ? null : choice.value, effect: `${each}${later}` };
}

interface Asking {
  readonly first: QueueItem | undefined;
  readonly state: DeskState;
}

function groupQuestion(key: string, items: readonly QueuedItem[], { first, state }: Asking): string {
  const number = items.length;
  if (key.startsWith("pair:") && first !== undefined)
    return `${first.question} The same two names are near each other at ${number} places of ${first.city}.`;
  const [by, code = ""] = key.split(":");
  if (by === "sample" && number > 1)
    return `Were these ${number} observations, a random sample, set aside rightly? ${first?.why ?? ""}`;
  if (by === "pattern" && number > 1) return `Are these ${number} patterns a problem? ${checkWords(code)}.`;
  if (by !== "rule" && by !== "brand") return first?.question ?? "";
  const these = number === 1 ? "Is this record" : `Are these ${number} records`;
  const because =
    by === "brand"
      ? "They have the name of a listed brand."
      : `Words in their names: ${wordsOf(items, state)}.`;
  return `${these} ${industryText(code)}? ${because}`;
}

const SHOWN_WORDS = 10;

/** The words by which a rule proposed, the most frequent first. */
function wordsOf(items: readonly QueuedItem[], state: DeskState): string {
  const words = items.map(({ about: { record = 0 } }) => {
    const naming = state.records.get(record)?.naming;
    return naming?.industry == null ? undefined : ruleOf(naming.name, naming.industry).word;
  });
  const counts = [...Map.groupBy(words, (word) => word ?? "an earlier rule")].map(
    ([word, own]) => [word, own.length] as const,
  );
  const sorted = counts.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const shown = sorted.slice(0, SHOWN_WORDS).map(([word, number]) => `${word} (${number})`);
  return [...shown, ...(sorted.length > SHOWN_WORDS ? [`and ${sorted.length - SHOWN_WORDS} more`] : [])].join(
    ", ",
  );
}

const CHANGES: Readonly<Record<QueueKind, string>> = {
  match: "two records are one, or stay two",
  industry: "records appear under a reviewed industry, and may be ranked",
  "generic-name": "lines with a generic name become rows, or are deleted",
  "damaged-name": "lines with a damaged name become rows, or are deleted",
  "private-name": "lines whose name may hold details of a person become rows, or are deleted",
  "opt-out": "lines near a record that opted out become rows, or are deleted",
  integrity: "flagged records may be ranked again",
  retire: "signs of which observations disagree are retired, or stay",
  "set-aside": "observations that a check set aside count again, or are confirmed",
  independence: "patterns that a check found are closed",
  report: "reported problems are resolved",
};

function countsOf(single: readonly QueuedItem[], groups: readonly QueueGroup[]): ReviewQueue["counts"] {
  return QUEUE_KINDS.flatMap((kind) => {
    const alone = single.filter((item) => item.kind === kind).length;
    const own = groups.filter((group) => group.kind === kind);
    if (alone + own.length === 0) return [];
    const items = alone + own.reduce((sum, group) => sum + group.items, 0);
    return [{ kind, decisions: alone + own.length, items, groups: own.length, changes: CHANGES[kind] }];
  });
}
