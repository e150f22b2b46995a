import { z } from "zod";
import type { ReadContext } from "../resources/define.ts";
import { ReleaseMemory } from "../resources/release-store.ts";
import { methodsOf, TOOL_CALL, TOOL_LIST } from "./messages.ts";
import { findCity } from "./release-facts.ts";

/** Result of one call, for usage counts. */
export const CallNote = z.object({
  tool: z.string().nullable(), // null for an unknown tool
  city: z.string().nullable(), // slug
  record: z.string().nullable(), // public id of the record that the call was about
  /** City of a business lookup, as it was asked for: it must not be stored. */
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

/** Result of one message of a body. */
export interface MessageNote extends CallNote {
  readonly method: string; // a protocol method, or "other_method"
}

/** Methods of both protocol eras. Unknown methods are not counted by name. */
const METHODS: ReadonlySet<string> = new Set([
  TOOL_CALL,
  TOOL_LIST,
  "initialize",
  "ping",
  "server/discover",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
  "logging/setLevel",
  "notifications/initialized",
  "notifications/cancelled",
]);

const NO_TOOL = { tool: null, city: null, record: null, search: null, isRefused: false };

/** Creates one note for each message. `calls` has the tools' reports in any order; the protocol refused calls without one. */
export function messageNotes(body: unknown, calls: readonly CallNote[]): MessageNote[] {
  const methods = methodsOf(body);
  const refused = methods.filter((method) => method === TOOL_CALL).length - calls.length;
  return [
    ...methods
      .filter((method) => method !== TOOL_CALL)
      .map((method) => ({ ...NO_TOOL, method: METHODS.has(method) ? method : "other_method" })),
    ...calls.map((call) => ({ ...call, method: TOOL_CALL })),
    ...Array.from({ length: Math.max(0, refused) }, () => ({
      ...NO_TOOL,
      method: TOOL_CALL,
      isRefused: true,
    })),
  ];
}

/** A call that was run: members of the protocol's CallToolResult, as JSON without the outer braces, and what is counted. */
export const FinishedCall = z.object({ members: z.string(), note: CallNote });
export type FinishedCall = Readonly<z.infer<typeof FinishedCall>>;

/** Results by tool and arguments. */
export type FinishedCalls = ReleaseMemory<FinishedCall>;

/** Results to remember, by an upper bound of their bytes: V8 keeps a character in one byte or two. */
const MAX_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 2;
/** The objects of an entry, with the texts of its note. */
const OVERHEAD_BYTES = 500;

export function finishedCalls(maxBytes = MAX_BYTES): FinishedCalls {
  return new ReleaseMemory(maxBytes, bytesOf);
}

function bytesOf({ members }: FinishedCall, key: string): number {
  return (members.length + key.length) * BYTES_PER_CHARACTER + OVERHEAD_BYTES;
}
