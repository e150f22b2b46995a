import { existsSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../kernel/errors.ts";
import { CLOCK_TOLERANCE_MS, DAY_MS, isoDate, isoTime, utcDayStart } from "../../kernel/time.ts";
import { ledgerDamage } from "../../ledger/database/quick-check.ts";
import { intakeKeyPath, loadIntakeKey } from "../../ledger/keys/keys.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { checkNextShare } from "../disk-sizes.ts";
import { silentSourcesOf } from "../waiting-reports.ts";
import { attempt, type Check, type CheckContext, findingIf, findingOf, ledgerCheck } from "./check.ts";
import { restoreFile, restoreHome } from "./remedy.ts";

const SEAL_GRACE_MS = DAY_MS;
export const ledgerFile: Check = {
  name: "ledger file",
  find(context) {
    const { ledger } = context.home;
    const mend = restoreHome(context);
    try {
      return ledgerDamage(ledger).map((damage) => ({ problem: `${ledger} is damaged: ${damage}`, mend }));
    } catch (error) {
      if (!(error instanceof OperatorError)) return [{ problem: `${ledger}: ${String(error)}`, mend }];
      return [findingOf(error, `set PRESENCE_HOME, run \`presence init\` for a new service, or ${mend}`)];
    }
  },
};

/** The night checks the same share, and goes on from there. */
export const ledgerRows = ledgerCheck("ledger rows", (reader, context) =>
  attempt(() => {
    if (context.isFull) reader.checkRows({ after: 0, rows: Infinity, isLate: () => false });
    else checkNextShare(reader, context.home);
  }, restoreHome(context)),
);

export const checkpoint = ledgerCheck("checkpoint", (reader, context) =>
  attempt(
    () => reader.assertHoldsHead(context.home.keys),
    `an older copy must not be continued: ${restoreHome(context)}`,
  ),
);

export const clock = ledgerCheck("clock", (reader, { now }) => {
  const last = reader.head().latestAcceptedAt ?? 0;
  return findingIf(
    last - now > CLOCK_TOLERANCE_MS,
    `the clock says ${isoTime(now)}, but the last row was accepted at ${isoTime(last)}`,
    `correct the clock (timedatectl; an NTP service keeps it correct); no row can be appended until then. If the clock is right now, run \`presence clock correct --from ${isoDate(last)}\``,
  );
});

export const unsealedRows = ledgerCheck("unsealed rows", (reader, { now }) => {
  const due = reader.head(utcDayStart(now) - SEAL_GRACE_MS).lastRow;
  const sealed = reader.latestCheckpoint()?.size ?? 0;
  return findingIf(
    due > sealed,
    `${due - sealed} rows older than a day are not sealed`,
    "run `presence nightly`, and check that its timer runs (systemctl list-timers)",
  );
});

export const pendingLines = ledgerCheck("pending lines", (reader, { now }) => {
  const { waiting, oldestDay } = reader.pending.counts();
  const isLate = oldestDay !== null && oldestDay < utcDayStart(now) - SEAL_GRACE_MS;
  return findingIf(
    isLate,
    `${waiting} accepted lines wait to become rows, the oldest since ${isoDate(oldestDay ?? 0)}`,
    "run `presence nightly`, and check that its timer runs (systemctl list-timers)",
  );
});

export const heldBackBatches = ledgerCheck("held back batches", (reader) =>
  reader.batches.heldBack().map((name) => ({
    problem: `batch ${name} is outside the bounds of what comes in, and waits`,
    mend: `run \`presence batch show ${name}\`, then \`presence batch approve ${name}\` or \`presence batch undo ${name}\``,
  })),
);

export const intakeOfSources = ledgerCheck("intake of sources", (reader, { config, now }) => {
  if (reader.meta.environment !== "production") return [];
  return silentSourcesOf(reader, { now, days: config.sourceSilentDays }).map(({ id, days }) => ({
    problem: `no intake from source ${id} for ${days} days`,
    mend: `find out why its files do not come; if it has ended, run \`presence source suspend ${id}\``,
  }));
});

const SOURCELESS_DAYS = 30;

export const namedSources = ledgerCheck("named sources", (reader, { now }) => {
  if (reader.meta.environment !== "production") return [];
  const rows = reader.observationsWithoutSource(utcDayStart(now) - SOURCELESS_DAYS * DAY_MS);
  return findingIf(
    rows > 0,
    `${rows} observations of the last ${SOURCELESS_DAYS} days name no source: together they count as one principal`,
    "register your sources (`presence source add`), and name them in the lines",
  );
});

export const timestamps = ledgerCheck("timestamps", (reader, { config, now }) => {
  const isLate = ({ status, requestedAt }: { status: string; requestedAt: number }) =>
    status !== "verified" && requestedAt < now - DAY_MS;
  const late = reader.externalProofs().filter(isLate).length;
  return findingIf(
    config.timestampAuthority !== undefined && late > 0,
    `${late} checkpoints have waited for a timestamp for more than a day`,
    "run `presence seal`, read the reason on stderr, and check TSA_URL and TSA_CA_FILE",
  );
});

/** The newest signing key of the ledger, and the secret of intake. */
export const keysOfLedger = ledgerCheck("keys of the ledger", (reader, context) => {
  const { keys } = context.home;
  const { environment } = reader.meta;
  return [
    ...attempt(() => reader.signer(keys), restored(context, `${environment}.signing.json`)),
    ...attempt(() => reader.manifestSigner(keys), restored(context, `${environment}.manifest.json`)),
    ...attempt(
      () => assertIntakeKey(reader.meta, keys),
      restoreFile(context, intakeKeyPath(keys, environment)),
    ),
  ];
});

function restored(context: CheckContext, name: string): string {
  return restoreFile(context, join(context.home.keys, name));
}

function assertIntakeKey({ environment, intake_check }: LedgerReader["meta"], keys: string): void {
  if (loadIntakeKey(keys, environment).check === intake_check) return;
  const path = intakeKeyPath(keys, environment);
  throw new OperatorError(`${path}: not the secret that the ledger was created with`);
}

export const stateKey: Check = {
  name: "key of the state",
  find(context) {
    const { config, home } = context;
    const path = home.stateKey;
    const hasState = config.stateUrl !== undefined || existsSync(home.state);
    const mend = restoreFile(context, path);
    return findingIf(
      hasState && !existsSync(path),
      `${path} is missing, but the state exists: its secrets and the links in emails need this key`,
      config.stateUrl === undefined ? mend : `copy it from the machine that has it, or ${mend}`,
    );
  },
};
