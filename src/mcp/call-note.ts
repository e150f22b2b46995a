import { z } from "zod";
import type { ReadContext } from "../resources/define.ts";
import { findCity } from "./release-facts.ts";

/** Result of one call, for usage counts. */
export const CallNote = z.object({
  tool: z.string().nullable(), // null for an unknown tool
  city: z.string().nullable(), // slug
  record: z.string().nullable(), // public id of the record that the call was about
  /** Requested city of a business lookup. It must not be stored. */
  search: z.object({ city: z.string(), foundNothing: z.boolean() }).nullable(),
  isRefused: z.boolean(), // the name or arguments are invalid
});
export type CallNote = Readonly<z.infer<typeof CallNote>>;

const NO_SUBJECT = { city: null, record: null, search: null };

/** The call of an unknown tool (null), or one with invalid arguments. */
export function refusedNote(tool: string | null): CallNote {
  return { ...NO_SUBJECT, tool, isRefused: true };
}

/** A call with valid arguments that failed. */
export function failedNote(tool: string, args: unknown): CallNote {
  return { ...NO_SUBJECT, tool, search: searchOf(args, {}), isRefused: false };
}

/** A call with its result. */
export function answeredNote(context: ReadContext, tool: string, args: unknown, result: unknown): CallNote {
  return { tool, ...subjectOf(context, args, result), search: searchOf(args, result), isRefused: false };
}

const CityInput = z.object({ city: z.string() });
const Subject = z.object({
  match: z.object({ public_id: z.string() }).optional(),
  entity: z.object({ public_id: z.string() }).optional(),
});

/** Returns the city and record that a result is about. */
function subjectOf(context: ReadContext, args: unknown, answer: unknown): Pick<CallNote, "city" | "record"> {
  const { data: input } = CityInput.safeParse(args);
  const { data: result } = Subject.safeParse(answer);
  const record = (result?.match ?? result?.entity)?.public_id ?? null;
  return { city: input === undefined ? null : findCity(context, input.city).slug, record };
}

const LookupInput = z.union([
  z.object({ city: z.string(), business_name: z.string() }),
  z.object({ city: z.string(), business_names: z.array(z.string()) }),
  z.object({ city: z.string(), name_or_address: z.string() }),
]);
const Lookup = z.object({ match: z.unknown(), entity: z.unknown(), candidates: z.unknown() }).partial();
const Answer = Lookup.extend({ comparison: z.array(Lookup).optional() });

/** Counts a call as one search, which found nothing when no name matched a record. */
function searchOf(args: unknown, answer: unknown): CallNote["search"] {
  const { data: input } = LookupInput.safeParse(args);
  const { data: result } = Answer.safeParse(answer);
  if (input === undefined || result === undefined) return null;
  const { comparison = [], ...whole } = result;
  const leads = [whole, ...comparison].some(
    ({ match, entity, candidates }) => (match ?? entity ?? candidates) !== undefined,
  );
  return { city: input.city, foundNothing: !leads };
}
