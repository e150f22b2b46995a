import { basename } from "node:path";
import type { HeldRelease } from "../build/stages/held.ts";
import { currentRelease, treeSizeOf } from "../build/stages/publish.ts";
import type { Home } from "../kernel/home.ts";
import type { LedgerReader } from "../ledger/reader.ts";
import { lastErasure } from "./publish-lock.ts";

/** Why the held release can no longer be approved; null: it can. */
export function heldProblem(
  home: Home,
  reader: LedgerReader,
  held: HeldRelease & { readonly directory: string },
): string | null {
  const erasure = lastErasure(reader);
  if (erasure > treeSizeOf(held.directory)) return `row ${erasure} erased rows after it was built`;
  const current = currentRelease(home);
  const published = current === undefined ? null : basename(current);
  return published === held.against ? null : "another release was published after it was built";
}
