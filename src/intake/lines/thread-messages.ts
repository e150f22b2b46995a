/** What goes to and from the threads that read lines: keys one way, lines the other. */

import { z } from "zod";
import { PURPOSES, type PurposeKey } from "../../ledger/keys/keys.ts";

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
