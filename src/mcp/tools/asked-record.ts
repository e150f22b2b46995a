import type { ToolContract } from "../../contract/mcp/tool-contract.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { ReadContext } from "../../resources/define.ts";
import { entitySummary } from "../../resources/records/entity-summary.ts";
import { publicRecord } from "../../resources/records/public-record.ts";
import { type City, cityLabel, findCity } from "../release-facts.ts";
import { argumentError } from "./define-tool.ts";
import { findRecord, type Lookup } from "./find-record.ts";
import { ToolError } from "./tool-error.ts";

/** A requested record: by the name on its sign, or by the id from an earlier result. */
export type Asked = { readonly name: string } | { readonly publicId: string };

/** A city of the release and the record lookup in it. */
export interface Answered {
  readonly city: City;
  readonly lookup: Lookup;
}

/** Requires exactly one of name and public_id; `argument` is the tool's argument for the name. Throws ArgumentError. */
export function askedFor(
  contract: Pick<ToolContract, "name" | "input">,
  argument: string,
  name: string | undefined,
  publicId: string | undefined,
): Asked {
  if (name !== undefined && publicId === undefined) return { name };
  if (publicId !== undefined && name === undefined) return { publicId };
  const got = publicId === undefined ? "neither" : "both";
  throw argumentError(contract, `pass either ${argument} or public_id (got ${got})`);
}

/** Looks up the record. Throws ToolError for an unknown city, an unknown id or a record of another city. */
export function findAsked(context: ReadContext, asked: Asked, cityText: string): Answered {
  if ("publicId" in asked) return foundById(context, asked.publicId, cityText);
  const city = findCity(context, cityText);
  return { city, lookup: findRecord(context, city.slug, asked.name) };
}

function foundById(context: ReadContext, publicId: string, cityText: string): Answered {
  const { record, city: row } = recordOf(context, publicId);
  const city = cityIfKnown(context, cityText);
  if (city?.slug !== row.slug)
    throw new ToolError(
      `The record ${publicId} belongs to another city: pass city ${cityLabel(context, row.slug)}.`,
    );
  const summary = entitySummary(record, row, context.snapshot.release().baseUrl);
  return { city, lookup: { kind: "one", record: summary, matchedBy: "public_id" } };
}

function recordOf(context: ReadContext, publicId: string) {
  try {
    const record = publicRecord(context.snapshot, publicId);
    if (record !== undefined) return record;
  } catch (error) {
    throw mergedError(error, publicId) ?? error;
  }
  throw new ToolError(
    `The public_id ${publicId} matches no record in this release, and nothing follows from that: the id may be misspelled, or its record withdrawn. Pass a name instead.`,
  );
}

function mergedError(error: unknown, publicId: string): ToolError | undefined {
  const staying = error instanceof PublicError ? error.details["merged_into"] : undefined;
  if (typeof staying !== "string") return undefined;
  return new ToolError(`The record ${publicId} was merged into ${staying}: pass public_id ${staying}.`);
}

/** Returns undefined for an unknown or ambiguous city, because the error for the record's own city is more useful. */
function cityIfKnown(context: ReadContext, text: string): City | undefined {
  try {
    return findCity(context, text);
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
