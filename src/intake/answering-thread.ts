/** Threads beside the one that writes: they answer one request after another, and one answer is made while the caller uses the last. */
import { once } from "node:events";
import { parentPort, Worker } from "node:worker_threads";
import { z } from "zod";
import { OperatorError } from "../kernel/errors.ts";
import { PURPOSES, type PurposeKey } from "../ledger/keys/keys.ts";

type Reply<Answer> =
  | { readonly answer: Answer | undefined }
  | { readonly failed: string; readonly forOperator: boolean };

const END = "end";

/** The caller's side. The script calls `answerRequests` with functions of the same types. */
export class AnsweringThread<Request, Answer> implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #ended: Promise<unknown>;

  constructor(script: URL, workerData: Readonly<Record<string, unknown>>) {
    this.#worker = new Worker(script, { workerData });
    this.#ended = once(this.#worker, "exit"); // rejects with what the script throws
    this.#ended.catch(() => undefined);
  }

  /** The answers to the requests 0, 1, 2 … until there is none. Throws what the answering function throws. */
  async *answers(request: (index: number) => Request): AsyncGenerator<Answer> {
    let next = this.#ask(request(0));
    for (let index = 1; ; index += 1) {
      const answer = await next;
      if (answer === undefined) return;
      next = this.#ask(request(index));
      next.catch(() => undefined); // it is thrown when its turn comes
      yield answer;
    }
  }

  /** Waits for the answer that is being made. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.postMessage(END);
    await this.#ended.catch(() => undefined);
  }

  async #ask(request: Request): Promise<Answer | undefined> {
    const replied = once(this.#worker, "message");
    const early = this.#ended.then(() => {
      throw new Error("a thread of intake ended early");
    });
    this.#worker.postMessage(request);
    const [reply]: Reply<Answer>[] = await Promise.race([replied, early]);
    if (reply === undefined) throw new Error("a thread of intake sent nothing");
    if ("answer" in reply) return reply.answer;
    throw reply.forOperator ? new OperatorError(reply.failed) : new Error(reply.failed);
  }
}

/** In the thread: answers requests in their order, then calls `close`. `undefined` says that there are no more answers. */
export function answerRequests<Request, Answer>(
  answer: (request: Request) => Answer | undefined | Promise<Answer | undefined>,
  close: () => unknown,
): void {
  const reply = async (request: Request): Promise<Reply<Answer>> => {
    try {
      return { answer: await answer(request) };
    } catch (error) {
      const forOperator = error instanceof OperatorError;
      const text = error instanceof Error ? (forOperator ? error.message : error.stack) : undefined;
      return { failed: text ?? String(error), forOperator };
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  parentPort?.on("message", (request: Request | typeof END) => {
    last = last.then(async () => {
      if (request !== END) return parentPort?.postMessage(await reply(request));
      await close();
      parentPort?.close();
    });
  });
}

/** The keys of all purposes. They stay within the process. */
export const ThreadKeys = z.record(z.string(), z.instanceof(Uint8Array));

export function keysForThread(purposeKey: PurposeKey): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, purposeKey(purpose)]));
}

/** In the thread. */
export function purposeKeyFrom(keys: z.infer<typeof ThreadKeys>): PurposeKey {
  return (purpose) => {
    const key = keys[purpose];
    if (key === undefined) throw new Error(`the thread was given no key for ${purpose}`);
    return Buffer.from(key);
  };
}

/**
 * Lines on their way from a thread. They cross over as texts and are parsed piece by piece: a hundred lines die young, where a chunk
 * of ten thousand objects would be copied by the garbage collector again and again.
 */
const PIECE_LINES = 128;

/** Items, each beside a JSON text of its own, which is carried as it is. Each is taken when its piece is made. */
export function packed(items: Iterable<readonly [item: unknown, text: string]>): string[] {
  const pieces: string[] = [];
  let heads: unknown[] = [];
  let texts: string[] = [];
  // JSON has no line end of its own.
  const end = () => pieces.push([JSON.stringify(heads), ...texts].join("\n"));
  for (const [item, text] of items) {
    heads.push(item);
    texts.push(text);
    if (heads.length < PIECE_LINES) continue;
    end();
    heads = [];
    texts = [];
  }
  if (heads.length > 0) end();
  return pieces;
}

/** `T` is the type of what was packed, without members that were undefined. */
export function* unpacked<T>(pieces: Iterable<string>): Generator<readonly [item: T, text: string]> {
  for (const piece of pieces) {
    const [head = "[]", ...texts] = piece.split("\n");
    const items: readonly T[] = JSON.parse(head);
    for (const [index, item] of items.entries()) yield [item, texts[index] ?? ""];
  }
}
