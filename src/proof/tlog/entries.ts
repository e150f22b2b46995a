/** Entry bundles (C2SP tlog-tiles): the leaves of a tile of level 0, each behind its length as a big-endian uint16. */
import { concat } from "./bytes.ts";
import { FormatError } from "./format-error.ts";

const LENGTH_BYTES = 2;

export function splitEntries(bundle: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const length = (bundle[at] ?? 0) * 256 + (bundle[at + 1] ?? 0);
    const end = at + LENGTH_BYTES + length;
    if (end > bundle.length) throw new FormatError("the entry bundle is cut short");
    entries.push(bundle.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return entries;
}

export function joinEntries(entries: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return concat(...entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]));
}
