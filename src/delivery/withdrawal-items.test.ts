/** Partners who hold copies can purge: each endpoint is told once, with row numbers alone. */

import { expect, test } from "vitest";
import { DeliveryWorld, fakeRelease } from "../../tests/support/delivery/delivery-town.ts";
import { verified, WebhookSink } from "../../tests/support/delivery/sinks.ts";
import { WEBHOOK_DELIVERY } from "../contract/limits.ts";
import { matchRelease } from "./match-events.ts";

const WITHDRAWN = [
  { erasedBy: 90, row: 4 },
  { erasedBy: 90, row: 5 },
  { erasedBy: 90, row: 17 },
  { erasedBy: 95, row: 60 },
];

test("every endpoint gets each withdrawal once, whatever it asked for, and signed", async () => {
  await using sink = await WebhookSink.start();
  await using world = await DeliveryWorld.open();
  world.test.time = Date.now(); // the library that receivers use looks at the machine's clock
  const endpoint = await world.endpoint(sink.url, { city: "beta", eventTypes: ["stale_asset"] });
  const release = (name: string, withdrawn: typeof WITHDRAWN) => fakeRelease(name, [], [], withdrawn);
  expect(await matchRelease(world.state, release("r1", WITHDRAWN.slice(0, 3)))).toEqual({
    events: 0,
    digests: 0,
    webhooks: 0,
    withdrawals: 1,
  });
  expect(await matchRelease(world.state, release("r1", WITHDRAWN))).toBeUndefined();
  expect(await matchRelease(world.state, release("r2", WITHDRAWN))).toMatchObject({ withdrawals: 1 });
  expect(await matchRelease(world.state, release("r3", WITHDRAWN))).toMatchObject({ withdrawals: 0 });
  expect(await world.deliver()).toMatchObject({ done: 2 });
  const [secret = ""] = world.state.webhooks.signingSecrets(endpoint);
  const messages = sink.received
    .map((one) => verified(secret, one))
    .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  expect(messages).toEqual([
    message({
      withdrawn_by: 90,
      rows: [
        [4, 5],
        [17, 17],
      ],
    }),
    message({ withdrawn_by: 95, rows: [[60, 60]] }),
  ]);
});

function message(data: object) {
  const common = { part: 1, parts: 1, withdrawals_url: "https://presence.test/api/v1/withdrawals" };
  return {
    type: "ledger.withdrawal",
    timestamp: "2026-06-30T00:00:00Z",
    data: { ...common, ...data },
  };
}

test("a withdrawal of ten thousand scattered rows comes in parts that keep to the promised size", async () => {
  await using sink = await WebhookSink.start();
  await using world = await DeliveryWorld.open();
  await world.endpoint(sink.url);
  const first = 999_000_001;
  const rows = Array.from({ length: 10_000 }, (_, at) => ({ erasedBy: 999_999_999, row: first + 2 * at }));
  await matchRelease(world.state, fakeRelease("r1", [], [], rows));
  await world.deliver();
  // In any order, as the contract says.
  const data = sink.received
    .map(({ body }) => JSON.parse(body).data)
    .sort((one, other) => one.part - other.part);
  expect(data.map(({ part, parts }) => [part, parts])).toEqual(
    Array.from({ length: 20 }, (_, at) => [at + 1, 20]),
  );
  expect(data.flatMap((one) => one.rows).map(([from]) => from)).toEqual(rows.map(({ row }) => row));
  for (const { body } of sink.received)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(WEBHOOK_DELIVERY.payloadBytes);
});
