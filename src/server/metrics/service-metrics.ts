import { dirname } from "node:path";
import { Counter, Gauge, Registry } from "prom-client";
import type { StateSource } from "../../accounts/state-source.ts";
import type { DeliverySetup } from "../../contract/accounts/delivery.ts";
import { hasHeldRelease } from "../../kernel/home.ts";
import { releaseLateness } from "../../kernel/release-lateness.ts";
import {
  type NightlyStatus,
  readBackupStatus,
  readNightlyStatus,
  SILENT_DAYS,
} from "../../kernel/status-files.ts";
import { type Clock, SECOND_MS } from "../../kernel/time.ts";
import { releasePromise } from "../../resources/service/system-status.ts";
import type { Outbox } from "../../state/delivery/outbox.ts";
import type { ReleaseSource } from "../reads/release-source.ts";

export interface ServiceMetricsDeps {
  readonly releases: ReleaseSource;
  readonly files: { readonly bytes: number };
  readonly pool: { readonly waiting: number };
  readonly state: StateSource;
  readonly nightlyPath: string;
  readonly backupStatus: string; // path
  readonly loopDelay: { readonly max: number; readonly mean: number; reset(): void }; // ns
  readonly delivery: () => DeliverySetup;
  readonly clock: Clock;
}

const NS = 1e9;
/** Maximum wait for the database. */
const STATE_WAIT_MS = 2000;
const KINDS = ["mail", "webhook"] as const;
type Kind = (typeof KINDS)[number];

/** Measures the service now. Each call makes a new registry, so unknown values are absent. */
export async function serviceMetrics(deps: ServiceMetricsDeps): Promise<Registry> {
  const registry = new Registry();
  const gauge = gaugesOf(registry);
  measureProcess(gauge, deps);
  measureRelease(gauge, deps);
  measureNight(gauge, deps);
  measureBackups(gauge, deps);
  await measureState(gauge, deps);
  countLosses(registry, deps);
  return registry;
}

/** Sets one gauge: to a number, or to one for each value of a label, which is the kind of delivery unless named. */
type SetGauge = (
  name: string,
  help: string,
  value: number | Readonly<Record<string, number>>,
  label?: string,
) => void;

function gaugesOf(registry: Registry): SetGauge {
  return (name, help, value, label = "kind") => {
    const described = { name: `presence_${name}`, help, registers: [registry] };
    if (typeof value === "number") new Gauge(described).set(value);
    else {
      const gauge = new Gauge({ ...described, labelNames: [label] });
      for (const [each, number] of Object.entries(value)) gauge.set({ [label]: each }, number);
    }
  };
}

function measureProcess(gauge: SetGauge, { files, pool, loopDelay }: ServiceMetricsDeps): void {
  const { max, mean } = loopDelay;
  loopDelay.reset();
  gauge("cache_bytes", "Files of the release that are in memory.", files.bytes);
  gauge("reads_waiting", "Reads with arguments that wait for their turn.", pool.waiting);
  gauge("event_loop_delay_max_seconds", "Longest delay of the event loop since the last look.", seconds(max));
  gauge("event_loop_delay_mean_seconds", "Mean delay of the event loop since the last look.", seconds(mean));
  gauge("resident_memory_bytes", "Memory of the process.", process.memoryUsage.rss());
}

/** Before the first measurement the delay is not a number. */
function seconds(ns: number): number {
  return Number.isFinite(ns) ? ns / NS : 0;
}

function measureRelease(gauge: SetGauge, { releases, clock }: ServiceMetricsDeps): void {
  const { current } = releases;
  const release = current?.context.snapshot.release();
  gauge("release_up", "1 when a release is served.", release === undefined ? 0 : 1);
  if (current === undefined || release === undefined) return;
  gauge(
    "release_held",
    "1 when a newer release is built and waits for the operator's approval.",
    hasHeldRelease(dirname(current.directory)) ? 1 : 0,
  );
  gauge(
    "release_age_seconds",
    "Time since the moment the release tells of.",
    (clock() - release.asOf) / SECOND_MS,
  );
  gauge(
    "release_late",
    "1 when the next release should be here by what this one promises.",
    releaseLateness(releasePromise(release), clock()).level === "on_time" ? 0 : 1,
  );
  gauge("release_rows", "Rows of the ledger in the release.", release.treeSize);
  gauge(
    "unsealed_rows",
    "Rows that waited for a seal when the release was made.",
    release.latestLiveRow - release.lastSealedRow + release.pendingLines,
  );
}

function measureNight(gauge: SetGauge, { nightlyPath }: ServiceMetricsDeps): void {
  const night = readNightlyStatus(nightlyPath);
  if (night === undefined) return;
  const unixTime = (iso: string) => Date.parse(iso) / SECOND_MS;
  measureIntake(gauge, night);
  gauge("nightly_start_seconds", "When the last night began (Unix time).", unixTime(night.started_at));
  if (night.finished_at === null || night.exit_code === null) return;
  gauge("nightly_end_seconds", "When the last night ended (Unix time).", unixTime(night.finished_at));
  gauge(
    "nightly_exit_code",
    "0: done; 1: failed; 2: released, but another step failed; 3: built and held.",
    night.exit_code,
  );
}

/** As of the last seal. */
function measureIntake(gauge: SetGauge, { steps }: NightlyStatus): void {
  const facts = Object.entries(steps.find(({ name }) => name === "seal")?.facts ?? {});
  const held = facts.find(([name]) => name === "batches_held_back")?.[1];
  if (typeof held === "number")
    gauge("batches_held_back", "Batches outside the bounds that wait for the operator.", held);
  const silent = facts.flatMap(([name, days]) =>
    name.startsWith(SILENT_DAYS) && typeof days === "number"
      ? [[name.slice(SILENT_DAYS.length), days] as const]
      : [],
  );
  const help = "Days without a line, of sources that are silent for too long.";
  gauge("source_silent_days", help, Object.fromEntries(silent), "source");
}

/** Absent where nothing was ever backed up off the machine. */
function measureBackups(gauge: SetGauge, { backupStatus, clock }: ServiceMetricsDeps): void {
  const { backed, failure, objects, restored } = readBackupStatus(backupStatus);
  const age = (time: string) => (clock() - Date.parse(time)) / SECOND_MS;
  if (backed === null && failure === null) return;
  gauge("backup_failed", "1 when the last backup off the machine failed.", failure === null ? 0 : 1);
  if (backed !== null)
    gauge(
      "backup_age_seconds",
      "Time since the moment up to which everything is backed up.",
      age(backed.as_of),
    );
  if (restored !== null)
    gauge("backup_check_age_seconds", "Time since a backup was restored and proved.", age(restored.at));
  const isUnsound = [objects, restored].some((check) => check !== null && check.problem !== null);
  gauge("backup_unsound", "1 when the last check of the backups found a problem.", isUnsound ? 1 : 0);
}

async function measureState(gauge: SetGauge, { state, delivery, clock }: ServiceMetricsDeps): Promise<void> {
  const outbox = await withinTime(state.get().then(({ outbox }) => readOutbox(outbox)));
  gauge(
    "state_up",
    "1 when the database of subscriptions and partners answers.",
    outbox === undefined ? 0 : 1,
  );
  if (outbox === undefined) return;
  const { counts, dueAt } = outbox;
  const { email, webhooks } = delivery();
  const overdue = (kind: Kind) => Math.max(0, clock() - (dueAt[kind] ?? clock())) / SECOND_MS;
  const count = (state: "waiting" | "dead") => ({
    mail: counts.mail[state],
    webhook: counts.webhook[state],
  });
  gauge("outbox_waiting", "Deliveries that wait.", count("waiting"));
  gauge("outbox_dead", "Deliveries that were given up.", count("dead"));
  gauge("outbox_overdue_seconds", "For how long the oldest delivery that is due has waited.", {
    mail: overdue("mail"),
    webhook: overdue("webhook"),
  });
  gauge("delivery_set_up", "1 when something is set up to send it.", {
    mail: email === "waiting" ? 0 : 1,
    webhook: webhooks ? 1 : 0,
  });
}

/** A loss can be over before anybody asks again, so it is counted, too. */
function countLosses(registry: Registry, { state }: ServiceMetricsDeps): void {
  const help =
    "How often the files of the state were replaced, removed or damaged while the server held them.";
  new Counter({ name: "presence_state_losses_total", help, registers: [registry] }).inc(state.losses());
}

async function readOutbox(outbox: Outbox) {
  const [counts, mail, webhook] = await Promise.all([
    outbox.counts(),
    outbox.nextDueAt("mail"),
    outbox.nextDueAt("webhook"),
  ]);
  return { counts, dueAt: { mail, webhook } };
}

async function withinTime<T>(counting: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), STATE_WAIT_MS);
  });
  try {
    return await Promise.race([counting, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
