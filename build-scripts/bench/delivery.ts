import { CONCURRENCY } from "../../src/delivery/deliver.ts";
import { eventItem } from "../../src/delivery/email/messages.ts";
import { sideBySide } from "../../src/kernel/concurrency.ts";
import { changeEvent } from "../../src/resources/cities/pulse.ts";
import type { NewDelivery } from "../../src/state/outbox/outbox-items.ts";
import type { Webhook } from "../../src/state/webhooks/webhook-row.ts";
import { DeliveryWorld } from "../../tests/support/delivery/delivery-town.ts";
import { fakeEvent } from "../../tests/support/release/fake-rows.ts";
import { startScript } from "./bench-server.ts";
import { benchCounting } from "./delivery-counting.ts";
import { benchMatching, eventChanges } from "./delivery-matching.ts";
import type { BenchLine } from "./line.ts";
import { median } from "./load.ts";
import { speedLine } from "./table.ts";

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
