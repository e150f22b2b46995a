import type { CallNote } from "./call-note.ts";
import { methodsOf, TOOL_CALL, TOOL_LIST } from "./messages.ts";

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
