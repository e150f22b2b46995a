import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, inject, test } from "vitest";
import { homePaths } from "../../src/kernel/home.ts";
import { isPythonThere, recompute } from "../python/program.ts";
import { linkTree, replaceFile } from "../support/release/dishonest-operator.ts";
import { homeBeside, serveHome } from "../support/towns/demo-home.ts";

/** Every published number, recomputed by a program in Python (tests/python) that shares no code with the project. */

describe.skipIf(!isPythonThere)("the independent recomputation", () => {
  const release = realpathSync(homePaths(inject("demoHome")).current);
  const town = realpathSync(homePaths(inject("townHome")).current);
  const folder = mkdtempSync(join(dirname(inject("townHome")), "recompute-")); // on the same disk, for links
  afterAll(() => rmSync(folder, { recursive: true }));

  test("agrees with every surface of the demonstration, its MCP server too", async () => {
    const home = homeBeside(inject("demoHome"));
    const server = await serveHome(home);
    try {
      const { code, output } = await recompute(
        join(release, "site"),
        "--mcp",
        `${server.url}/mcp`,
        "--as-proxy",
      );
      expect(code, output).toBe(0);
      for (const surface of ["assets", "cells", "coverage", "csv", "entity", "feed", "index", "mcp"])
        expect(output).toMatch(new RegExp(`[1-9][\\d,]*  ${surface}$`, "m"));
      expect(output).toMatch(/, 0 differ$/m);
    } finally {
      await server.stop();
      rmSync(home, { recursive: true });
    }
  });

  test("names a score, a state and a date that are not what the rows say", async () => {
    const site = mkdtempSync(join(folder, "site-"));
    linkTree(join(town, "site"), site);
    const changed = [
      ["presence-score", /"raw_score":[\d.]+/, '"raw_score":1'],
      ["observations", /"verif_state":"corroborated"/, '"verif_state":"verified"'],
      ["entity", /"last_observed":"\d{4}/, '"last_observed":"2001'],
    ] as const;
    for (const [resource, pattern, replacement] of changed) {
      const path = join(site, "api/v1", resource, `${busiestRecord()}.json`);
      const text = readFileSync(path, "utf8");
      expect(text).toMatch(pattern);
      replaceFile(path, Buffer.from(text.replace(pattern, replacement)));
    }
    const { code, output } = await recompute(site);
    expect(code).toBe(1);
    for (const value of ["raw: ", "state: ", "last_observed: "])
      expect(output).toMatch(new RegExp(`FAULT .*${value}published`));
  });

  function busiestRecord(): string {
    const found: { results: { public_id: string }[] } = JSON.parse(
      readFileSync(join(town, "site/api/v1/search.json"), "utf8"),
    );
    return found.results[0]?.public_id ?? "";
  }
});
