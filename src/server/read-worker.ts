import { parentPort } from "node:worker_threads";
import { PublicError } from "../kernel/errors.ts";
import { routes } from "../render/routes.ts";
import { contextAt } from "../resources/release-store.ts";
import { type ReadReply, ReadTask } from "./read-task.ts";

/** A thread that answers reads, one at a time. It owns one open snapshot, changed when a task names another. */

const byOperation = new Map(routes.map((route) => [route.operationId, route]));
let open: { path: string; context: ReturnType<typeof contextAt> } | undefined;

function contextFor(path: string): ReturnType<typeof contextAt> {
  if (open?.path === path) return open.context;
  const context = contextAt(path); // may throw: the one before stays
  open?.context.close();
  open = { path, context };
  return context;
}

function answer(message: unknown): ReadReply {
  try {
    const task = ReadTask.parse(message);
    const route = byOperation.get(task.operationId);
    if (route === undefined) return { fault: `no operation ${task.operationId}` };
    return { body: route.answer(contextFor(task.snapshot), task.path, task.query) };
  } catch (error) {
    if (error instanceof PublicError) {
      const { status, message, details } = error;
      return { error: { status, message, details: { ...details } } };
    }
    return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on("message", (message: unknown) => parentPort?.postMessage(answer(message)));
