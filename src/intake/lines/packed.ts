/**
 * Lines on their way from a thread. They cross over as texts and are parsed piece by piece: a hundred lines die young, where a chunk
 * of ten thousand objects would be copied by the garbage collector again and again.
 */
const PIECE_LINES = 128;

/** Each item beside a JSON text of its own, which is carried as it is. */
export function packed(items: readonly unknown[], textOf: (index: number) => string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < items.length; from += PIECE_LINES) {
    const piece = items.slice(from, from + PIECE_LINES);
    // JSON has no line end of its own.
    pieces.push([JSON.stringify(piece), ...piece.map((_, index) => textOf(from + index))].join("\n"));
  }
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
