import { existsSync, statSync } from "node:fs";
import { OperatorError } from "../../kernel/errors.ts";
import { readNightlyStatus } from "../../kernel/nightly-status.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { existingState } from "../existing-state.ts";
import type { KnownTime } from "./forward-clock.ts";

/**
 * The newest time that ledger, last night or state know. Undefined when the ledger has no row, or cannot be read, which the
 * command itself reports.
 */
export async function newestKnownTime(context: CommandContext): Promise<KnownTime | undefined> {
  const last = lastRowTime(context);
  if (last === undefined) return undefined;
  const known = [last, fileTime(context), nightTime(context), await stateTime(context)];
  return known
    .filter((time) => time !== undefined)
    .reduce((newest, time) => (time.at > newest.at ? time : newest));
}

function lastRowTime(context: CommandContext): KnownTime | undefined {
  const { ledger } = homeOf(context);
  if (!existsSync(ledger)) return undefined;
  try {
    using reader = openLedgerReader(ledger);
    const at = reader.head().latestAcceptedAt;
    return at === null ? undefined : { at, what: "the last row of the ledger" };
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

/** A demonstration's rows may be months old, but its file is as old as its last command. */
function fileTime(context: CommandContext): KnownTime {
  return { at: statSync(homeOf(context).ledger).mtimeMs, what: "the last change of the ledger's file" };
}

function nightTime(context: CommandContext): KnownTime | undefined {
  const night = readNightlyStatus(homeOf(context).nightly);
  const end = night?.finished_at ?? night?.started_at;
  return end === undefined ? undefined : { at: Date.parse(end), what: "the last night" };
}

/** A state that cannot be opened knows nothing: commands that need none go on without it. */
async function stateTime(context: CommandContext): Promise<KnownTime | undefined> {
  try {
    await using state = await existingState(context);
    const at = await state?.newestTime();
    return at === undefined ? undefined : { at, what: "the newest entry of the state" };
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}
