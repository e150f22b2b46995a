import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import type { Observer } from "../activity/activity.ts";
import { OperatorError } from "../kernel/errors.ts";
import { SILENT_DAYS, writeNightlyStatus } from "../kernel/status-files.ts";
import { RequestMetrics } from "./metrics/metrics-listener.ts";

const silentObserver: Observer = { answered() {}, answering() {}, broken() {} };

test("requests are counted by class and status, and their times by the bounds of the buckets", async () => {
  const metrics = new RequestMetrics(silentObserver);
  const request = Object.assign(new IncomingMessage(new Socket()), { url: "/api/v1/cities", method: "GET" });
  const response = new ServerResponse(request);
  const now = vi.spyOn(performance, "now");
  for (const seconds of [0.0005, 0.001, 0.4, 70]) {
    now.mockReturnValue(seconds * 1000);
    metrics.answered(request, response, 0);
  }
  now.mockRestore();
  metrics.broken(431, new Socket());
  const lines = (await metrics.registry.metrics()).split("\n");
  const bucket = (bound: string, count: number) =>
    `presence_request_seconds_bucket{le="${bound}",class="api"} ${count}`;
  expect(lines).toEqual([
    "# HELP presence_requests_total Requests answered, by class and status.",
    "# TYPE presence_requests_total counter",
    'presence_requests_total{class="api",status="200"} 4',
    'presence_requests_total{class="broken",status="431"} 1',
    "",
    "# HELP presence_request_seconds Time from a request to the end of its answer.",
    "# TYPE presence_request_seconds histogram",
    ...["0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25"].map((bound) => bucket(bound, 2)),
    ...["0.5", "1", "2.5", "5", "10"].map((bound) => bucket(bound, 3)),
    bucket("+Inf", 4),
    'presence_request_seconds_sum{class="api"} 70.4015',
    'presence_request_seconds_count{class="api"} 4',
    "",
  ]);
});

test("a running server tells of its requests, its release and the last night, on a listener of its own", async () => {
  using site = new TestSite();
  site.publish();
  writeNightlyStatus(site.home.nightly, {
    state: "degraded",
    exit_code: 2,
    pid: 1,
    started_at: "2026-05-20T00:10:00Z",
    finished_at: "2026-05-20T00:20:00Z",
    steps: [
      {
        name: "seal",
        outcome: "done",
        seconds: 1,
        facts: { batches_held_back: 2, [`${SILENT_DAYS}city-fleet`]: 9 },
      },
    ],
  });
  const server = await site.serve({ metrics: { host: "127.0.0.1", port: 0 } });
  try {
    for (const path of [
      "/",
      "/",
      "/api/v1/cities",
      "/api/v1/nothing-secret?q=geheim",
      "/healthz",
      "/metrics",
    ])
      await (await fetch(server.url + path)).text();
    const metrics = `http://127.0.0.1:${server.metricsPort}/metrics`;
    const answer = await fetch(metrics);
    const text = await answer.text();
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    for (const line of [
      'presence_requests_total{class="site",status="200"} 2',
      'presence_requests_total{class="site",status="404"} 1', // the public listener has no metrics
      'presence_requests_total{class="probe",status="200"} 1',
      'presence_request_seconds_count{class="api"} 2',
      "presence_release_up 1",
      "presence_reads_waiting 0",
      "presence_state_up 1",
      'presence_outbox_waiting{kind="mail"} 0',
      'presence_outbox_overdue_seconds{kind="mail"} 0',
      'presence_delivery_set_up{kind="mail"} 1', // a demonstration writes it to files
      'presence_delivery_set_up{kind="webhook"} 1',
      "presence_release_late 0",
      "presence_nightly_exit_code 2",
      "presence_batches_held_back 2",
      'presence_source_silent_days{source="city-fleet"} 9',
      `presence_nightly_end_seconds ${Date.parse("2026-05-20T00:20:00Z") / 1000}`,
    ])
      expect(text.split("\n")).toContain(line);
    expect(text).toMatch(/^presence_release_rows \d+$/m);
    expect(text).toMatch(/^presence_cache_bytes [1-9]\d+$/m);
    expect(text).not.toMatch(/geheim|nothing-secret|127\.0\.0/);
    expect((await fetch(metrics.replace("/metrics", "/"))).status).toBe(404);
    expect((await fetch(metrics, { method: "POST" })).status).toBe(405);
  } finally {
    await server.stop();
  }
});

test("without a port there is no listener, and one that is taken is named", async () => {
  using site = new TestSite();
  const server = await site.serve();
  expect(server.metricsPort).toBeUndefined();
  const taken = site.serve({ metrics: { host: "127.0.0.1", port: server.port } });
  await expect(taken).rejects.toThrow(OperatorError);
  await server.stop();
});
