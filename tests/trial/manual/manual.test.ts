/** What the trial of the manual copies, and in what it differs from an operator: without a tree, and without root. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf, sectionBlocks, setUpBlocks, withValues } from "./blocks.ts";
import { VALUES } from "./deliveries.ts";
import { SUBSTITUTIONS, substituted } from "./stand-ins.ts";

const PROJECT = join(import.meta.dirname, "../../..");
const DOCS = join(PROJECT, "docs");
const BLOCKS = setUpBlocks(DOCS);
const TEXT = BLOCKS.map(({ text }) => text).join("");

const PAGE = `# Title

\`\`\`sh
first
# a comment, not a heading
\`\`\`

1. A step:

   \`\`\`sh
   cat > file <<'END'
     kept
   END
   \`\`\`

## Other part

\`\`\`sh
elsewhere
\`\`\`

\`\`\`json
{}
\`\`\`
`;

test("blocks come with section and line, and without the indentation of their list", () => {
  expect(blocksOf(PAGE)).toEqual([
    { section: "title", line: 4, text: "first\n# a comment, not a heading\n" },
    { section: "title", line: 11, text: "cat > file <<'END'\n  kept\nEND\n" },
    { section: "other-part", line: 19, text: "elsewhere\n" },
  ]);
});

test("a reader's values replace those at the beginning of lines, whatever follows them", () => {
  const text = "NAME='Blue Kettle'        # or another\n  NAME=inner\nCODE=$(presence x)\nUSED=\"$NAME\"\n";
  expect(withValues(text, { NAME: "'My Own'", CODE: "lost" })).toBe(
    "NAME='My Own'        # or another\n  NAME=inner\nCODE=$(presence x)\nUSED=\"$NAME\"\n",
  );
});

test("page 1 asks for each value that the trial decides", () => {
  const [decisions = ""] = BLOCKS.map(({ text }) => text);
  for (const name of Object.keys(VALUES)) expect(decisions).toMatch(new RegExp(`^${name}=`, "m"));
});

test("a block begins in the page at the line that it names", () => {
  for (const { page, line, text } of BLOCKS) {
    const lines = readFileSync(join(DOCS, page), "utf8").split("\n");
    expect(lines[line - 1]?.trim()).toBe(text.split("\n")[0]);
  }
});

test("a section that is gone, or has no commands, is named", () => {
  expect(() => sectionBlocks(DOCS, { page: "manual/02-install.md", section: "gone" })).toThrow(
    "docs/manual/02-install.md has no shell block below #gone",
  );
});

test.each(SUBSTITUTIONS)("$of occurs in the manual, and is replaced everywhere", ({ of, by }) => {
  expect(TEXT).toContain(of);
  const [block] = BLOCKS.filter(({ text }) => text.includes(of));
  if (block === undefined) throw new Error("no block");
  const text = substituted(block, SUBSTITUTIONS);
  expect(text).toContain(by);
  expect(text.split("\n")).toHaveLength(block.text.split("\n").length); // so that failures name their line
});

test("only the first block has values that an operator decides", () => {
  const [decisions = "", ...others] = BLOCKS.map(({ text }) => text);
  expect(decisions).toContain("URL-OF-THE-SOURCES");
  for (const text of others) {
    expect(text).not.toMatch(/example\.(org|com|net)(?!\/\$SITE)/);
    expect(text).not.toMatch(/\beditor\b/);
  }
});

test("every variable of the blocks is set by the first or by themselves", () => {
  const set = new Set(Array.from(TEXT.matchAll(/^(\w+)=/gm), ([, name]) => name));
  const used = Array.from(TEXT.matchAll(/\$([A-Z_]+)/g), ([, name]) => name);
  expect(used.filter((name) => !set.has(name))).toEqual([]);
});
