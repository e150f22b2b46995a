import { expect, test } from "vitest";
import { OperatorError } from "../kernel/errors.ts";
import { writeNightlyStatus } from "../kernel/nightly-status.ts";
import { TestSite } from "../testing/release/site.ts";
import { Histogram, metricsText } from "./metrics/metrics-text.ts";

test("the text has a line for each sample, its labels escaped", () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value);
  const text = metricsText([
    { name: "a_total", type: "counter", help: "All.", samples: [{ labels: { x: 'q"\\\n' }, value: 3 }] },
    {
      name: "b",
      type: "gauge",
      help: "Now.",
      samples: [{ value: Number.NaN }, { value: Number.POSITIVE_INFINITY }],
    },
    { name: "c", type: "histogram", help: "Time.", samples: histogram.samples({ class: "api" }) },
  ]);
  expect(text.split("\n")).toEqual([
    "# HELP a_total All.",
    "# TYPE a_total counter",
    'a_total{x="q\\"\\\\\\n"} 3',
    "# HELP b Now.",
    "# TYPE b gauge",
    "b NaN",
    "b +Inf",
    "# HELP c Time.",
    "# TYPE c histogram",
    'c_bucket{class="api",le="0.1"} 2',
    'c_bucket{class="api",le="1"} 3',
    'c_bucket{class="api",le="+Inf"} 4',
    'c_sum{class="api"} 7.65',
    'c_count{class="api"} 4',
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
    steps: [],
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
