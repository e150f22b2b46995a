import type { StateSource } from "../../accounts/state-source.ts";
import type { DeliverySetup } from "../../contract/accounts/delivery-setup.ts";
import { readNightlyStatus } from "../../kernel/nightly-status.ts";
import { releaseLateness } from "../../kernel/release-lateness.ts";
import { type Clock, SECOND_MS } from "../../kernel/time.ts";
import { releasePromise } from "../../resources/service/release-promise.ts";
import type { Outbox, OutboxCounts } from "../../state/outbox/outbox.ts";
import type { ReleaseSource } from "../reads/release-source.ts";
import type { Family, Sample } from "./metrics-text.ts";

/** What is looked at when somebody asks for the metrics. */
export interface ServiceParts {
  readonly releases: ReleaseSource;
  readonly files: { readonly bytes: number };
  readonly pool: { readonly waiting: number };
  readonly state: StateSource;
  readonly nightlyPath: string;
  readonly loopDelay: { readonly max: number; readonly mean: number; reset(): void }; // ns
  readonly delivery: () => DeliverySetup;
  readonly clock: Clock;
}

const NS = 1e9;
/** A monitor does not wait for a database that is away. */
const STATE_WAIT_MS = 2000;

export async function serviceFamilies(parts: ServiceParts): Promise<Family[]> {
  return [
    ...processFamilies(parts),
    ...releaseFamilies(parts),
    ...nightFamilies(parts),
    ...(await stateFamilies(parts)),
  ];
}

function gauge(name: string, help: string, ...samples: readonly (number | Sample)[]): Family {
  const values = samples.map((sample) => (typeof sample === "number" ? { value: sample } : sample));
  return { name: `presence_${name}`, type: "gauge", help, samples: values };
}

function processFamilies({ files, pool, loopDelay }: ServiceParts): Family[] {
  const { max, mean } = loopDelay;
  loopDelay.reset();
  return [
    gauge("cache_bytes", "Files of the release that are in memory.", files.bytes),
    gauge("reads_waiting", "Reads with arguments that wait for their turn.", pool.waiting),
    gauge(
      "event_loop_delay_max_seconds",
      "Longest delay of the event loop since the last look.",
      seconds(max),
    ),
    gauge(
      "event_loop_delay_mean_seconds",
      "Mean delay of the event loop since the last look.",
      seconds(mean),
    ),
    gauge("resident_memory_bytes", "Memory of the process.", process.memoryUsage.rss()),
  ];
}

/** Before anything was measured it is not a number. */
function seconds(ns: number): number {
  return Number.isFinite(ns) ? ns / NS : 0;
}

function releaseFamilies({ releases, clock }: ServiceParts): Family[] {
  const release = releases.current?.context.snapshot.release();
  const up = gauge("release_up", "1 when a release is served.", release === undefined ? 0 : 1);
  if (release === undefined) return [up];
  return [
    up,
    gauge(
      "release_age_seconds",
      "Time since the moment the release tells of.",
      (clock() - release.asOf) / SECOND_MS,
    ),
    gauge(
      "release_late",
      "1 when the next release should be here by what this one promises.",
      releaseLateness(releasePromise(release), clock()).level === "on_time" ? 0 : 1,
    ),
    gauge("release_rows", "Rows of the ledger in the release.", release.treeSize),
    gauge(
      "unsealed_rows",
      "Rows that waited for a seal when the release was made.",
      release.latestLiveRow - release.lastSealedRow,
    ),
  ];
}

function nightFamilies({ nightlyPath }: ServiceParts): Family[] {
  const night = readNightlyStatus(nightlyPath);
  if (night === undefined) return [];
  const end = night.finished_at;
  return [
    gauge(
      "nightly_start_seconds",
      "When the last night began (Unix time).",
      Date.parse(night.started_at) / SECOND_MS,
    ),
    ...(end === null || night.exit_code === null
      ? []
      : [
          gauge("nightly_end_seconds", "When the last night ended (Unix time).", Date.parse(end) / SECOND_MS),
          gauge(
            "nightly_exit_code",
            "0: done; 1: failed; 2: released, but another step failed.",
            night.exit_code,
          ),
        ]),
  ];
}

async function stateFamilies({ state, delivery, clock }: ServiceParts): Promise<Family[]> {
  const looked = await withinTime(state.get().then(({ outbox }) => lookAt(outbox)));
  const counts = looked?.counts;
  const up = gauge(
    "state_up",
    "1 when the database of subscriptions and partners answers.",
    counts === undefined ? 0 : 1,
  );
  if (looked === undefined || counts === undefined) return [up];
  const { email, webhooks } = delivery();
  const samples = (which: "waiting" | "dead") =>
    Object.entries(counts).map(([kind, counted]): Sample => ({ labels: { kind }, value: counted[which] }));
  return [
    up,
    gauge("outbox_waiting", "Deliveries that wait.", ...samples("waiting")),
    gauge("outbox_dead", "Deliveries that were given up.", ...samples("dead")),
    gauge(
      "outbox_overdue_seconds",
      "For how long the oldest delivery that is due has waited.",
      ...KINDS.map((kind) => ({
        labels: { kind },
        value: Math.max(0, clock() - (looked.due[kind] ?? clock())) / SECOND_MS,
      })),
    ),
    gauge(
      "delivery_set_up",
      "1 when something is set up to send it.",
      { labels: { kind: "mail" }, value: email === "waiting" ? 0 : 1 },
      { labels: { kind: "webhook" }, value: webhooks ? 1 : 0 },
    ),
  ];
}

const KINDS = ["mail", "webhook"] as const;

interface OutboxLook {
  readonly counts: OutboxCounts;
  readonly due: Readonly<Record<(typeof KINDS)[number], number | undefined>>; // when the oldest was due
}

async function lookAt(outbox: Outbox): Promise<OutboxLook> {
  const [counts, mail, webhook] = await Promise.all([
    outbox.counts(),
    outbox.nextDueAt("mail"),
    outbox.nextDueAt("webhook"),
  ]);
  return { counts, due: { mail, webhook } };
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
