import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { SILENT_DAYS, writeNightlyStatus } from "../../src/kernel/status-files.ts";
import { TestSite } from "../../tests/support/release/site.ts";

/** deploy/prometheus against the metrics that a server prints, and against the manual. */

const PROJECT = join(import.meta.dirname, "../..");
const FOLDER = join(PROJECT, "deploy/prometheus");
const read = (...path: string[]) => readFileSync(join(PROJECT, ...path), "utf8");

/** The rules, read without a YAML parser: promtool judges their form. */
const rules = read("deploy/prometheus/presence.rules.yml")
  .split("- alert: ")
  .slice(1)
  .map((text) => ({
    alert: text.split("\n", 1)[0] ?? "",
    expr: /expr: ([\s\S]*?)\n {8}(?:for|labels):/.exec(text)?.[1] ?? "",
    severity: /labels: \{ severity: (\w+) \}/.exec(text)?.[1] ?? "",
    manual: /runbook_url: (\S+)/.exec(text)?.[1] ?? "",
  }));

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});
const panels = Dashboard.parse(JSON.parse(read("deploy/prometheus/presence.dashboard.json"))).panels;

let printed: ReadonlySet<string>;
beforeAll(async () => {
  using site = new TestSite();
  site.publish();
  writeNightlyStatus(site.home.nightly, {
    state: "done",
    exit_code: 0,
    pid: 1,
    started_at: "2026-05-20T00:10:00Z",
    finished_at: "2026-05-20T00:20:00Z",
    steps: [
      {
        name: "seal",
        outcome: "done",
        seconds: 1,
        facts: { batches_held_back: 1, [`${SILENT_DAYS}fleet`]: 9 },
      },
    ],
  });
  const at = "2026-05-20T00:10:00Z";
  const backups = { backed: { as_of: at, tree_size: 1, keys: {} }, restored: { at, problem: null } };
  writeFileSync(site.home.backupStatus, JSON.stringify(backups));
  const server = await site.serve({ metrics: { host: "127.0.0.1", port: 0 } });
  const text = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
  await server.stop();
  printed = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
});

test("rules and dashboard name only metrics that the server prints, and the dashboard all of them", () => {
  const named = (expressions: readonly string[]) =>
    new Set(
      expressions
        .flatMap((expr) => expr.match(/\bpresence_\w+/g) ?? [])
        .map((name) => name.replace(/_(bucket|sum|count)$/, "")),
    );
  const inRules = named(rules.map(({ expr }) => expr));
  const shown = named(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
  expect([...inRules].filter((name) => !printed.has(name))).toEqual([]);
  expect([...shown].sort()).toEqual([...printed].sort());
});

test("every alarm links to its section of the manual, which says what to do", () => {
  const manual = read("docs/operations/woken.md");
  const sections = new Map(
    manual
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split("\n", 1)[0] ?? "", section] as const),
  );
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert, severity, manual: link } of rules) {
    expect(["page", "ticket"]).toContain(severity);
    expect(link).toBe(`MANUAL/operations/woken.md#${alert.toLowerCase()}`);
    expect(sections.get(alert), alert).toMatch(/```sh\n[^`]*\S/);
  }
  expect([...sections.keys()]).toEqual(rules.map(({ alert }) => alert));
});

test.for([
  ["check rules", "presence.rules.yml"],
  ["test rules", "presence.rules.test.yml"],
] as const)("promtool %s accepts them", ([command, file], { skip }) => {
  const { error, status, stdout, stderr } = spawnSync("promtool", [...command.split(" "), file], {
    cwd: FOLDER,
    encoding: "utf8",
  });
  if (error !== undefined) return skip("promtool (Debian's package prometheus) is not installed");
  expect(status, stdout + stderr).toBe(0);
});
