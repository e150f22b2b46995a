import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { EventType } from "../../src/contract/enums.ts";
import { CONCURRENCY } from "../../src/delivery/deliver.ts";
import { eventItem } from "../../src/delivery/email/messages.ts";
import { matchRelease } from "../../src/delivery/match-events.ts";
import { sideBySide } from "../../src/kernel/side-by-side.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { changeEvent } from "../../src/resources/cities/pulse.ts";
import { openState } from "../../src/state/open-state.ts";
import type { NewDelivery } from "../../src/state/outbox/outbox-items.ts";
import type { SubscriptionWish } from "../../src/state/subscriptions/subscription-row.ts";
import type { Webhook } from "../../src/state/webhooks/webhook-row.ts";
import { DeliveryWorld, fakeRelease, WISH } from "../../src/testing/delivery/delivery-town.ts";
import { fakeEvent } from "../../src/testing/release/fake-rows.ts";
import { TestSite } from "../../src/testing/release/site.ts";
import type { BenchLine } from "./line.ts";
import { isInstalled, median, perSecond, pinned, ROUND_SECONDS, wrkRate } from "./load.ts";
import { boundLine, speedLine } from "./table.ts";

const SUBSCRIPTIONS = 10_000;
const EVENTS = 1000;
const MAX_MATCHING_SECONDS = 5;
const DELIVERIES = 2000;
const WANTED_DELIVERIES = 500;
const ROUNDS = 5;
const MIN_COUNTED = 0.95;
const FILE = "/api/v1/city/toronto/index";

/** Matching, sending and counting: what the alerts, the webhooks and the machine activity take. */
export async function benchDelivery(quick: boolean): Promise<BenchLine[]> {
  const share = quick ? 20 : 1;
  return [
    await matching(SUBSCRIPTIONS / share),
    await sending(DELIVERIES / (quick ? 4 : 1)),
    ...(await counting(quick ? 1 : ROUNDS)),
  ];
}

/** All in one city, so that each subscription is compared with every event; each gets a digest. */
async function matching(subscriptions: number): Promise<BenchLine> {
  await using world = await DeliveryWorld.open();
  await subscribe(world, subscriptions);
  const release = fakeRelease(
    "bench",
    Array.from({ length: EVENTS }, (_, at) => eventChanges(at)),
  );
  const start = performance.now();
  const matched = await matchRelease(world.state, release);
  const seconds = (performance.now() - start) / 1000;
  if (matched?.events !== EVENTS || matched.digests !== subscriptions)
    throw new Error(`not all was matched: ${JSON.stringify(matched)}`);
  const name = `${count(subscriptions)} subscriptions matched with ${count(EVENTS)} new events`;
  return boundLine(name, "s", seconds, MAX_MATCHING_SECONDS);
}

function eventChanges(at: number) {
  return {
    recordPublicId: `demo_${at}`,
    industry: ["5610", "4711", "9602"][at % 3] ?? null,
    type: EventType.options[at % EventType.options.length] ?? "stale_asset",
    confidence: (at % 20) / 20,
  };
}

/** Every kind of filter as often. */
function wishAt(at: number): SubscriptionWish {
  const filters = [
    {},
    { entityPublicId: `demo_${at % EVENTS}` },
    { industryCode: "I" },
    { eventTypes: ["stale_asset"] },
    { minConfidence: 0.9 },
  ] as const;
  return { ...WISH, email: `reader-${at}@mail.test`, ...filters[at % filters.length] };
}

/** In one transaction: asking one by one is not what is measured. */
async function subscribe({ state }: DeliveryWorld, subscriptions: number): Promise<void> {
  await state.transaction(async (parts) => {
    for (let at = 0; at < subscriptions; at += 1) {
      const answer = await parts.subscriptions.request(wishAt(at));
      if (answer.outcome !== "accepted") throw new Error(answer.outcome);
      await parts.subscriptions.confirm(answer.token ?? "");
    }
  });
}

/** Claimed, signed, sent and settled, beside POSTs of the same bodies to the same sink, in rounds turn by turn. */
async function sending(deliveries: number): Promise<BenchLine> {
  const sink = await started(1, "sink");
  try {
    await using world = await DeliveryWorld.open();
    const webhook = await world.endpoint(sink.url);
    const rates: { sent: number; bare: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const items = eventItems(webhook, round, deliveries);
      await world.state.outbox.enqueue(items);
      const sent = await rate(deliveries, async () => {
        const { done } = await world.deliver();
        if (done !== deliveries) throw new Error(`${done} of ${deliveries} webhooks were delivered`);
      });
      rates.push({ sent, bare: await rate(deliveries, () => postAll(sink.url, items)) });
    }
    return speedLine(
      "webhooks from the outbox to one local endpoint, limit: bare fetch of the same bodies",
      "deliveries/s",
      median(rates.map(({ sent }) => sent)),
      median(rates.map(({ bare }) => bare)),
      `${WANTED_DELIVERIES} deliveries/s wanted`,
    );
  } finally {
    await ended(sink);
  }
}

function eventItems(webhook: Webhook, round: number, deliveries: number): NewDelivery[] {
  return Array.from({ length: deliveries }, (_, at) =>
    eventItem(
      webhook,
      changeEvent(fakeEvent(`${round}-${at}`, 1, eventChanges(at)), "https://presence.test"),
    ),
  );
}

async function postAll(url: string, items: readonly NewDelivery[]): Promise<void> {
  const headers = { "content-type": "application/json" };
  await sideBySide(items, CONCURRENCY, async ({ payload }) => {
    const response = await fetch(url, { method: "POST", headers, body: payload });
    if (!response.ok) throw new Error(`the sink answered ${response.status}`);
  });
}

async function rate(amount: number, work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (amount * 1000) / (performance.now() - start);
}

/** Requests/s of a small file in memory with and without counting, in rounds turn by turn. The thread that writes the counts has the same core. */
async function counting(rounds: number): Promise<BenchLine[]> {
  const name = "small hot file with requests counted, writer thread on the same core";
  if (!isInstalled("wrk"))
    return [{ name, figure: "not measured", limit: "wrk is not installed", ratio: "-" }];
  using site = new TestSite();
  site.publish();
  const { root } = site.home;
  const servers: Server[] = [];
  const rates: { counted: number; uncounted: number }[] = [];
  try {
    const counted = await startedAtRest("counted", root);
    servers.push(counted);
    const uncounted = await startedAtRest("uncounted", root);
    servers.push(uncounted);
    for (let round = 0; round <= rounds; round += 1)
      rates.push({ uncounted: await rateAlone(uncounted), counted: await rateAlone(counted) });
  } finally {
    for (const server of servers) await ended(server);
  }
  const served = rates.map(({ counted }) => counted);
  const written = (await requestsWritten(site)) / (rates.length * ROUND_SECONDS);
  const warm = rates.slice(1); // the first round fills the caches and starts the writer
  const [figure, limit] = [median(served.slice(1)), median(warm.map(({ uncounted }) => uncounted))];
  return [
    {
      name,
      figure: perSecond(figure),
      limit: `not counted ${perSecond(limit)}`,
      ratio: `${(figure / limit).toFixed(2)} (at least ${MIN_COUNTED})`,
    },
    speedLine("counts written meanwhile, of requests served", "requests/s", written, mean(served)),
  ];
}

async function startedAtRest(mode: string, home: string): Promise<Server> {
  const server = await started(0, mode, home);
  server.child.kill("SIGSTOP");
  return server;
}

/** The other server stands still, so that what it has left to write does not slow this one. */
async function rateAlone({ url, child }: Server): Promise<number> {
  child.kill("SIGCONT");
  try {
    return await wrkRate(url);
  } finally {
    child.kill("SIGSTOP");
  }
}

async function requestsWritten({ home }: TestSite): Promise<number> {
  await using state = await openState(undefined, home);
  const { counts } = await state.usage.report(Date.now() + DAY_MS, 2);
  return counts.externalRequests;
}

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
}

async function started(core: number, ...options: string[]): Promise<Server> {
  const script = join(import.meta.dirname, "delivery-server.ts");
  const child = spawn(...pinned(core, process.execPath, script, ...options), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  return { url: `http://127.0.0.1:${port}${FILE}`, child };
}

/** At once: a server that is stopped does not hear anything else, and there is nothing to keep. */
async function ended({ child }: Server): Promise<void> {
  const exited = once(child, "exit");
  if (child.exitCode === null && child.kill("SIGKILL")) await exited;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
