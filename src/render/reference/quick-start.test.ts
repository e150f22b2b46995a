import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPlainName, quickStart, WRITTEN } from "./quick-start.ts";

const text = readFileSync(join(import.meta.dirname, "../../../docs/quick-start.md"), "utf8");
const here = { site: "https://presence.test", city: "alpha", name: "Café & Co." };

test("every section has an anchor of its own, a text and its programs, each in another language", () => {
  const steps = quickStart(text, WRITTEN);
  expect(steps.map(({ programs }) => programs.map(({ language }) => language))).toEqual([
    ["curl", "JavaScript", "Python"],
    ["curl", "JavaScript", "Python"],
    ["JavaScript", "Python"],
    ["curl"],
    ["JavaScript", "Python"],
  ]);
  expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
  for (const { id, text: says } of steps) {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(says).toMatch(/^[A-Z`].+\.$/);
  }
});

test("the programs are those of the file, and name the release's own address, city and record instead of those written there", () => {
  const written = quickStart(text, WRITTEN).flatMap(({ programs }) => programs);
  for (const { code } of written) expect(text).toContain(`\n${code}\`\`\`\n`);
  const filled = quickStart(text, here).flatMap(({ programs }) => programs.map(({ code }) => code));
  const all = filled.join("\n");
  for (const value of Object.values(WRITTEN)) expect(all).not.toContain(value);
  for (const value of Object.values(here)) expect(all).toContain(value);
});

test("a value with signs that a replacement would read is put in as it is", () => {
  const [step] = quickStart(text, { ...here, site: "https://$&.test" });
  expect(step?.programs[0]?.code).toContain("https://$&.test");
});

test.each([
  ["Fern & Flint (West)", true],
  ["Bäckerei 12", true],
  ["", false],
  ['Say "Cheese"', false],
  ["$(rm)", false],
  ["back`tick`", false],
  ["Gablewood's", false],
  ["a\\n", false],
  ["Boom!", false],
  ["two\nlines", false],
])("%j can be put into a program: %s", (name, isPlain) => {
  expect(isPlainName(name)).toBe(isPlain);
});

test("a program in an unknown language is an error", () => {
  expect(() => quickStart("# X\n\n## Step\n\n```cobol\nSTOP RUN.\n```\n", here)).toThrow("cobol");
});
