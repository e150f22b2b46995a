import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PublicError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import type { ReadContext } from "../resources/define.ts";
import { findCity } from "./release-facts.ts";
import type { Tool } from "./tools/define-tool.ts";
import { ArgumentError, ToolError } from "./tools/tool-error.ts";
import { tools } from "./tools/tools.ts";

/** Result of one call, for usage counts. */
export interface CallNote {
  readonly tool: string | null; // null for an unknown tool
  readonly city: string | null; // slug
  readonly record: string | null; // public id of the record that the call was about
  /** Requested city of a business lookup. It must not be stored. */
  readonly search: { readonly city: string; readonly foundNothing: boolean } | null;
  readonly isRefused: boolean; // the name or arguments are invalid
}

export interface CallDeps {
  /** Returns the current release, undefined before the first. Called for every call, because releases change. */
  context(): ReadContext | undefined;
  readonly log: Log;
  /** Creates the id that links a failure's response to the log. */
  newFailureId(): string;
}

const byName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.contract.name, tool]));

/** Runs a tool and reports the call to `note`. Throws ProtocolError -32602 for an unknown tool; other failures become `isError` results. */
export function callTool(
  deps: CallDeps,
  name: string,
  args: unknown,
  note: (call: CallNote) => void,
): CallToolResult {
  const tool = byName.get(name);
  if (tool === undefined) {
    note({ tool: null, city: null, record: null, search: null, isRefused: true });
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown tool: ${name.slice(0, 100)}. Tools: ${[...byName.keys()].join(", ")}.`,
    );
  }
  try {
    const context = deps.context();
    if (context === undefined) throw new ToolError("Nothing is published yet: try again later.");
    const structuredContent = tool.call(context, args);
    const search = searchOf(args, structuredContent);
    note({ tool: name, search, isRefused: false, ...subjectOf(context, args, structuredContent) });
    // Some hosts show the model only the text, so it contains the whole structure.
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    const isRefused = error instanceof ArgumentError;
    note({ tool: name, city: null, record: null, search: isRefused ? null : searchOf(args, {}), isRefused });
    return { content: [{ type: "text", text: publicText(error, deps, name) }], isError: true };
  }
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

function publicText(error: unknown, { log, newFailureId }: CallDeps, tool: string): string {
  if (error instanceof ToolError || error instanceof PublicError) return error.message;
  const failure_id = newFailureId();
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error("tool_failed", { failure_id, tool, fault });
  return `Internal error ${failure_id}. Try again, or use other arguments. If it persists, report the error id.`;
}
