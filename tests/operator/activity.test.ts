import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MachineActivity } from "../../src/contract/service/machine-activity.ts";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { DAY_MS, isoTime, utcDayStart } from "../../src/kernel/time.ts";
import { Operator } from "../support/operations/operator.ts";
import { currentName, releaseHashes } from "../support/release/whole-release.ts";
import { observedTown, TOWN_SLUG } from "../support/towns/town.ts";

const ADDRESS = "203.0.113.77";
const AGENT = "MyHouse/1.0 (alice@example.org)";
const TODAY = utcDayStart(Date.now());

function logLine(minute: number, uri: string, userAgent = AGENT, upstream = "-"): string {
  return `${JSON.stringify({
    time: ((TODAY - DAY_MS + minute * 60_000) / 1000).toFixed(3),
    address: ADDRESS,
    method: "GET",
    uri,
    status: "200",
    seconds: "0.001",
    user_agent: userAgent,
    upstream,
  })}\n`;
}

function released(operator: Operator) {
  const directory = join(operator.home.night, currentName(operator.home) ?? "");
  const { site, manifest } = releasePaths(directory);
  return {
    directory,
    activity: MachineActivity.parse(
      JSON.parse(readFileSync(join(site, "api/v1/machine-activity.json"), "utf8")),
    ),
    inputs: JSON.parse(readFileSync(manifest, "utf8")).inputs,
  };
}

test("what a front server logged is in the next release, once, without saying who asked, and the release can be made again", async () => {
  using operator = new Operator();
  await observedTown(operator, { seed: 1, observations: 60, records: 12 });
  const build = ["build", "--as-of", isoTime(TODAY + 1000)];
  await operator.ok(build);
  const before = released(operator);
  expect(before.activity).toMatchObject({ window_days: 0, measured_since: null });
  expect(before.inputs.activity_sha256).toBeNull();

  const index = `/api/v1/city/${TOWN_SLUG}/index`;
  const lines = [
    ...Array.from({ length: 6 }, (_, minute) => logLine(minute, index)),
    logLine(6, index, "GPTBot/1.2"),
    logLine(7, `${index}?limit=2`, AGENT, "127.0.0.1:4321"),
    logLine(8, "/record/demo_nobody/"),
  ];
  const log = operator.write("access.log", lines.join(""));
  const first = JSON.parse(await operator.ok(["activity", "import", "--json", log]));
  expect(first).toMatchObject({ lines: 9, counted: 8, answered_by_node: 1, rejected: 0 });
  const again = JSON.parse(await operator.ok(["activity", "import", "--json", log]));
  expect(again).toMatchObject({ counted: 0, counted_before: 9 });
  expect(await operator.ok(["activity", "show", "--days", "2"])).toMatch(/^external requests +8$/m);

  await operator.ok(build);
  const after = released(operator);
  expect(after.activity).toMatchObject({
    window_days: 1,
    window_end: isoTime(TODAY),
    counts: {
      external_requests: 8,
      external_daily_client_instances: 2,
      transport: { rest_requests: 7, mcp_requests: 0, other_machine_requests: 1 },
      client_class: { ai_crawler_requests: 1, anonymous_or_unattributed_requests: 7 },
    },
    top_crawlers: [{ name: "GPTBot", requests: 1 }],
    most_queried_cities: [{ city: TOWN_SLUG, requests: 7 }],
    most_queried_entities: [],
  });
  expect(after.inputs.activity_sha256).toMatch(/^[0-9a-f]{64}$/);

  await operator.ok(build);
  const rebuilt = released(operator);
  expect(rebuilt.directory).not.toBe(after.directory);
  expect(releaseHashes(rebuilt.directory)).toEqual(releaseHashes(after.directory));

  const replayed = JSON.parse(await operator.ok(["replay", "--json", "--release", after.directory]));
  expect(replayed).toMatchObject({ differences: [], faults: [] });
  expect(replayed.not_replayable).toHaveProperty(["api/v1/machine-activity.json"]);

  const stored = [operator.home.state, ...filesBelow(after.directory)];
  for (const file of stored) {
    const bytes = readFileSync(file, "latin1");
    for (const text of [ADDRESS, "MyHouse", "alice@example", "demo_nobody"])
      if (file !== operator.home.state || text !== "demo_nobody") expect(bytes, file).not.toContain(text);
  }
});
