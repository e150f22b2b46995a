import { OperatorError } from "../../kernel/errors.ts";
import { DAY_MS, isoTime, utcDayStart } from "../../kernel/time.ts";
import { ledgerDamage } from "../../ledger/database/quick-check.ts";
import { type Check, findingOf, withLedger } from "./check.ts";

/** A day may end and be sealed a little later. */
const SEAL_GRACE_MS = DAY_MS;
const CLOCK_TOLERANCE_MS = 60_000;
const RESTORE = "stop all that writes, keep this file, and restore the newest backup of ledger.db";

export const ledgerFile: Check = {
  name: "ledger file",
  find({ home }) {
    try {
      return ledgerDamage(home.ledger).map((damage) => ({
        problem: `${home.ledger} is damaged: ${damage}`,
        mend: RESTORE,
      }));
    } catch (error) {
      if (!(error instanceof OperatorError))
        return [{ problem: `${home.ledger}: ${String(error)}`, mend: RESTORE }];
      return [
        findingOf(error, "set PRESENCE_HOME, run `presence init` for a new service, or restore the backup"),
      ];
    }
  },
};

export const signedHead: Check = {
  name: "signed head",
  find: (patient) =>
    withLedger(patient, (reader) => {
      try {
        reader.assertHoldsHead(patient.home.keys);
        return [];
      } catch (error) {
        return [
          findingOf(error, "restore the newest backup of ledger.db: an older copy must not be continued"),
        ];
      }
    }),
};

export const clock: Check = {
  name: "clock",
  find: (patient) =>
    withLedger(patient, (reader) => {
      const last = reader.head().latestAcceptedAt;
      if (last === null || last - patient.now <= CLOCK_TOLERANCE_MS) return [];
      return [
        {
          problem: `the clock says ${isoTime(patient.now)}, but the last row was accepted at ${isoTime(last)}`,
          mend: "set the clock right (timedatectl; an NTP service keeps it); until then nothing can be appended",
        },
      ];
    }),
};

export const unsealedRows: Check = {
  name: "unsealed rows",
  find: (patient) =>
    withLedger(patient, (reader) => {
      const due = reader.head(utcDayStart(patient.now) - SEAL_GRACE_MS).lastRow;
      const sealed = reader.latestCheckpoint()?.size ?? 0;
      if (due <= sealed) return [];
      return [
        {
          problem: `${due - sealed} rows older than a day are not sealed`,
          mend: "run `presence nightly`, and see that its timer runs (systemctl list-timers)",
        },
      ];
    }),
};

export const stamps: Check = {
  name: "time stamps",
  find: (patient) =>
    withLedger(patient, (reader) => {
      if (patient.config.timestampAuthority === undefined) return [];
      const late = patient.now - DAY_MS;
      const waiting = reader
        .externalProofs()
        .filter(({ status, requestedAt }) => status !== "verified" && requestedAt < late);
      if (waiting.length === 0) return [];
      return [
        {
          problem: `${waiting.length} checkpoints were asked to be time-stamped more than a day ago and are not`,
          mend: "run `presence seal` and read why on stderr; then look at TSA_URL and TSA_CA_FILE",
        },
      ];
    }),
};
