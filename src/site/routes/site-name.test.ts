/** A release whose operator has named the service: no document has the program's own name, and each has the given one as text. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testPages } from "../../../tests/support/pages/compiled.ts";
import { TestSite } from "../../../tests/support/release/site.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { parseCitationId } from "../../contract/citation/citation.ts";
import { filesBelow } from "../../kernel/files/durable-file.ts";
import { releasePaths } from "../../kernel/home.ts";
import { PARQUET_EXPORTS } from "../../render/formats/exports.ts";
import { newestCitationId, pastQuote } from "../../resources/citations/citation.ts";
import { contextAt } from "../../resources/release-store.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { PLAIN_ROUTES, plainPageAt } from "../markup/index.ts";
import { pageAddresses } from "../page-addresses.ts";
import { Site } from "../site.ts";

/** The pages below src/pages, as their compiler names them. */
const COMPILED = globSync("**/*.astro", { cwd: join(import.meta.dirname, "../../pages") }).map((file) => ({
  pattern: `/${file.replace(/(^|\/)index\.astro$|\.astro$/, "")}`,
  type: "page",
}));

const AS_OF = "2026-05-20T12:00:00Z";
const NAME = `Tom & "Jo's" Watch`;

/** Every file and page of a release, by its path. */
async function surfacesOf(release: string): Promise<Map<string, string>> {
  const { site: folder, snapshot } = releasePaths(release);
  const surfaces = new Map(
    filesBelow(folder).map((file) => [file.replace(folder, ""), readFileSync(file, "latin1")]),
  );
  const context = contextAt(snapshot);
  const site = new Site(context, folder, []);
  for (const { pathname } of pageAddresses(PLAIN_ROUTES, context))
    surfaces.set(pathname, String(plainPageAt(pathname)?.document(site)));
  for (const { pathname } of pageAddresses(COMPILED, context))
    surfaces.set(pathname, String(await testPages.render(pathname, site, {})));
  for (const { path, bytes } of PARQUET_EXPORTS)
    surfaces.set(path, Buffer.from(bytes(context.snapshot)).toString("latin1"));
  context.close();
  return surfaces;
}

test("every file and page of a release has the operator's name of the service, escaped", async () => {
  using site = new TestSite();
  const surfaces = await surfacesOf(await site.publishSigned(AS_OF, NAME));
  const textOf = (path: string) => surfaces.get(path) ?? "";
  const unnamed = [...surfaces].filter(([, text]) => text.includes("Physical Presence Evidence"));
  expect(unnamed.map(([path]) => path)).toEqual([]);
  expect(surfaces.size).toBeGreaterThan(150);
  expect(JSON.parse(textOf("/openapi.json")).info).toMatchObject({ title: NAME, contact: { name: NAME } });
  for (const path of ["/openapi.json", "/mcp/contract.json", "/api-examples.json"])
    expect(textOf(path)).toContain(`${JSON.stringify(NAME).slice(1, -1)}, data as of`);
  expect(JSON.parse(textOf("/mcp/server-card")).title).toBe(NAME);
  expect(textOf("/llms.txt")).toMatch(`# ${NAME}\n`);
  expect(textOf("/pulse/atom.xml")).toMatch(/<name>Tom &amp; .*Watch<\/name>/);
  for (const [path, text] of surfaces)
    if (path.endsWith("/")) expect(text, path).toMatch(/<title>[^<]*Tom &(amp|#38);.*Watch.*<\/title>/);
});

test("a name makes another release, and citations of before it are still found", () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha", { public_id: "demo_alpha" });
  town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
  const size = town.seal();
  const before = town.build(size, AS_OF);
  const after = town.build(size, AS_OF, { siteName: NAME });
  expect(after.releaseId).not.toBe(before.releaseId);
  const [unnamed, named] = [openSnapshot(before.path), openSnapshot(after.path)];
  const parts = parseCitationId(newestCitationId(unnamed, "demo_alpha") ?? "");
  expect(parts && pastQuote(named, parts)).toMatchObject({
    quote: { sentence: expect.stringContaining("Physical Presence Evidence Service, data as of") },
  });
  expect(newestCitationId(named, "demo_alpha")).not.toBe(newestCitationId(unnamed, "demo_alpha"));
  for (const snapshot of [unnamed, named]) snapshot.close();
});
