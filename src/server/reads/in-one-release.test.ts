/** Releases that come and go while a request is answered. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { ServedRelease } from "../../resources/release-store.ts";
import { SiteFiles } from "../files/file-cache.ts";
import { inOneRelease } from "./answer-read.ts";

/** Each look finds the next of these releases, until the last one. */
function coming(sites: readonly string[]) {
  const context = fakeContext();
  const releases = sites.map(
    (site): ServedRelease => ({ directory: join(site, ".."), site, publishedAt: undefined, context }),
  );
  let at = 0;
  return {
    filesOnly: undefined,
    get current() {
      return releases[at];
    },
    refresh() {
      at = Math.min(at + 1, releases.length - 1);
      return true;
    },
  };
}

test("a read begins again for as long as its release was removed meanwhile", async () => {
  const source = coming(["first", "second", "third"]);
  const asked: string[] = [];
  const answer = await inOneRelease(source, ({ site }) => {
    asked.push(site);
    if (site !== "third") throw new Error("removed");
    return "answered";
  });
  expect([answer, asked]).toEqual(["answered", ["first", "second", "third"]]);
});

test("what fails in the newest release fails, and what is refused is not asked again", async () => {
  const fails = (error: Error) => inOneRelease(coming(["first", "second"]), () => Promise.reject(error));
  await expect(fails(new Error("broken"))).rejects.toThrow("broken");
  let count = 0;
  const refused = inOneRelease(coming(["first", "second"]), () => {
    count += 1;
    throw new PublicError(404, "not found");
  });
  await expect(refused).rejects.toThrow("not found");
  expect(count).toBe(1);
});

test("a file is looked for until the newest release", async () => {
  const folder = mkdtempSync(join(tmpdir(), "releases-"));
  const site = join(folder, "third", "site");
  mkdirSync(site, { recursive: true });
  writeFileSync(join(site, "robots.txt"), "third");
  const missing = ["first", "second"].map((name) => join(folder, name, "site"));
  const files = () => new SiteFiles(coming([...missing, site]), 1_000_000);
  expect((await files().load("/robots.txt"))?.identity.body.toString()).toBe("third");
  expect(await files().load("/nowhere.txt")).toBeUndefined();
  rmSync(folder, { recursive: true });
});
