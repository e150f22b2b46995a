/** The steps that hold the published list of a record against the rows of an observation, its record, its asset and its changes. */
import { FormatError, toHex } from "../tlog/bytes.ts";
import { isObject, type JsonObject } from "../tlog/leaf.ts";
import { type Fact, type Passed, Stop } from "./outcome.ts";
import type { FoundLeaf } from "./row-steps.ts";
import { missing, parseObject, type SiteReader, shown, utf8 } from "./site-reader.ts";

/** What every published observation has from its row. */
const COPIED = [
  "h3_cell",
  "observed_at",
  "source_type",
  "presence_kind",
  "derived_from_archive",
  "recognition_model_version",
  "methodology_version",
  "source",
];
/** Members of a row that are published otherwise, or that a later row changes. All others are copied, where the list has them. */
const CHANGED = ["accepted_at", "city", "observer_tag"];

/** An observation as a record's list has it, with the row that it comes from. */
interface ListedObservation {
  readonly row: number;
  readonly body: JsonObject; // of the row
  readonly observation: JsonObject;
  readonly list: JsonObject;
}

/** What the row alone decides, and what must follow from other members of the list. */
const CHECKED_BY_ROW = [
  "id",
  "ledger_hash",
  "accepted_at",
  "observed_on",
  "verif_state",
  "physical_citation",
  "counts_as_independent",
];

/** Compares the record's list of observations with the row. `record` is a public id; "" when none is known. */
export async function checkPublished(
  record: string,
  { leaf, hash }: FoundLeaf,
  body: JsonObject,
  reader: SiteReader,
): Promise<Passed<ListedObservation>> {
  if (leaf.kind !== "observation")
    throw new Stop("not checked", `Records list only observations, and this row is a “${leaf.kind}”.`);
  if (record === "")
    throw new Stop(
      "not checked",
      "No record id given. Enter one in the form, or follow a link on the record's page.",
    );
  const list = await readList(record, reader);
  const observation = inList(list, record, leaf.row);
  const expected = {
    ledger_hash: toHex(hash),
    ...copied(body, observation),
    accepted_at: acceptedAt(body, observation),
    ...implied(observation),
  };
  const facts = Object.entries(expected).map(([name, value]) => compared(name, value, observation[name]));
  const different = Object.entries(expected).filter(([name, value]) => value !== observation[name]);
  if (different.length > 0)
    throw new Stop(
      "failed",
      `The list differs from the row in: ${different.map(([name]) => name).join(", ")}.`,
      facts,
    );
  return {
    says: `${facts.length} values in the list of ${record} match the row.`,
    facts,
    found: { row: leaf.row, body, observation, list },
  };
}

const HALF_DAY_MS = 43_200_000;

/** What other members of the observation imply. A solar day begins within half a day of midnight UTC. */
function implied(observation: JsonObject): JsonObject {
  const { observed_on: day, observed_at: start, observation_verification_state: state } = observation;
  const isDay = Math.abs(Date.parse(String(day)) - Date.parse(String(start))) <= HALF_DAY_MS;
  return {
    observed_on: isDay ? day : "a day that begins then",
    verif_state: state,
    physical_citation: state !== "rejected",
    counts_as_independent: state !== "rejected" && observation["set_aside"] === null,
  };
}

function copied(body: JsonObject, observation: JsonObject): JsonObject {
  const others = Object.keys(body).filter((name) => name in observation && !CHANGED.includes(name));
  return Object.fromEntries([...COPIED, ...others].map((name) => [name, body[name]]));
}

/** The row has the UTC day, which may begin before the city's day of observation; the later of the two is published. */
function acceptedAt({ accepted_at }: JsonObject, { observed_at }: JsonObject): unknown {
  const isEarlier = Date.parse(String(accepted_at)) < Date.parse(String(observed_at));
  return isEarlier ? observed_at : accepted_at;
}

function compared(name: string, inRow: unknown, published: unknown): Fact {
  if (inRow === published) return { name, value: shown(inRow) };
  return { name, value: `in the row: ${shown(inRow)}\npublished: ${shown(published)}` };
}

/** Node answers the first address with the file at the second; a plain file server knows only that one. */
async function readList(record: string, reader: SiteReader): Promise<JsonObject> {
  const address = `/api/v1/observations/${record}`;
  const bytes =
    (await reader.read(address)) ?? (await reader.read(`${address}.json`)) ?? missing(`${address}.json`);
  return parseObject(address, utf8(address, bytes));
}

function inList(list: JsonObject, record: string, row: number): JsonObject {
  const { public_id, observations } = list;
  if (public_id !== record || !Array.isArray(observations))
    throw new FormatError(`The list is not one of the observations of ${record}`);
  const [only, second] = observations.filter(isObject).filter(({ id }) => id === row);
  if (only === undefined)
    throw new Stop(
      "not checked",
      `The list has the ${observations.length} latest observations of ${record}, without row ${row}.`,
    );
  if (second !== undefined) throw new FormatError(`The list contains row ${row} more than once`);
  return only;
}

/** A row whose leaf is in the signed tree, and whose text is the one that its leaf commits to. */
export interface ProvedRow {
  readonly row: number;
  readonly kind: string;
  readonly body: JsonObject;
}

export type Prove = (row: number) => Promise<ProvedRow>;

/** No list names so many changes of one observation. */
const MAX_CHANGES = 50;

/**
 * Proves the rows of an observation's record and asset, and those that the list names as its changes, and holds what follows from
 * them against the list. Rows that the list does not name are not looked for.
 */
export async function checkRelated(listed: ListedObservation, prove: Prove): Promise<Passed<undefined>> {
  const { body, observation, list } = listed;
  const changes: ProvedRow[] = [];
  for (const row of namedChanges(observation)) changes.push(await proved(row, "a change", prove));
  changes.sort((a, b) => a.row - b.row); // the last one counts, in whatever order a list names them
  const placed = changes.findLast(({ kind }) => kind === "reassign")?.body ?? body;
  const shownFor = chainOf(placed["record"], changes);
  const record = await proved(shownFor.at(-1), "the record", prove, "record");
  const asset = await proved(placed["asset"], "the asset", prove, "asset");
  assertConcerned(changes, listed.row, new Set([listed.row, ...shownFor]));
  const facts: [name: string, inRows: unknown, published: unknown][] = [
    ["public_id", record.body["public_id"], list["public_id"]],
    ["is_synthetic", body["is_synthetic"], list["is_synthetic"]],
    ["asset_id", placed["asset"], observation["asset_id"]],
    ["asset_public_id", asset.body["public_id"], observation["asset_public_id"]],
    ["observer_tag", tagAfter(placed["observer_tag"], shownFor, changes), observation["observer_tag"]],
    ["observation_verification_state", ...states(listed, changes)],
    ["set_aside", ...setAside(listed, changes)],
  ];
  const different = facts.filter(([, inRows, published]) => inRows !== published).map(([name]) => name);
  const all = facts.map(([name, inRows, published]) => compared(name, inRows, published));
  if (different.length > 0)
    throw new Stop("failed", `The list differs from these rows in: ${different.join(", ")}.`, all);
  const left = unchecked(
    listed,
    changes.some((each) => isVerdict(each, listed.row)),
  );
  return { says: summary(listed, record, asset, changes, left), facts: [...all, ...left], found: undefined };
}

function namedChanges({ changed_by: rows }: JsonObject): unknown[] {
  if (!Array.isArray(rows))
    throw new Stop("not checked", "The list does not name the rows that changed the observation.");
  if (rows.length > MAX_CHANGES)
    throw new Stop("could not check", `The list names ${rows.length} rows that changed the observation.`);
  return rows;
}

async function proved(row: unknown, what: string, prove: Prove, kind?: string): Promise<ProvedRow> {
  if (typeof row !== "number" || !Number.isSafeInteger(row) || row < 1)
    throw new FormatError(`${shown(row)}, named as ${what}, is no row`);
  const named = `Row ${row}, named as ${what}`;
  const found = await prove(row).catch((error: unknown) => {
    if (error instanceof FormatError) throw new Stop("failed", `${named}: ${error.message}.`);
    if (!(error instanceof Stop)) throw error;
    throw new Stop(
      error.state === "failed" ? "failed" : "could not check",
      `${named}: ${error.message}`,
      error.facts,
    );
  });
  if (kind !== undefined && found.kind !== kind)
    throw new Stop("failed", `${named}, is of the kind “${found.kind}”.`);
  return found;
}

function isReview({ kind, body }: ProvedRow, ...decisions: readonly string[]): boolean {
  return kind === "review" && decisions.includes(String(body["decision"]));
}

/** A record, the one it went into, and so on: as the named merges have it. */
function chainOf(record: unknown, changes: readonly ProvedRow[]): unknown[] {
  const chain = [record];
  for (;;) {
    const merge = changes.findLast((each) => isReview(each, "merge") && each.body["target"] === chain.at(-1));
    const into = merge?.body["into"];
    if (into === undefined || chain.includes(into)) return chain;
    chain.push(into);
  }
}

/** Each named row must be about the observation, or about a record that it came through. */
function assertConcerned(changes: readonly ProvedRow[], row: number, concerned: ReadonlySet<unknown>): void {
  const isConcerned = (change: ProvedRow) => {
    const { target } = change.body;
    if (change.kind === "reassign") return target === row;
    const changesIt = isReview(change, "merge", "verify", "reject") || change.kind === "recount";
    return changesIt && concerned.has(target);
  };
  const stray = changes.find((change) => !isConcerned(change));
  if (stray === undefined) return;
  throw new Stop("failed", `Row ${stray.row}, named as a change, does not concern this observation.`);
}

/** The tag at the end of the merges. */
function tagAfter(tag: unknown, shownFor: readonly unknown[], changes: readonly ProvedRow[]): unknown {
  let current = tag;
  for (const record of shownFor) {
    const merge = changes.findLast((each) => isReview(each, "merge") && each.body["target"] === record);
    const tags = merge?.body["tags"];
    if (isObject(tags)) current = tags[String(current)] ?? current;
  }
  return current;
}

const REVIEWED = { verify: "verified", reject: "rejected" } as const;

/** What the last review says; without one no list may say what only a review can. */
function states({ row, observation }: ListedObservation, changes: readonly ProvedRow[]): [unknown, unknown] {
  const published = observation["observation_verification_state"];
  const last = changes.findLast((each) => isVerdict(each, row))?.body["decision"];
  if (last === "verify" || last === "reject") return [REVIEWED[last], published];
  const isReviewers = published === REVIEWED.verify || published === REVIEWED.reject;
  return [isReviewers ? "not reviewed" : published, published];
}

function isVerdict(change: ProvedRow, row: number): boolean {
  return isReview(change, "verify", "reject") && change.body["target"] === row;
}

/** An observation that does not count by its row or a later one is set aside, and for a private trace no other is. */
function setAside(
  { row, body, observation }: ListedObservation,
  changes: readonly ProvedRow[],
): [unknown, unknown] {
  const published = observation["set_aside"];
  const counts = changes.filter(({ kind, body }) => kind === "recount" && body["target"] === row).at(-1)
    ?.body["counts"];
  const isApart = (counts ?? body["counts"]) === false;
  if (isApart && published === null) return ["private_trace", published];
  return [!isApart && published === "private_trace" ? null : published, published];
}

const CHECKED_HERE = ["asset_id", "asset_public_id", "observer_tag", "changed_by"];

/** Every other value of the list, said to be so. */
function unchecked(
  { body, observation }: Pick<ListedObservation, "body" | "observation">,
  isStateReviewed: boolean,
): Fact[] {
  const checked = new Set([...CHECKED_BY_ROW, ...CHECKED_HERE, ...Object.keys(copied(body, observation))]);
  if (isStateReviewed) checked.add("observation_verification_state");
  return Object.entries(observation)
    .filter(([name]) => !checked.has(name))
    .map(([name, value]) => ({ name, value: `${shown(value)}\n(not checked here)` }));
}

function summary(
  { body, observation }: ListedObservation,
  record: ProvedRow,
  asset: ProvedRow,
  changes: readonly ProvedRow[],
  left: readonly Fact[],
): string {
  const kinds = `${shown(body["presence_kind"])}, ${shown(asset.body["asset_type"])}`;
  const of = `the record ${shown(record.body["public_id"])}`; // what it is called is in other rows
  const changed =
    changes.length === 0
      ? "Its list names no changes"
      : `Changed by the rows ${changes.map(({ row }) => row).join(", ")}`;
  return `An observation of ${shown(observation["observed_on"])} (${kinds}) of ${of}. ${changed}. Not checked here: ${left.map(({ name }) => name).join(", ")}.`;
}
