import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ReportReceipt, ReportView } from "../../src/contract/accounts/reports.ts";
import { MethodologyMetrics } from "../../src/contract/service/methodology.ts";
import { DAY_MS, isoDate } from "../../src/kernel/time.ts";
import { QueueItem } from "../../src/review/queue/model.ts";
import { Operator } from "../support/operations/operator.ts";
import { Mailbox } from "../support/servers/mailbox.ts";
import { DEMO_BASE_URL, type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { observedTown } from "../support/towns/town.ts";

/** A problem from its report to what a release says of it: real server, real commands, a real mail server. */

const TEXT = "Nobody was there at that time, I keep the door.";
const REPORTER = "reporter@mail.example.org";
const Manifest = z.looseObject({ inputs: z.looseObject({ reports_sha256: z.string().nullable() }) });

let mailbox: Mailbox;
let operator: Operator;
let server: DemoServer;
let log = "";

beforeAll(async () => {
  mailbox = await Mailbox.open();
  const env = {
    DELIVERY: "worker",
    BASE_URL: DEMO_BASE_URL,
    SMTP_URL: mailbox.url,
    MAIL_FROM: "alerts@demo.test",
  };
  operator = new Operator(env);
  await observedTown(operator, { seed: 7, observations: 12, records: 2 });
  await operator.ok(["build"]);
  const onLog = (text: string) => {
    log += text;
  };
  server = await serveHome(operator.home.root, { env, onLog });
});

afterAll(async () => {
  await server.stop();
  await mailbox[Symbol.asyncDispose]();
  operator[Symbol.dispose]();
});

function published<T>(schema: z.ZodType<T>, path: string): T {
  return schema.parse(JSON.parse(readFileSync(join(operator.home.current, "site", path), "utf8")));
}

const disputes = () => published(MethodologyMetrics, "api/v1/methodology/metrics.json").dispute_metrics;
const reportsHash = () => published(Manifest, "manifest.json").inputs.reports_sha256;

/** The ledger row of an observation that is published. */
function someRow(): number {
  const Rows = z.looseObject({ observations: z.array(z.looseObject({ id: z.int() })).min(1) });
  const folder = "api/v1/observations";
  const [file] = readdirSync(join(operator.home.current, "site", folder)).filter((name) =>
    name.endsWith(".json"),
  );
  return published(Rows, `${folder}/${file}`).observations[0]?.id ?? 0;
}

async function reported(row: number): Promise<string> {
  const body = { about: String(row), kind: "not_genuine", text: TEXT, email: REPORTER };
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${server.url}/api/v1/reports`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(202);
  return ReportReceipt.parse(await answer.json()).report.report_id;
}

test("reported, listed, decided in the ledger, answered by mail, and counted in the next release", async () => {
  expect(disputes()).toMatchObject({ received: null, open: null, reports_until: null, upheld_reviews: 0 });
  expect(reportsHash()).toBeNull();
  const row = someRow();
  const id = await reported(row);
  const [, waiting] = (await operator.ok(["review", "list", "--kind", "report", "--json"])).split("\n");
  expect(QueueItem.parse(JSON.parse(waiting ?? ""))).toMatchObject({
    ...{ id, kind: "report" },
    facts: [{ label: "about", value: String(row) }, { label: "problem" }],
  });

  const by = ["--as", "review-desk"];
  const decided = await operator.ok([
    "review",
    "reject",
    String(row),
    ...by,
    "--reason",
    "reported_problem",
    "--json",
  ]);
  const review = z.looseObject({ row: z.int() }).parse(JSON.parse(decided)).row;
  expect(await operator.refused(["report", "resolve", id, ...by, "--outcome", "upheld"])).toContain(
    "--row is missing: name the ledger row",
  );
  await operator.ok(["report", "resolve", id, ...by, "--outcome", "upheld", "--row", String(review)]);
  const view = ReportView.parse(await (await fetch(`${server.url}/api/v1/reports/${id}`)).json());
  expect(view.report).toMatchObject({ status: "resolved", outcome: "upheld", ledger_row: review });

  await operator.ok(["deliver", "--once"]);
  const [mail, ...more] = mailbox.to(REPORTER);
  expect(more).toEqual([]);
  expect(mail?.text).toContain(`${DEMO_BASE_URL}/report/status/?report=${id}`);
  expect(mail?.text).not.toContain("keep the door");

  await operator.ok(["seal", "--now"]);
  await operator.ok(["build", "--as-of", isoDate(Date.now() + DAY_MS)]);
  expect(disputes()).toMatchObject({
    received: 1,
    open: 0,
    upheld: 1,
    open_from_before: 0,
    median_days_to_resolution: 0,
    upheld_reviews: 1,
    review_rows: [review],
  });
  expect(reportsHash()).toMatch(/^[0-9a-f]{64}$/);
  await operator.ok(["verify"]);
  await operator.ok(["replay"]); // which knows the counts from the published ones
  expect(log).not.toMatch(/keep the door|reporter@|rep_\w{16}/);
});
