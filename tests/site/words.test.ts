import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { htmlFiles, siteOf } from "../support/pages/page-types.ts";
import { wordSlips } from "../support/pages/word-slips.ts";

/** Slips of wording on all pages of the release. */

/** Written for programs and those who write them: codes and names of tools are their subject. */
const OF_CODES = /^\/(agents|developers)\//;

test("no page has a slip of wording", () => {
  const site = siteOf(inject("demoHome"));
  const slips = htmlFiles(site)
    .filter((path) => !OF_CODES.test(path))
    .flatMap((path) => wordSlips(readFileSync(join(site, path), "utf8")).map((slip) => `${path} ${slip}`));
  expect(slips).toEqual([]);
});
