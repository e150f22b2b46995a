import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { DeliveryWorld, fakeRelease } from "../../../tests/support/delivery/delivery-town.ts";
import { WebhookSink } from "../../../tests/support/delivery/sinks.ts";
import { StateLost } from "../../state/database/database-file.ts";
import type { State } from "../../state/open-state.ts";
import { deliverDue, startDelivery } from "./deliver.ts";
import { matchRelease } from "./match-events.ts";
import { enqueueTest } from "./messages.ts";

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 1000 && !condition(); n += 1) await sleep(10);
  expect(condition()).toBe(true);
}

test("goes on, and stops when what is under way has ended and the rest is given back", async () => {
  await using sink = await WebhookSink.start();
  await using world = await DeliveryWorld.open();
  await world.endpoint(sink.url);
  const events = Array.from({ length: 100 }, (_, n) => ({ id: `e${n}` }));
  await matchRelease(world.state, fakeRelease("r1", events));
  sink.answer = (_, response) => void setTimeout(() => response.end(), 100);
  const delivery = startDelivery(world.state, world.parts);
  await until(() => sink.received.length > 0);
  await delivery.stop();
  const { webhook } = await world.state.outbox.counts();
  expect(webhook).toMatchObject({ leased: 0, dead: 0 });
  expect(webhook.done).toBe(sink.received.length);
  expect(webhook.waiting).toBe(100 - webhook.done);
  expect(webhook.waiting).toBeGreaterThan(0);
  const waiting = await world.state.outbox.list({ state: "waiting", limit: 100 });
  expect(waiting.filter(({ tries }) => tries > 0)).toEqual([]);
  await delivery.stop();
});

test("a store that fails is logged and tried again, without a word of what it holds", async () => {
  await using world = await DeliveryWorld.open();
  const logged: unknown[] = [];
  const log = { info: () => undefined, error: (...said: unknown[]) => void logged.push(said) };
  const broken = new Proxy(world.state, {
    get(state: State, part) {
      if (part === "outbox") throw new Error("the disk is gone");
      return Reflect.get(state, part);
    },
  });
  const delivery = startDelivery(broken, { ...world.parts, log });
  await until(() => logged.length > 0);
  await delivery.stop();
  expect(logged).toEqual([["delivery_failed", { fault: "the disk is gone" }]]);
});

test("a state that is lost ends the delivery, and is told once", async () => {
  await using world = await DeliveryWorld.open();
  const logged: unknown[] = [];
  const log = { info: () => undefined, error: (event: string) => void logged.push(event) };
  const delivery = startDelivery(world.state, { ...world.parts, log });
  rmSync(`${world.test.home.state}-wal`);
  expect(await delivery.ended).toBeInstanceOf(StateLost);
  await delivery.stop();
  expect(logged).toEqual(["delivery_failed"]);
});

test("a state that does not keep what is written ends the delivery, instead of sending for ever", async () => {
  await using sink = await WebhookSink.start();
  await using world = await DeliveryWorld.open();
  await enqueueTest(world.state.outbox, await world.endpoint(sink.url), "n1", "2026-05-01T00:00:00Z");
  const batch = await world.state.outbox.claim(10, 1000);
  const outbox = new Proxy(world.state.outbox, {
    get: (target, part) => (part === "claim" ? async () => batch : Reflect.get(target, part)),
  });
  const forgetful = new Proxy(world.state, {
    get: (target, part) => (part === "outbox" ? outbox : Reflect.get(target, part)),
  });
  await expect(deliverDue(forgetful, world.parts)).rejects.toThrow(/due again and again.*presence doctor/);
  expect(sink.received.length).toBe(10);
});
