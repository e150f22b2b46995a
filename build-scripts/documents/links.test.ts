/** Links and paths of the documents lead somewhere, and their lines fit. */
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { anchors, DOCUMENTS, namedPaths, PROJECT, projectHas, projectText, withoutCode } from "./markdown.ts";

const MAX_COLUMNS = 120;
const LINK = /\]\((?!https?:|mailto:|\/)([^)#\s]*)(?:#([^)\s]+))?\)/g;

test.for(DOCUMENTS)("%s: every link leads to a file and a heading", (document) => {
  const text = withoutCode(projectText(document));
  const dead = Array.from(text.matchAll(LINK)).flatMap(([link, path = "", anchor]) => {
    const target = path === "" ? document : join(dirname(document), path);
    if (!projectHas(target)) return [link];
    return anchor === undefined || anchors(projectText(target)).has(anchor) ? [] : [link];
  });
  expect(dead).toEqual([]);
});

test.for(DOCUMENTS)("%s: every path of the project that it names exists", (document) => {
  const dead = namedPaths(projectText(document)).filter(
    (path) => globSync(path, { cwd: PROJECT }).length === 0,
  );
  expect(dead).toEqual([]);
});

const CODE = globSync("{src,build-scripts,tests}/**/*.{ts,astro}", { cwd: PROJECT })
  .map(projectText)
  .join("\n");

test.for(["CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md"])(
  "%s: every name of code that it shows is in the code",
  (document) => {
    const names = projectText(document).matchAll(/`([a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+|[A-Z]{3,}_[A-Z_]+)`/g);
    expect(Array.from(names, ([, name = ""]) => name).filter((name) => !CODE.includes(name))).toEqual([]);
  },
);

test.for(DOCUMENTS)("%s: lines have at most 120 columns, tables and code aside", (document) => {
  const long = withoutCode(projectText(document))
    .split("\n")
    .filter((line) => line.length > MAX_COLUMNS && line.includes(" ") && !line.trimStart().startsWith("|"));
  expect(long).toEqual([]);
});
