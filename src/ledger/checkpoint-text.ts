import { HASH_BYTES } from "./merkle.ts";
import { NoteError } from "./note.ts";

/** The signed text of a tree head (C2SP tlog-checkpoint v1.0.0): origin, size, root, one a line. */
export interface TreeHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

export function formatTreeHead({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${root.toString("base64")}\n`;
}

/** Extension lines may follow the three and are not read. Throws NoteError. */
export function parseTreeHead(text: string): TreeHead {
  const [origin = "", digits = "", encoded = ""] = text.split("\n");
  const size = Number(digits);
  const root = Buffer.from(encoded, "base64");
  const wellFormed =
    origin !== "" &&
    /^(0|[1-9][0-9]*)$/.test(digits) &&
    Number.isSafeInteger(size) &&
    root.length === HASH_BYTES &&
    root.toString("base64") === encoded;
  if (!wellFormed) throw new NoteError("not a checkpoint: expected origin, size and root, one a line");
  return { origin, size, root };
}
