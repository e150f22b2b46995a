import { z } from "zod";
import { ReleaseMemory } from "../resources/release-memory.ts";
import { CallNote } from "./call-note.ts";

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
