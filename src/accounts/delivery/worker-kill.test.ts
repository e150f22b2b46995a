import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { DeliveryWorld, fakeRelease } from "../../../tests/support/delivery/delivery-town.ts";
import { WebhookSink } from "../../../tests/support/delivery/sinks.ts";
import { repetitions } from "../../../tests/support/trial.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { matchRelease } from "./match-events.ts";

const EVENTS = repetitions(5000, 500);

/** A worker as `presence deliver` runs it, in a process of its own with the clock of the test. */
function startWorker({ test }: DeliveryWorld, number: number): ChildProcess {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const program = `import { openState } from ${module("../../state/open-state.ts")};
    import { deliverDue } from ${module("./deliver.ts")};
    import { webhookSender } from ${module("./webhook-sender.ts")};
    const clock = () => ${test.time};
    const state = await openState(undefined, ${JSON.stringify(test.home)}, { clock });
    const send = webhookSender({ allowLoopback: true, ports: [] });
    const sendWebhook = (request) => send({ ...request, url: request.url + "?worker=${number}" });
    const log = { info() {}, error() {} };
    await deliverDue(state, { baseUrl: "", mailer: undefined, sendWebhook, clock, chance: () => 0, log });
    await state.close();`;
  return spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
}

test(`of ${2 * EVENTS} deliveries by three workers none is lost when one is killed with -9, and repeats are the same`, async () => {
  await using sink = await WebhookSink.start();
  await using world = await DeliveryWorld.open();
  for (const path of ["one", "two"]) await world.endpoint(`${sink.url}/${path}`);
  const events = Array.from({ length: EVENTS }, (_, n) => ({ id: `e${n}` }));
  expect(await matchRelease(world.state, fakeRelease("r1", events))).toMatchObject({ webhooks: 2 * EVENTS });
  // Now and then a receiver fails, so that retries and a dead worker's items come together.
  let count = 0;
  let fromFirst = 0;
  sink.answer = ({ path }, response) => {
    count += 1;
    if (path.endsWith("worker=0")) fromFirst += 1;
    if (fromFirst === 20) workers[0]?.kill("SIGKILL"); // in the middle of what it holds
    response.writeHead(count % 50 === 0 ? 500 : 204).end();
  };
  const workers = [0, 1, 2].map((number) => startWorker(world, number));
  const ended = workers.map((worker) => once(worker, "exit"));
  expect((await ended[0])?.[1]).toBe("SIGKILL");
  for (const exit of ended.slice(1)) expect(await exit).toEqual([0, null]);

  const { webhook: after } = await world.state.outbox.counts();
  expect(after.leased).toBeGreaterThan(0); // what the dead one held
  expect(after.dead).toBe(0);
  for (let n = 0; n < 4; n += 1) {
    world.test.pass(HOUR_MS);
    await world.deliver();
  }
  const { webhook: finished } = await world.state.outbox.counts();
  expect(finished).toEqual({ waiting: 0, leased: 0, done: 2 * EVENTS, dead: 0 });
  const bodies = new Map<string, Set<string>>();
  for (const { id, body } of sink.received) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
  expect(bodies.size).toBe(2 * EVENTS);
  expect([...bodies.values()].every((texts) => texts.size === 1)).toBe(true);
  expect(sink.received.length).toBeGreaterThan(2 * EVENTS); // repeats there were
});
