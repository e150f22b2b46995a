import { fromBase64, toBase64 } from "./bytes.ts";
import { FormatError } from "./format-error.ts";
import { HASH_BYTES } from "./tile.ts";

/** The signed text of a tree head (C2SP tlog-checkpoint v1.0.0): origin, size, root, one a line. */
export interface TreeHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

export function formatTreeHead({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Extension lines may follow the three and are not read. Throws FormatError. */
export function parseTreeHead(text: string): TreeHead {
  const [origin = "", digits = "", encoded = ""] = text.split("\n");
  const size = Number(digits);
  const root = fromBase64(encoded);
  const wellFormed = origin !== "" && /^(0|[1-9][0-9]*)$/.test(digits) && Number.isSafeInteger(size);
  if (!wellFormed || root?.length !== HASH_BYTES)
    throw new FormatError("not a checkpoint: expected origin, size and root, one a line");
  return { origin, size, root };
}
