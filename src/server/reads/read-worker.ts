/** A thread that answers reads, one at a time. It owns one open snapshot, changed when a task names another, and those of kept releases that cursors name. */

import { parentPort } from "node:worker_threads";
import { TOOLS } from "../../contract/mcp/tools.ts";
import { PublicError } from "../../kernel/errors.ts";
import { runToolAsText } from "../../mcp/call-tool.ts";
import type { ReadContext } from "../../resources/define.ts";
import { contextWithEarlier } from "../../resources/release-store.ts";
import { queryPages } from "../../site/query/index.ts";
import type { PageInput } from "../../site/query/query-page.ts";
import { routes } from "../../site/routes/routes.ts";
import { END, READY, type ReadReply, ReadTask, TOOL_ARGUMENTS, toolOperation } from "./read-pool.ts";

type Answer = (context: ReadContext, input: PageInput) => string;

const byOperation: ReadonlyMap<string, Answer> = new Map([
  ...routes.map((route): [string, Answer] => [
    route.operationId,
    (context, { path, query }) => route.answer(context, path, query),
  ]),
  ...TOOLS.map(({ name }): [string, Answer] => [
    toolOperation(name),
    (context, { query }) => runToolAsText(context, name, JSON.parse(String(query[TOOL_ARGUMENTS]))),
  ]),
  ...queryPages.map((page): [string, Answer] => [page.operation, page.answerText]),
]);
let open: { path: string; context: ReturnType<typeof contextWithEarlier> } | undefined;

function contextFor(path: string): ReturnType<typeof contextWithEarlier> {
  if (open?.path === path) return open.context;
  const context = contextWithEarlier(path); // may throw: the one before stays
  open?.context.close();
  open = { path, context };
  return context;
}

function answer(message: unknown): ReadReply {
  try {
    const task = ReadTask.parse(message);
    const answerOf = byOperation.get(task.operationId);
    if (answerOf === undefined) return { fault: `no operation ${task.operationId}` };
    return { body: answerOf(contextFor(task.snapshot), task) };
  } catch (error) {
    if (error instanceof PublicError) {
      const { status, message, details } = error;
      return { error: { status, message, details: { ...details } } };
    }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on("message", (message: unknown) => {
  if (message !== END) return parentPort?.postMessage(answer(message));
  open?.context.close();
  return parentPort?.close();
});
parentPort?.postMessage(READY);
