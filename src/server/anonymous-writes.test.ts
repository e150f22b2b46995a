/** Attacks on addresses and on the service by requests that need no key, as they were tried on it. */

import { expect, test } from "vitest";
import { ServedSite } from "../../tests/support/servers/served-site.ts";
import { configFrom } from "../kernel/config/config.ts";

const served = new ServedSite({ config: { metrics: { host: "127.0.0.1", port: 0 } } });

const send = (path: string, from: string, body: object) =>
  served.post(path, body, { "X-Forwarded-For": from });

const subscribe = (from: string, email: string) =>
  send("/api/v1/alerts/subscribe", from, { email, city: "toronto" });

const mailsTo = async (text: string) => {
  const mails = await served.state.outbox.list({ kind: "mail", limit: 10_000 });
  return mails.filter(({ payload }) => payload.includes(text));
};

const metrics = async () => (await fetch(`http://127.0.0.1:${served.server.metricsPort}/metrics`)).text();

test("thirty victim+N@ from four networks: five emails, and nothing in the answers tells which", async () => {
  const shapes = new Set<string>();
  for (let n = 0; n < 30; n += 1) {
    const answer = await subscribe(`198.51.${n % 4}.${n}`, `victim+${n}@victim.example`);
    const text = (await answer.text()).replace(/sub_[0-9a-z]{16}/, "");
    shapes.add(`${answer.status} ${text}`);
  }
  expect(shapes.size).toBe(1);
  expect([...shapes][0]).toMatch(/^201 /);
  expect(await mailsTo("@victim.example")).toHaveLength(5);
  expect(await metrics()).toContain('presence_emails_withheld_total{reason="mailbox"} 25');
});

test("reports do not send the owner of an address more emails either, and are stored all the same", async () => {
  const ids = new Set<string>();
  for (let n = 0; n < 8; n += 1) {
    const body = {
      kind: "other",
      text: `This is report number ${n}.`,
      email: `victim+${n}@reported.example`,
    };
    for (const again of [1, 2]) {
      const answer = await send("/api/v1/reports", `203.0.${n}.${again}`, body);
      expect(answer.status).toBe(202);
      ids.add(/rep_[0-9a-z]{16}/.exec(await answer.text())?.[0] ?? "");
    }
  }
  expect(ids.size).toBe(8);
  const kept = await Promise.all([...ids].map((id) => served.state.reports.get(id)));
  expect(kept.filter((report) => report?.email !== null)).toHaveLength(5);
});

test("a network of many addresses gets no more than its budget, whatever addresses it names", async () => {
  const statuses = [];
  for (let n = 0; n < 40; n += 1) {
    const answer = await subscribe(`192.0.2.${n}`, `person${n}@random${n}.example`);
    statuses.push(answer.status);
    if (answer.status !== 429) continue;
    expect(await answer.json()).toMatchObject({
      error: "too many subscription requests from your network: try again later",
    });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(3000);
  }
  expect(statuses).toEqual([...Array(30).fill(201), ...Array(10).fill(429)]);
  expect(await metrics()).toContain(
    'presence_writes_refused_total{kind="subscriptions",budget="network"} 10',
  );
});

test("random addresses from random networks: the hour's budget, then 429, and reads go on", async () => {
  const { writes } = configFrom({});
  let taken = 0;
  for (let n = 0; n < writes.perHour; n += 1) {
    const { status } = await subscribe(`10.${n >> 8}.${n & 255}.1`, `anyone${n}@somewhere${n}.example`);
    if (status === 201) taken += 1;
  }
  expect(taken).toBe(writes.perHour - 60); // what the tests before took
  const refused = await subscribe("172.16.0.1", "late@comer.example");
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { error: "too many subscription requests at this time: try again later", code: "too_many_requests" },
  ]);
  expect((await fetch(`${served.server.url}/api/v1/search?name=alpha`)).status).toBe(200);
});
