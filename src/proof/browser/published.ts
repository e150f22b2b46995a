import { FormatError, toHex } from "../tlog/bytes.ts";
import { isObject, type JsonObject } from "../tlog/leaf.ts";
import { type Fact, type Passed, Stop } from "./outcome.ts";
import type { FoundLeaf } from "./row-steps.ts";
import { missing, parseObject, type SiteReader, shown, utf8 } from "./site-reader.ts";

/** Fields of a published observation that come from the row; the name in the row's body where it differs. */
const COPIED = {
  h3_cell: "h3_cell",
  observed_at: "observed_at",
  source_type: "source_type",
  presence_kind: "presence_kind",
  derived_from_archive: "derived_from_archive",
  recognition_model_version: "recognition_model_version",
  methodology_version: "methodology_version",
  source: "source",
} as const;

/** An observation as a record's list has it, with the row that it comes from. */
export interface ListedObservation {
  readonly row: number;
  readonly body: JsonObject; // of the row
  readonly observation: JsonObject;
  readonly list: JsonObject;
}

/** What the row alone decides, and what must follow from other members of the list. */
export const CHECKED_BY_ROW = [
  "id",
  "ledger_hash",
  ...Object.keys(COPIED),
  "source",
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
    ...copied(body),
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

function copied(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(COPIED).map(([field, inBody]) => [field, body[inBody]]));
}

/** The row has the UTC day, which may begin before the city's day of observation; the later of the two is published. */
function acceptedAt({ accepted_at }: JsonObject, { observed_at }: JsonObject): unknown {
  const isEarlier = Date.parse(String(accepted_at)) < Date.parse(String(observed_at));
  return isEarlier ? observed_at : accepted_at;
}

export function compared(name: string, inRow: unknown, published: unknown): Fact {
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
