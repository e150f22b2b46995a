/** Messages between the server and its read worker: plain data, because they cross threads. */

import { z } from "zod";

/** A read by operation id, of a route or a page, over the snapshot at a path. */
export const ReadTask = z.object({
  operationId: z.string(),
  snapshot: z.string(),
  path: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string()).readonly()])),
});
export type ReadTask = z.infer<typeof ReadTask>;

/** The operation of a tool of MCP; its arguments are JSON in one value of the query. */
export const toolOperation = (name: string): string => `mcp.${name}`;
export const TOOL_ARGUMENTS = "arguments";

/** The body, an error for the caller, or a fault for the operator's log. */
export const ReadReply = z.union([
  z.object({ body: z.string() }),
  z.object({
    error: z.object({ status: z.int(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
  }),
  z.object({ fault: z.string() }),
]);
export type ReadReply = z.infer<typeof ReadReply>;

/** The first message of a worker: it has loaded its code and takes tasks. */
export const READY = "ready";

/** The last message to a worker: it closes what it has open, and its thread ends. */
export const END = "end";
