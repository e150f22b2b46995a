/** The rows of the ledger are checked a share at a time, so that all have their turn within a month. */

import { readFileSync } from "node:fs";
import { z } from "zod";
import { hasErrorCode } from "../kernel/errors.ts";
import { replaceFile } from "../kernel/files/durable-file.ts";
import type { Home } from "../kernel/home.ts";
import { SECOND_MS } from "../kernel/time.ts";
import type { LedgerReader } from "../ledger/reader.ts";

const NIGHTS = 30;
/** Fewer take a few seconds: a ledger of so many rows is checked whole each time. */
const MIN_ROWS = 100_000;
const MAX_MS = 60 * SECOND_MS;
const FILE_MODE = 0o644;

const Progress = z.object({ checked_to: z.int().min(0) });

export interface CheckedShare {
  readonly after: number;
  readonly checkedTo: number;
  readonly sealedRows: number;
}

/** Checks the share that is next, and stops at a checkpoint after a minute. Throws OperatorError naming a row that was changed. */
export function checkNextShare(
  reader: LedgerReader,
  home: Pick<Home, "ledgerCheck">,
  elapsed: () => number = () => performance.now(),
): CheckedShare {
  const sealedRows = reader.latestCheckpoint()?.size ?? 0;
  const checked = checkedTo(home);
  const after = sealedRows <= MIN_ROWS || checked >= sealedRows ? 0 : checked;
  const startedAt = elapsed();
  const isLate = () => elapsed() - startedAt > MAX_MS;
  const rows = Math.max(MIN_ROWS, Math.ceil(sealedRows / NIGHTS));
  return { after, checkedTo: reader.checkRows({ after, rows, isLate }), sealedRows };
}

/** The next share begins where this one ended. */
export function keepCheckedShare(home: Pick<Home, "ledgerCheck">, { checkedTo }: CheckedShare): void {
  replaceFile(home.ledgerCheck, `${JSON.stringify({ checked_to: checkedTo })}\n`, FILE_MODE);
}

/** Zero when the file is missing or not what was written: then it begins anew. */
function checkedTo({ ledgerCheck }: Pick<Home, "ledgerCheck">): number {
  try {
    return Progress.safeParse(JSON.parse(readFileSync(ledgerCheck, "utf8"))).data?.checked_to ?? 0;
  } catch (error) {
    if (error instanceof SyntaxError || hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}
