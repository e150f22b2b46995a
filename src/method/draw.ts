import { sha256Hex } from "../kernel/hash.ts";

/**
 * Draws a random sample without replacement: the `size` keys whose texts have the smallest SHA-256, in that order. A key's place in
 * the order never changes, and anyone who knows the texts can redraw the sample.
 */
export function drawSmallest<K>(
  candidates: Iterable<readonly [key: K, text: string]>,
  size: number,
): { readonly key: K; readonly order: string }[] {
  let smallest: { readonly key: K; readonly order: string }[] = [];
  const cut = () => {
    smallest = smallest.sort((a, b) => (a.order < b.order ? -1 : 1)).slice(0, size);
  };
  for (const [key, text] of candidates) {
    smallest.push({ key, order: sha256Hex(text) });
    if (smallest.length > 2 * size + 1000) cut();
  }
  cut();
  return smallest;
}
