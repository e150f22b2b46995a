/** What README and the operations pages show is run as it stands. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { parseLook } from "../../src/intake/looks/look.ts";
import { runShown, shownBlocks } from "../support/operations/shown-commands.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

const PROJECT = join(import.meta.dirname, "../..");
const readme = readFileSync(join(PROJECT, "README.md"), "utf8");
const operationsPage = (name: string) => readFileSync(join(PROJECT, "docs/operations", `${name}.md`), "utf8");

describe("README's tour", () => {
  let server: DemoServer;
  beforeAll(async () => {
    server = await serveHome(inject("demoHome"));
  });
  afterAll(() => server.stop());

  const commands = [...readme.matchAll(/^curl -s "?(http:[^\s"]+)"?\s+# (.*)$/gm)];

  test("shows a command for each kind of answer", () => {
    expect(commands.length).toBeGreaterThan(9);
  });

  test.each(commands.map(([, url = "", remark = ""]) => [url, remark]))("%s", async (url, remark) => {
    const answer = await fetch(url.replace("http://127.0.0.1:4321", server.url));
    const body = await answer.text();
    const [, shown] = /^(\{"error":"[^…]*)/.exec(remark) ?? [];
    if (shown === undefined) expect(answer.status).toBe(200);
    else {
      expect(answer.status).toBe(400);
      expect(body.startsWith(shown)).toBe(true);
    }
    expect(body.length).toBeGreaterThan(20);
  });

  test("the MCP server is called as shown", async () => {
    const [calls = ""] = shownBlocks(readme.split("<!-- mcp: ")[1] ?? "", "sh");
    const shown = calls
      .replaceAll("http://127.0.0.1:4321", server.url)
      .replaceAll("curl -s", "echo; curl -sf");
    const { isOk, stdout, stderr } = await runShown(shown, { cwd: tmpdir() });
    expect(isOk, stderr).toBe(true);
    const [list, called, contract] = stdout
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    expect(list.result.tools).toHaveLength(6);
    expect(called.result).toMatchObject({
      structuredContent: { city: { name: "Guelph" }, returned_count: 3 },
    });
    expect(contract.tools).toHaveLength(6);
  });

  const [checks = ""] = shownBlocks(readme.split("<!-- checks: ")[1] ?? "", "sh");
  const tools = checks
    .trim()
    .split("\n")
    .map((line) => line.replace(/ +#.*$/, ""));

  test.each(tools)("%s", async (command) => {
    const shown = command.replace("bin/presence", "presence").replace("http://127.0.0.1:4321", server.url);
    expect(shown).not.toBe(command);
    const { isOk, stdout, stderr } = await runShown(shown, { cwd: tmpdir() });
    expect(isOk, stderr).toBe(true);
    expect(stdout).toMatch(/: no fault$|, 0 values differ$|^c2sp.org\/tlog-proof@v1$/m);
  });
});

describe("the operations pages", () => {
  const folder = mkdtempSync(join(tmpdir(), "operations-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [line = "", look = "", map = ""] = shownBlocks(operationsPage("intake"), "json");

  test("have a look that intake takes", () => {
    expect(parseLook(JSON.parse(look))).toMatchObject({ kind: "look", source_type: "scout" });
  });

  async function shell(script: string): Promise<string> {
    const { isOk, stdout, stderr } = await runShown(script, {
      cwd: folder,
      env: { PRESENCE_HOME: join(folder, "home") },
    });
    expect(isOk, stderr).toBe(true);
    return stdout;
  }

  test("lead from nothing to a release", async () => {
    writeFileSync(join(folder, "sightings.ndjson"), line);
    const [script = ""] = shownBlocks(operationsPage("first-release"), "sh");
    const steps = script
      .split("\n")
      .filter((step) => !step.startsWith("export ") && step !== "presence serve")
      .join("\n");
    const output = await shell(steps);
    expect(output).toMatch(/^accepted +1$/m);
    expect(output).toMatch(/^observations +1$/m);
  });

  test("have a column map that takes a CSV file", async () => {
    writeFileSync(join(folder, "map.json"), map);
    writeFileSync(
      join(folder, "visits.csv"),
      "event_id,observed_on,name,lat,lon,observer\n17,2026-05-01,Fern & Co Books,43.65,-79.38,\n",
    );
    expect(await shell("presence ingest visits.csv --map map.json")).toMatch(/^accepted +1$/m);
  });
});
