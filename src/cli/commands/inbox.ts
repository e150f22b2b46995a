/** Files that sources deliver in folders of their own. */

import { OperatorError } from "../../kernel/errors.ts";
import { isoTime } from "../../kernel/time.ts";
import type { InboxFile } from "../../ledger/sources/inbox-store.ts";
import type { Entry } from "../../operations/inbox/look.ts";
import { labelOf } from "../../operations/inbox/read-copy.ts";
import { countsOf, notesOn, type Told, toldLines } from "../../operations/inbox/report.ts";
import { lookNow, takeInbox } from "../../operations/inbox/take.ts";
import { type Bare, command, family, nothing } from "../command.ts";
import { whole } from "../options.ts";
import { JsonLines, list, Output } from "../output.ts";

const MAX_LIST = 1000;
const WAIT_SECONDS = 90;
const MAX_WAIT_SECONDS = 3600;

const inbox = family("inbox", {
  help: `
Each registered source has a folder of its own name in inbox/ below PRESENCE_HOME. What became of a file:
  accepted  its lines are pending, as a batch
  known     nothing of it was new
  failed    it is damaged or brought too little; what was accepted stays, as a batch
  left      it stays in the inbox until somebody does something about it
  waits     somebody may still be writing it`,
});

const take = command({
  path: "inbox take",
  does: "ingest the complete files of the inbox now, as the night does",
  takes: (bare: Bare) =>
    bare.option(
      "--wait <seconds>",
      "how long to wait for files that are being written",
      whole("--wait", MAX_WAIT_SECONDS),
      WAIT_SECONDS,
    ),
  access: "none",
  clock: "writes rows",
  json: "print the result of each file, one per line",
  help: `
Exit code 1: a file failed, or is left in the inbox.`,
  async run({ context, clock }, { wait }) {
    const all = await takeInbox(context, { clock, waitMs: wait * 1000 });
    const { failed = 0, left = 0 } = countsOf(all);
    const message = `files that failed: ${failed}; left in the inbox: ${left}; see above`;
    return new Output({
      json: new JsonLines(all),
      text: all.length === 0 ? ["the inbox is empty"] : all.flatMap(toldLines),
      failure: failed + left === 0 ? undefined : new OperatorError(message),
    });
  },
});

const listWaiting = command({
  path: "inbox list",
  does: "list the files in the inbox, and why each is not ingested",
  takes: nothing,
  access: "none",
  run({ context }) {
    return list(lookNow(context).map(waiting), waitingLine);
  },
});

function waitingLine({ source, file, bytes, changed_at, state, reason }: ReturnType<typeof waiting>): string {
  const facts = changed_at === null ? [] : [changed_at, `${bytes} bytes`];
  return [labelOf({ source, name: file }), state, ...facts, reason ?? []].flat().join("  ");
}

function waiting({ source, name, bytes, changedAt, problem, isYoung }: Entry) {
  const state = problem !== null ? "left" : isYoung ? "waits" : "whole";
  const changed_at = changedAt === 0 ? null : isoTime(changedAt);
  return { source, file: name, bytes, changed_at, state, reason: problem };
}

const report = command({
  path: "inbox report",
  does: "list the ingested files and their results, newest first",
  takes: (bare: Bare) =>
    bare
      .argument("[source]")
      .option("--limit <number>", "how many of the newest files", whole("--limit", MAX_LIST), 50),
  access: "read",
  run({ ledger, context }, { limit }, source) {
    const files = ledger.inbox.files(source, limit).map((file) => ({
      ...fileFields(file),
      notes: notesOn({ ledger, context }, file),
    }));
    return list(files, (file) => {
      const [became, ...notes] = toldLines(file);
      return [`${file.taken_at}  ${became}`, ...notes];
    });
  },
});

function fileFields({ source, name, takenAt, outcome, reason, batch, counts, rejected }: InboxFile) {
  const isReading = outcome === "reading";
  const became: Omit<Told, "notes"> = {
    ...{ source, file: name, batch, counts, rejected },
    outcome: isReading ? "waits" : outcome,
    reason: isReading ? "reading it was interrupted: the next run continues" : reason,
  };
  return { taken_at: isoTime(takenAt), ...became };
}

export const commands = [inbox, take, listWaiting, report];
