import { DAY_MS, isoTime } from "../../kernel/time.ts";
import { folderFaults } from "../inbox/folder.ts";
import { lookInto } from "../inbox/look.ts";
import { type Finding, findingIf, ofLedger } from "./check.ts";

/** A delivery is taken within a night. */
const WAIT_DAYS = 1;

/** The inbox: owners and modes, folders of nobody, files that wait too long, and files that failed since yesterday. */
export const inbox = ofLedger(function* (reader, { home, now, user }): Generator<Finding> {
  const sources = reader.sources().map(({ id }) => id);
  yield* folderFaults(home, user.uid, sources);
  const old = now - WAIT_DAYS * DAY_MS;
  for (const { source, name, problem, changedAt } of lookInto(home.inbox, {
    ...{ now, uid: user.uid },
    sources: new Set(sources),
  })) {
    const path = [home.inbox, source, name].filter((part) => part !== "").join("/");
    if (name === "") yield { problem: `${path}: ${problem}`, mend: "see docs/operations/inbox.md" };
    else
      yield* findingIf(
        changedAt < old,
        `${path}: it waits since ${isoTime(changedAt)}${problem === null ? "" : `: ${problem}`}`,
        "run `presence inbox take`, or take the file away",
      );
  }
  for (const { source, name, takenAt, outcome, reason } of reader.inbox.files(undefined, NEWEST))
    yield* findingIf(
      outcome === "failed" && takenAt > old,
      `inbox/${source}/${name}: it failed at ${isoTime(takenAt)}: ${reason}`,
      "see `presence inbox report`; have it delivered again",
    );
});

const NEWEST = 100;
