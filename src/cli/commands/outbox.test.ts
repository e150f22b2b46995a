import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DeliveryWorld } from "../../../tests/support/delivery/delivery-town.ts";
import { MailSink, WebhookSink } from "../../../tests/support/delivery/sinks.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { TestState } from "../../../tests/support/state/stores.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import { enqueueConfirmation, enqueueTest } from "../../accounts/delivery/messages.ts";
import type { Config } from "../../kernel/config/config.ts";
import type { Home } from "../../kernel/home.ts";
import { Secret } from "../../kernel/secret.ts";

/** Runs a command; returns what it printed as JSON. */
async function presence(home: Home, changes: Partial<Config>, ...args: string[]) {
  const config = { ...contextFor(home).config, ...changes };
  return JSON.parse((await presenceAt(home, [...args, "--json"], { config, clock: Date.now })).stdout);
}

test("deliver without a state does nothing, and makes none", async () => {
  const test = await TestState.unopened("sqlite");
  expect(await presence(test.home, {}, "deliver")).toMatchObject({ delivered: 0 });
  expect(existsSync(test.home.state)).toBe(false);
  await expect(presence(test.home, {}, "outbox", "list")).rejects.toThrow("there is no state yet");
  await test[Symbol.asyncDispose]();
});

test("cancelling leaves nothing of an address in the files of a running server", async () => {
  await using server = await TestState.open("sqlite");
  await enqueueConfirmation(server.state.outbox, {
    subscriptionPublicId: "sub_1",
    address: "gone@person.test",
    token: "geheim",
    scope: "every record in Alpha",
    entityPublicId: null,
  });
  const files = () => ["", "-wal"].map((ending) => readFileSync(server.home.state + ending, "latin1")).join();
  expect(files().includes("gone@person.test")).toBe(true);
  expect(await presence(server.home, {}, "outbox", "cancel", "sub_1")).toEqual({ cancelled: 1 });
  expect(files().includes("gone@person.test")).toBe(false);
});

test("what is given up is seen, tried again and dropped; addresses and tokens are not shown", async () => {
  await using sink = await WebhookSink.start();
  await using world = await DeliveryWorld.open();
  const { home } = world.test;
  const webhookRules = { allowLoopback: true, ports: [] };
  const webhook = await world.endpoint(sink.url);
  await enqueueTest(world.state.outbox, webhook, "n1", "2026-05-01T00:00:00Z");
  await enqueueConfirmation(world.state.outbox, {
    subscriptionPublicId: "sub_1",
    address: "reader@mail.test",
    token: "geheim",
    scope: "every record in Alpha",
    entityPublicId: null,
  });
  sink.answer = (_, response) => response.writeHead(410).end();
  expect(await presence(home, { webhookRules }, "deliver", "--once")).toEqual({
    delivered: 0,
    to_try_again: 0,
    given_up: 1,
    mail: "waits: SMTP_URL is not set",
  });
  const listed = await presence(home, {}, "outbox", "list");
  expect(listed.counts).toMatchObject({ mail: { waiting: 2 }, webhook: { dead: 1 } });
  expect(JSON.stringify(listed)).not.toMatch(/reader@|geheim/);
  const dead = await presence(home, {}, "outbox", "list", "--state", "dead", "--kind", "webhook");
  expect(dead.deliveries).toMatchObject([{ target: webhook.publicId, last_error: "HTTP 410" }]);
  const id = String(dead.deliveries[0].id);
  expect(await presence(home, {}, "outbox", "show", id)).toMatchObject({
    key: `${webhook.publicId}:test:n1`,
    tries: [{ status: 410, error: "HTTP 410" }],
  });
  expect(await presence(home, {}, "outbox", "retry", id)).toMatchObject({ retried: Number(id) });
  await expect(presence(home, {}, "outbox", "retry", id)).rejects.toThrow("is already waiting");
  expect(await presence(home, {}, "outbox", "cancel", "sub_1")).toEqual({ cancelled: 1 });
  await expect(presence(home, {}, "outbox", "show", "999")).rejects.toThrow("no delivery 999");
  await expect(presence(home, {}, "outbox", "list", "--state", "lost")).rejects.toThrow(
    "argument 'lost' is invalid. Allowed choices are waiting, leased, done, dead.",
  );
  await expect(presence(home, {}, "deliver", "--once", "--follow")).rejects.toThrow("give only one of them");
});

test("a suppressed address gets no mail until it is allowed again", async () => {
  await using mails = await MailSink.start();
  await using world = await DeliveryWorld.open();
  const { home } = world.test;
  const mail = { smtpUrl: new Secret(mails.url), from: "alerts@presence.test", dkim: undefined };
  const confirmation = (token: string) =>
    enqueueConfirmation(world.state.outbox, {
      subscriptionPublicId: "sub_1",
      address: "reader@mail.test",
      token,
      scope: "every record in Alpha",
      entityPublicId: null,
    });
  world.test.time = Date.now();
  expect(await presence(home, {}, "suppress", "Reader@mail.test")).toEqual({ suppressed: true });
  await confirmation("t1");
  expect(await presence(home, { mail }, "deliver")).toMatchObject({ delivered: 0, given_up: 1, mail: "on" });
  expect(await presence(home, {}, "suppress", "reader@mail.test", "--allow")).toEqual({ suppressed: false });
  await confirmation("t2");
  expect(await presence(home, { mail }, "deliver")).toMatchObject({ delivered: 1 });
  expect(mails.received).toHaveLength(1);
  await expect(presence(home, {}, "suppress", "reader@mail.test", "--allow")).rejects.toThrow(
    "not on the list",
  );
  await expect(presence(home, {}, "suppress", "no address")).rejects.toThrow("must be one email address");
});
