/** Runs tools over a release, without the protocol: in the server's thread, or in the one that reads. */

import { PublicError } from "../kernel/errors.ts";
import type { ReadContext } from "../resources/define.ts";
import { answeredNote, failedNote, refusedNote } from "./call-note.ts";
import type { FinishedCall } from "./finished-calls.ts";
import type { ParsedCall, Tool } from "./tools/define-tool.ts";
import { ArgumentError, ToolError } from "./tools/tool-error.ts";
import { tools } from "./tools/tools.ts";

export const toolByName: ReadonlyMap<string, Tool> = new Map(tools.map((tool) => [tool.contract.name, tool]));

/** The result of a tool, as JSON of FinishedCall. Throws what is no fault of the caller. */
export function runToolAsText(context: ReadContext, name: string, args: unknown): string {
  const tool = toolByName.get(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  try {
    return JSON.stringify(runTool(context, name, tool.parse(args)));
  } catch (error) {
    if (error instanceof ToolError || error instanceof PublicError)
      return JSON.stringify(failedCall(error, error.message, name, args));
    throw error;
  }
}

/** Some hosts show the model only the text, so it contains the whole structure. */
export function runTool(context: ReadContext, tool: string, { args, run }: ParsedCall): FinishedCall {
  const structuredContent = run(context);
  const text = JSON.stringify(structuredContent);
  const content = membersOf({ content: [{ type: "text", text }] });
  return {
    members: `${content},"structuredContent":${text}`,
    note: answeredNote(context, tool, args, structuredContent),
  };
}

/** A call that failed, as an `isError` result with this text. */
export function failedCall(error: unknown, text: string, name: string, args: unknown): FinishedCall {
  const note = error instanceof ArgumentError ? refusedNote(name) : failedNote(name, args);
  return { members: membersOf({ content: [{ type: "text", text }], isError: true }), note };
}

function membersOf(result: object): string {
  return JSON.stringify(result).slice(1, -1);
}
