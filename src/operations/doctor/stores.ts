/** Ledger, keys, state and their backups. */
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { deliverySetup } from "../../accounts/delivery/delivery-setup.ts";
import { currentRelease, treeSizeOf } from "../../build/stages/publish.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { readBackupStatus } from "../../kernel/status-files.ts";
import {
  CLOCK_TOLERANCE_MS,
  DAY_MS,
  HOUR_MS,
  isoDate,
  isoTime,
  SECOND_MS,
  utcDayStart,
} from "../../kernel/time.ts";
import { ledgerDamage } from "../../ledger/database/ledger-file.ts";
import { intakeKeyPath, loadIntakeKey } from "../../ledger/keys/keys.ts";
import { stateDamage } from "../../state/database/database-file.ts";
import { isBackedUp } from "../backup/backup-gate.ts";
import { currentEnvironment } from "../context.ts";
import { checkNextShare } from "../disk-sizes.ts";
import { silentSourcesOf } from "../waiting-reports.ts";
import {
  attempt,
  type Check,
  type CheckContext,
  type Finding,
  findingIf,
  findingOf,
  NIGHTLY,
  notSetUp,
  ofLedger,
  ofRealLedger,
  withState,
} from "./check.ts";
import { restoreDatabase, restoreFile, restoreHome } from "./remedy.ts";

export function ledgerFile(context: CheckContext): Finding[] {
  const { ledger } = context.home;
  const mend = restoreHome(context);
  try {
    return ledgerDamage(ledger).map((damage) => ({ problem: `${ledger} is damaged: ${damage}`, mend }));
  } catch (error) {
    if (!(error instanceof OperatorError)) return [{ problem: `${ledger}: ${String(error)}`, mend }];
    return [findingOf(error, `set PRESENCE_HOME, run \`presence init\` for a new service, or ${mend}`)];
  }
}

/** The night checks the same share, and goes on from there. */
export const ledgerRows = ofLedger((reader, context) =>
  attempt(() => {
    if (context.isFull) reader.checkRows({ after: 0, rows: Infinity, isLate: () => false });
    else checkNextShare(reader, context.home);
  }, restoreHome(context)),
);

export const checkpoint = ofLedger((reader, context) =>
  attempt(
    () => reader.assertHoldsHead(context.home.keys),
    `an older copy must not be continued: ${restoreHome(context)}`,
  ),
);

export const clock = ofLedger((reader, { now }) => {
  const last = reader.head().latestAcceptedAt ?? 0;
  return findingIf(
    last - now > CLOCK_TOLERANCE_MS,
    `the clock says ${isoTime(now)}, but the last row was accepted at ${isoTime(last)}`,
    `correct the clock (timedatectl; an NTP service keeps it correct); no row can be appended until then. If the clock is right now, run \`presence clock correct --from ${isoDate(last)}\``,
  );
});

export const unsealedRows = ofLedger((reader, { now }) => {
  const due = reader.head(utcDayStart(now) - DAY_MS).lastRow;
  const sealed = reader.latestCheckpoint()?.size ?? 0;
  return findingIf(due > sealed, `${due - sealed} rows older than a day are not sealed`, NIGHTLY);
});

export const pendingLines = ofLedger((reader, { now }) => {
  const { waiting, oldestDay } = reader.pending.counts();
  return findingIf(
    oldestDay !== null && oldestDay < utcDayStart(now) - DAY_MS,
    `${waiting} accepted lines wait to become rows, the oldest since ${isoDate(oldestDay ?? 0)}`,
    NIGHTLY,
  );
});

export const heldBackBatches = ofLedger((reader) =>
  reader.batches.heldBack().map((name) => ({
    problem: `batch ${name} waits for your approval`,
    mend: `run \`presence batch show ${name}\`, then \`presence batch approve ${name}\` or \`presence batch undo ${name}\``,
  })),
);

export const intakeOfSources = ofRealLedger((reader, { config, now }) =>
  silentSourcesOf(reader, { now, days: config.sourceSilentDays }).map(({ id, days }) => ({
    problem: `no intake from source ${id} for ${days} days`,
    mend: `ask the source why no files arrive; if it has ended, run \`presence source suspend ${id}\``,
  })),
);

const SOURCELESS_DAYS = 30;

export const namedSources = ofRealLedger((reader, { now }) => {
  const rows = reader.observationsWithoutSource(utcDayStart(now) - SOURCELESS_DAYS * DAY_MS);
  return findingIf(
    rows > 0,
    `${rows} observations of the last ${SOURCELESS_DAYS} days name no source: together they count as one principal`,
    "register your sources (`presence source add`), and name them in the lines",
  );
});

export const timestamps = ofLedger((reader, { config, now }) => {
  if (config.timestampAuthority === undefined)
    return notSetUp(
      reader.meta.environment === "production",
      "no authority timestamps the seals (TSA_URL)",
      "docs/operations/timestamps.md",
    );
  const proofs = reader.externalProofs().filter(({ requestedAt }) => requestedAt < now - DAY_MS);
  const late = proofs.filter(({ status }) => status !== "verified").length;
  return findingIf(
    late > 0,
    `${late} checkpoints have waited for a timestamp for more than a day`,
    "run `presence seal`, read the reason on stderr, and check TSA_URL and TSA_CA_FILE",
  );
});

/** The newest signing key of the ledger, and the secret of intake. */
export const keysOfLedger = ofLedger((reader, context) => {
  const { keys } = context.home;
  const { environment, intake_check } = reader.meta;
  const restored = (name: string) => restoreFile(context, join(keys, name));
  const intakeKey = intakeKeyPath(keys, environment);
  return [
    ...attempt(() => reader.signer(keys), restored(`${environment}.signing.json`)),
    ...attempt(() => reader.manifestSigner(keys), restored(`${environment}.manifest.json`)),
    ...attempt(
      () => {
        if (loadIntakeKey(keys, environment).check !== intake_check)
          throw new OperatorError(`${intakeKey}: not the secret that the ledger was created with`);
      },
      restoreFile(context, intakeKey),
    ),
  ];
});

export function stateKey(context: CheckContext): Finding[] {
  const { config, home } = context;
  const path = home.stateKey;
  const hasState = config.stateUrl !== undefined || existsSync(home.state);
  const mend = restoreFile(context, path);
  return findingIf(
    hasState && !existsSync(path),
    `${path} is missing, but the state exists: its secrets and the links in emails need this key`,
    config.stateUrl === undefined ? mend : `copy it from the machine that has it, or ${mend}`,
  );
}

export function stateFile(context: CheckContext): Finding[] {
  const { config, home, isFull } = context;
  const isThere = lstatSync(home.state, { throwIfNoEntry: false }) !== undefined;
  if (config.stateUrl !== undefined || !isThere) return [];
  const mend = restoreDatabase(context, home.state);
  try {
    const damages = stateDamage(home.state, isFull);
    return damages.map((damage) => ({ problem: `${home.state} is damaged: ${damage}`, mend }));
  } catch (error) {
    return [findingOf(error, mend)];
  }
}

export const stateOpens: Check = async function* ({ openState }) {
  try {
    await (await openState())?.close();
  } catch (error) {
    yield findingOf(
      error,
      "start the database, correct STATE_URL, or restore the missing file from your backup",
    );
  }
};

/** Leases end after ten minutes, and a running worker leaves nothing due for long. */
const STUCK_MS = HOUR_MS;
const DELIVER_NOW = "`presence deliver --once` sends them now";

export const outbox: Check = async function* (context) {
  const { config, home, now } = context;
  if (config.delivery === "off") return; // reported by the check of email
  const { email } = deliverySetup(config, currentEnvironment(home));
  const kind = email === "waiting" ? "webhook" : undefined; // waiting email is reported by the check of email
  yield* await withState(context, async (state) => {
    const due = (await state.outbox.nextDueAt(kind)) ?? now;
    return findingIf(
      now - due > STUCK_MS,
      `deliveries have been due since ${isoTime(due)}, and nothing sends them`,
      config.delivery === "server"
        ? `check that the server, which delivers, is running, and read its log (delivery_failed, delivery_not_started); ${DELIVER_NOW}`
        : `check that presence-deliver.service or presence-outbox.timer is running, or unset DELIVERY; ${DELIVER_NOW}`,
    );
  });
};

/** What is acknowledged costs a lost machine at most so much: the timer's five minutes, and the time that a backup takes. */
const BACKUP_LATE_MS = 600 * SECOND_MS;
/** Objects are checked, and old backups removed, once a day. */
const UPKEEP_LATE_MS = 3 * DAY_MS;
/** A backup is restored and proved once a week. */
const PROOF_LATE_MS = 10 * DAY_MS;
const TIMER = "and check that its timer runs (systemctl list-timers 'presence-backup*')";

/** Backups off the machine, where they are configured. */
export const backups: Check = function* (context) {
  if (context.config.backupHook === undefined) yield* noBackups(context);
  else yield* backupsOf(context);
};

const noBackups = ofRealLedger(() =>
  notSetUp(
    true,
    "nothing is backed up off this machine (BACKUP_HOOK): a lost disk is a lost ledger",
    "docs/operations/backup.md",
  ),
);

function* backupsOf({ config, home, now }: CheckContext): Generator<Finding> {
  const isLate = (time: string | null | undefined, ms: number) => !time || now - Date.parse(time) > ms;
  const { backed, failure, objects, restored, pruned } = readBackupStatus(home.backupStatus);
  if (failure !== null)
    yield {
      problem: `the backup of ${failure.at} failed: ${failure.problem}`,
      mend: "solve that, and run `presence-backup`",
    };
  else
    yield* findingIf(
      isLate(backed?.as_of, BACKUP_LATE_MS),
      backed === null ? "nothing is backed up yet" : `the last backup is as of ${backed.as_of}`,
      `run \`presence-backup\`, ${TIMER}`,
    );
  yield* unpublishable(config, currentRelease(home));
  yield* findingIf(
    isLate(objects?.at, UPKEEP_LATE_MS),
    `the objects of the backups were last checked at ${objects?.at ?? "no time"}`,
    `run \`presence-backup check\`, ${TIMER}`,
  );
  yield* findingIf(
    isLate(restored?.at, PROOF_LATE_MS),
    `the last whole restore of a backup was tried at ${restored?.at ?? "no time"}`,
    `run \`presence-backup prove\`, ${TIMER}`,
  );
  for (const problem of [objects?.problem, restored?.problem])
    yield* findingIf(
      typeof problem === "string",
      `the backups are not sound: ${problem}`,
      "create them in another place (`presence-backup init`, `presence-backup`), keep the old ones, and check again",
    );
  yield* findingIf(
    isLate(pruned, UPKEEP_LATE_MS),
    `old backups were last removed at ${pruned ?? "no time"}: what was erased stays in them`,
    `run \`presence-backup check\` and \`presence-backup prune\`, ${TIMER}`,
  );
}

/** After an erasure that the backup did not answer in time. */
function unpublishable(config: CheckContext["config"], release: string | undefined): Finding[] {
  const treeSize = release === undefined ? 0 : treeSizeOf(release);
  return findingIf(
    treeSize > 0 && !isBackedUp({ config }, treeSize),
    `the published ledger of ${treeSize} rows is not backed up with its keys: a lost machine would end the log`,
    "run `presence-backup`",
  );
}
