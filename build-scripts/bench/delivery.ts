import { CONCURRENCY } from "../../src/accounts/delivery/deliver.ts";
import { matchRelease } from "../../src/accounts/delivery/match-events.ts";
import { eventItem } from "../../src/accounts/delivery/messages.ts";
import { EventType } from "../../src/contract/enums.ts";
import { sideBySide } from "../../src/kernel/concurrency.ts";
import { DAY_MS } from "../../src/kernel/time.ts";
import { changeEvent } from "../../src/resources/cities/pulse.ts";
import type { NewDelivery } from "../../src/state/delivery/outbox.ts";
import type { SubscriptionWish } from "../../src/state/delivery/subscription-requests.ts";
import type { Webhook } from "../../src/state/delivery/webhooks.ts";
import { openState } from "../../src/state/open-state.ts";
import { DeliveryWorld, fakeRelease, WISH } from "../../tests/support/delivery/delivery-town.ts";
import { fakeEvent } from "../../tests/support/release/fake-rows.ts";
import { TestSite } from "../../tests/support/release/site.ts";
import { isInstalled, median, perSecond, ROUND_SECONDS, requestRate, wrkRate } from "./http.ts";
import { type BenchServer, startScript } from "./processes.ts";
import { type BenchLine, boundLine, notMeasured, speedLine } from "./table.ts";

const SUBSCRIPTIONS = 10_000;
const DELIVERIES = 2000;
const WANTED_DELIVERIES = 500;
const ROUNDS = 5;

/** Cost of matching subscriptions, sending webhooks and counting requests. */
export async function benchDelivery(quick: boolean): Promise<BenchLine[]> {
  const share = quick ? 20 : 1;
  return [
    await benchMatching(SUBSCRIPTIONS / share),
    await sending(DELIVERIES / (quick ? 4 : 1)),
    ...(await benchCounting(quick ? 1 : ROUNDS)),
  ];
}

/** Webhooks from the outbox compared with plain POSTs of the same bodies, in alternating rounds. */
async function sending(deliveries: number): Promise<BenchLine> {
  await using sink = await startScript(1, "delivery-server.ts", "sink");
  const url = `http://127.0.0.1:${sink.port}/`;
  await using world = await DeliveryWorld.open();
  const webhook = await world.endpoint(url);
  const rates: { sent: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const items = eventItems(webhook, round, deliveries);
    await world.state.outbox.enqueue(items);
    const sent = await rate(deliveries, async () => {
      const { done } = await world.deliver();
      if (done !== deliveries) throw new Error(`${done} of ${deliveries} webhooks were delivered`);
    });
    rates.push({ sent, bare: await rate(deliveries, () => postAll(url, items)) });
  }
  return speedLine(
    "webhooks from the outbox to one local endpoint, limit: bare fetch of the same bodies",
    "deliveries/s",
    median(rates.map(({ sent }) => sent)),
    median(rates.map(({ bare }) => bare)),
    `${WANTED_DELIVERIES} deliveries/s wanted`,
  );
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

const MIN_COUNTED = 0.95;
const FILE = "/api/v1/city/toronto/index";

/** Requests/s of a small file in memory with and without request counting, in alternating rounds. The writer thread shares the core. */
export async function benchCounting(rounds: number): Promise<BenchLine[]> {
  const name = "small hot file with requests counted, writer thread on the same core";
  if (!isInstalled("wrk")) return [notMeasured(name, "wrk is not installed")];
  using site = new TestSite();
  site.publish();
  const rates: { counted: number; uncounted: number }[] = [];
  {
    await using counted = await startStopped("counted", site.home.root);
    await using uncounted = await startStopped("uncounted", site.home.root);
    for (let round = 0; round <= rounds; round += 1)
      rates.push({ uncounted: await rateAlone(uncounted), counted: await rateAlone(counted) });
  }
  const served = rates.map(({ counted }) => counted);
  const written = (await requestsWritten(site)) / (rates.length * ROUND_SECONDS);
  const warm = rates.slice(1); // the first round fills the caches and starts the writer
  const [figure, limit] = [median(served.slice(1)), median(warm.map(({ uncounted }) => uncounted))];
  return [
    {
      name,
      ...requestRate(figure),
      limit: `not counted ${perSecond(limit)}`,
      ratio: `${(figure / limit).toFixed(2)} (at least ${MIN_COUNTED})`,
    },
    speedLine("counts written meanwhile, of requests served", "requests/s", written, mean(served)),
  ];
}

async function startStopped(mode: string, home: string): Promise<BenchServer> {
  const server = await startScript(0, "delivery-server.ts", mode, home);
  server.child.kill("SIGSTOP");
  return server;
}

/** Stops the server again afterwards, so that its remaining writes do not slow the other one. */
async function rateAlone({ port, child }: BenchServer): Promise<number> {
  child.kill("SIGCONT");
  try {
    return await wrkRate(`http://127.0.0.1:${port}${FILE}`);
  } finally {
    child.kill("SIGSTOP");
  }
}

async function requestsWritten({ home }: TestSite): Promise<number> {
  await using state = await openState(undefined, home);
  const { counts } = await state.usage.report(Date.now() + DAY_MS, 2);
  return counts.externalRequests;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const EVENTS = 1000;
const MAX_MATCHING_SECONDS = 5;

/** Matches subscriptions of one city, so each is compared with every event and gets a digest. */
export async function benchMatching(subscriptions: number): Promise<BenchLine> {
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
    throw new Error(`not everything was matched: ${JSON.stringify(matched)}`);
  const name = `${count(subscriptions)} subscriptions matched with ${count(EVENTS)} new events`;
  return boundLine(name, "s", seconds, MAX_MATCHING_SECONDS);
}

export function eventChanges(at: number) {
  return {
    recordPublicId: `demo_${at}`,
    industry: ["5610", "4711", "9602"][at % 3] ?? null,
    type: EventType.options[at % EventType.options.length] ?? "stale_asset",
    confidence: (at % 20) / 20,
  };
}

/** Uses every kind of filter equally often. */
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

/** Uses one transaction, because subscribing is not measured. */
async function subscribe({ state }: DeliveryWorld, subscriptions: number): Promise<void> {
  await state.transaction(async (stores) => {
    for (let at = 0; at < subscriptions; at += 1) {
      const answer = await stores.subscriptions.request(wishAt(at));
      await stores.subscriptions.confirm(answer.token ?? "");
    }
  });
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
