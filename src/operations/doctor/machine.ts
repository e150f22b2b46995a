import { statSync } from "node:fs";
import { hasErrorCode } from "../../kernel/errors.ts";
import type { Check } from "./check.ts";

/** A release with its pages, and the journals of the databases, need this at least. */
const LEAST_BYTES = 1 << 30;
/** The rebuild of the ledger after an erasure writes it twice more. */
const LEDGER_FACTOR = 3;
const MIB = 1 << 20;

export const diskSpace: Check = {
  name: "disk space",
  find({ home, freeBytes }) {
    const needed = Math.max(LEAST_BYTES, LEDGER_FACTOR * sizeOf(home.ledger));
    const free = freeBytes(home.root);
    if (free >= needed) return [];
    return [
      {
        problem: `${home.root}: ${Math.floor(free / MIB)} MiB are free, and the next nights may need ${Math.ceil(needed / MIB)} MiB`,
        mend: "free some space, lower RELEASES_KEPT, or take a larger disk",
      },
    ];
  },
};

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}
