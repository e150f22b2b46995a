/** What the trial of the manual copies, and in what it differs from an operator: without a tree, and without root. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksOf, DRILL, manualBlocks, SET_UP } from "./blocks.ts";
import { SUBSTITUTIONS, substituted } from "./stand-ins.ts";
import { parseUnit, unitCommand, words } from "./unit-file.ts";

const PROJECT = join(import.meta.dirname, "../../..");
const BLOCKS = manualBlocks(PROJECT, [...SET_UP, DRILL]);
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

test("blocks of a section come with their line, and without the indentation of their list", () => {
  expect(blocksOf(PAGE, "title")).toEqual([
    { line: 4, text: "first\n# a comment, not a heading\n" },
    { line: 11, text: "cat > file <<'END'\n  kept\nEND\n" },
  ]);
  expect(blocksOf(PAGE, "other-part")).toEqual([{ line: 19, text: "elsewhere\n" }]);
});

test("a block begins in the page at the line that it names", () => {
  for (const { page, line, text } of BLOCKS) {
    const lines = readFileSync(join(PROJECT, "docs/operations", page), "utf8").split("\n");
    expect(lines[line - 1]?.trim()).toBe(text.split("\n")[0]);
  }
});

test("a section that is gone, or has no commands, is named", () => {
  expect(() => manualBlocks(PROJECT, [{ page: "install.md", section: "gone" }])).toThrow(
    "docs/operations/install.md has no shell block below #gone",
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

describe("units", () => {
  test("an empty assignment takes back those before it, and lists are words", () => {
    const unit = parseUnit(
      "[Service]\nExecStart=/bin/a\nExecStart=\nExecStart=/bin/b \\\n  c\nReadWritePaths=/x -/y\n",
    );
    expect(unit("ExecStart")).toEqual(["/bin/b    c"]);
    expect(words(unit, "ReadWritePaths")).toEqual(["/x", "-/y"]);
    expect(unit("User")).toEqual([]);
  });

  test("commands have their quotes, specifiers and variables resolved", () => {
    const env = { ARGS: "--a --b=1", ONE: "two words" };
    expect(unitCommand(`/usr/bin/program $ARGS ${"$"}{ONE}`, env)).toEqual({
      argv: ["/usr/bin/program", "--a", "--b=1", "two words"],
      mayFail: false,
    });
    expect(unitCommand(`-/bin/sh -c 'echo "$$(date +%%Y)"'`, env)).toEqual({
      argv: ["/bin/sh", "-c", 'echo "$(date +%Y)"'],
      mayFail: true,
    });
  });

  test("each unit that ships names a program by its full path", () => {
    const folder = join(PROJECT, "deploy/systemd");
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".service"))) {
      const unit = parseUnit(readFileSync(join(folder, name), "utf8"));
      for (const line of unit("ExecStart")) expect(unitCommand(line, {}).argv[0]).toMatch(/^\//);
    }
  });
});
