/** What README, the manual and the operations pages show is run as it stands. */
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
  const [, look = "", map = ""] = shownBlocks(operationsPage("intake"), "json");

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

  test("have a column map that takes a CSV file", async () => {
    writeFileSync(join(folder, "map.json"), map);
    writeFileSync(
      join(folder, "visits.csv"),
      "event_id,observed_on,name,lat,lon,observer\n17,2026-05-01,Fern & Co Books,43.65,-79.38,\n",
    );
    await shell(
      "presence init --origin example.org/docs\npresence city add --geoname 6167865 --radius-km 25",
    );
    expect(await shell("presence ingest visits.csv --map map.json")).toMatch(/^accepted +1$/m);
  });
});

describe("the manual", () => {
  const folder = mkdtempSync(join(tmpdir(), "manual-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const page = (name: string) =>
    shownBlocks(readFileSync(join(PROJECT, "docs/manual", `${name}.md`), "utf8"), "sh");

  test("leads from an empty home to a release: the values of page 1, and pages 3 and 5", async () => {
    const [decided = ""] = page("01-decide");
    const [, values = ""] = /<<'END'\n(.*?)^presence\(\)/ms.exec(decided) ?? [];
    const [night = "", looked = ""] = page("05-night");
    const line = `{"source":"walkers","source_type":"scout","source_ref":"1","observer":"an","observed_at":"2026-11-02T14:05:00+01:00","lat":51.0538,"lng":3.7251,"name":"De Gouden Test","asset_type":"storefront"}`;
    writeFileSync(join(folder, "lines.ndjson"), line);
    const shown = [
      ...page("03-city"),
      "presence ingest lines.ndjson",
      "presence batch approve b1",
      night,
      looked.split("\n")[0],
    ];
    const script = [values, ...shown].join("\n").replaceAll("/srv/presence/", `${folder}/home/`);
    const { isOk, stdout, stderr } = await runShown(script.replace("", ""), {
      cwd: folder,
      env: { PRESENCE_HOME: join(folder, "home") },
    });
    expect(isOk, stderr).toBe(true);
    for (const seen of [/^2797656 +Gent/m, /^accepted +1$/m, /^NIGHTLY DONE/m, / published +as of /])
      expect(stdout).toMatch(seen);
  });
});
