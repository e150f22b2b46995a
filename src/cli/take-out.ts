/** The commands that take something out for good: without a code they show what would go. */

import { preview, type Request, takeOut } from "../operations/erasure/take-out.ts";
import type { Call } from "./command.ts";
import { Explained, Preview, type Result } from "./output.ts";

/** Where `operations/erasure` opens the ledger itself, under its own locks. */
export const TAKES_OUT = { access: "none", clock: "writes rows" } as const;

/** Shows what would go and the code that confirms it; with that code, takes it out. */
export async function* takenOut<Erased>(
  { context, clock, confirm }: Call<"none">,
  request: Request<Erased>,
): AsyncGenerator<Result> {
  if (confirm === undefined) {
    const { needsNoCode, ...shown } = await preview(context, request, clock);
    if (needsNoCode !== true) {
      yield new Preview(shown);
      return;
    }
  }
  yield new Explained(await takeOut(context, request, { code: confirm, clock }));
  if (request.store === "state" || !request.isPublic) return;
  const { stampCheckpoints } = await import("../operations/night/seal-and-stamp.ts");
  await stampCheckpoints(context, clock);
}
