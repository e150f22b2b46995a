/** "interface 4.17" and "design 5" lead somewhere: to a row of docs/interface.md, to a section of docs/architecture.md. */
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { PROJECT, projectText, tableRows } from "./markdown.ts";

const SOURCES = globSync(
  ["{src,build-scripts,tests,deploy,docs}/**/*.{ts,astro,py,go,conf,md}", "*.{json,ts,mjs,js,md}"],
  { cwd: PROJECT, exclude: ["package-lock.json", "build-scripts/documents/citations.test.ts"] },
);
const CITATION = /\b(interface|design),?(?: sections?)? (\d+(?:\.\d+)?(?:(?:, | and )\d+(?:\.\d+)?)*)/g;

function cited(document: "interface" | "design"): string[] {
  const found = SOURCES.flatMap((path) =>
    Array.from(projectText(path).matchAll(CITATION))
      .filter(([, name]) => name === document)
      .flatMap(([, , sections = ""]) => sections.split(/, | and /)),
  );
  return [...new Set(found)].toSorted();
}

test("every cited section of the interface has a row in docs/interface.md", () => {
  const sections = tableRows(projectText("docs/interface.md"), "section").map(([section = ""]) => section);
  expect(new Set(sections).size).toBe(sections.length);
  expect(cited("interface").length).toBeGreaterThan(10);
  expect(cited("interface").filter((section) => !sections.includes(section))).toEqual([]);
});

test("every cited section of the design is a section of docs/architecture.md", () => {
  const sections = Array.from(
    projectText("docs/architecture.md").matchAll(/^## (\d+)\. /gm),
    ([, section = ""]) => section,
  );
  expect(cited("design").length).toBeGreaterThan(4);
  expect(cited("design").filter((section) => !sections.includes(section))).toEqual([]);
});

test("coverage and coverage confidence have a name each: no text says level of coverage for either", () => {
  const history = ["docs/api-changelog.md", "docs/decisions.md"];
  const ambiguous = SOURCES.filter((path) => /coverage levels?\b/i.test(projectText(path)));
  expect(ambiguous.filter((path) => !history.includes(path))).toEqual([]);
  const terms = tableRows(projectText("docs/glossary.md"), "term").map(([term]) => term);
  expect(terms).toEqual(expect.arrayContaining(["coverage (tier)", "coverage confidence"]));
});
