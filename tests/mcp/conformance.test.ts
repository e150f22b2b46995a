import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type FreshClients, freshClients } from "../support/mcp/mcp.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The official tools against the real server: the conformance suites, and the inspector, which has a client of its own. */

let server: DemoServer;
let proxy: FreshClients;
const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));

beforeAll(async () => {
  server = await serveHome(inject("demoHome"));
  proxy = await freshClients(server.url);
});

afterAll(async () => {
  proxy.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly output: string; // both streams
}

function run(script: string, args: readonly string[]): Promise<Ended> {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder, NO_COLOR: "1" };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(PROJECT, "node_modules", script), ...args],
      { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

/** A suite passes when it fails exactly where the baseline says; an entry that passes fails it too. */
test.each([
  { suite: "conformance-active", given: ["--suite", "active"], baseline: "active" },
  { suite: "conformance-next", given: ["--requirements", "2025-11-25"], baseline: "2025-11-25" },
  { suite: "conformance-next", given: ["--requirements", "2026-07-28"], baseline: "2026-07-28" },
])("$suite $given", async ({ suite, given, baseline }) => {
  const expected = join(import.meta.dirname, `baseline-${baseline}.yml`);
  const { code, output } = await run(`${suite}/dist/index.js`, [
    ...["server", "--url", proxy.url, ...given, "--expected-failures", expected],
  ]);
  expect(output).toContain("Baseline check passed");
  expect(code, output).toBe(0);
});

test("the headers of 2026-07-28, which the suite does not count yet", async () => {
  const { code, output } = await run("conformance-next/dist/index.js", [
    ...["server", "--url", proxy.url, "--scenario", "http-header-validation", "--spec-version", "2026-07-28"],
  ]);
  expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  expect(code, output).toBe(0);
});

const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

test.each(["legacy", "auto", "modern"])("the inspector finds no fault with the schemas (%s)", async (era) => {
  const { code, output } = await run(INSPECTOR, [
    ...["--cli", proxy.url, "--transport", "http", "--protocol-era", era],
    ...["--method", "tools/list", "--strict"],
  ]);
  expect(code, output).toBe(0);
  expect(output).toContain('"name": "get_pulse"');
  expect(output).not.toMatch(/warn/i);
});

test.each(["legacy", "modern"])("the inspector calls a tool (%s)", async (era) => {
  const { code, output } = await run(INSPECTOR, [
    ...["--cli", proxy.url, "--transport", "http", "--protocol-era", era, "--method", "tools/call"],
    ...["--tool-name", "city_index", "--tool-args-json", '{"city":"Guelph","limit":2}'],
  ]);
  expect(code, output).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ structuredContent: { returned_count: 2 } });
});
