/** Commands that documents show exist, with the options shown. What is run as it stands is in tests/docs. */

import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { expect, test } from "vitest";
import { presenceProgram } from "../../src/cli/program.ts";
import { configFrom } from "../../src/kernel/config/config.ts";
import { systemUser } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { systemClock } from "../../src/kernel/time.ts";
import type { CommandContext } from "../../src/operations/context.ts";
import { DOCUMENTS, PROJECT, projectText } from "./markdown.ts";

const CONTEXT: CommandContext = {
  config: configFrom({}),
  project: PROJECT,
  clock: systemClock,
  random: systemRandom,
  user: systemUser(),
  stdout: process.stdout,
  stderr: process.stderr,
};

/** Each as its words after `presence`: lines of shell blocks, and code within sentences. */
function shownIn(markdown: string): string[] {
  const joined = markdown.replace(/\\\n\s*/g, " ");
  const lines = joined.matchAll(/^\s*(?:\w+=\S+ )?(?:bin\/)?presence ([a-z][^#|\n]*)/gm);
  const sentences = joined.matchAll(/`(?:bin\/)?presence ([a-z][^`|]*)`/g);
  return [...lines, ...sentences].map(([, words = ""]) => words.trim());
}

function fault(all: CommandUnknownOpts, shown: string): string | undefined {
  let command = all;
  const words = shown.replace(/"[^"]*"|'[^']*'/g, "TEXT").split(/\s+/);
  while (command.commands.length > 0 && words.length > 0) {
    const inner = command.commands.find((one) => one.name() === words[0]);
    if (inner === undefined && command.registeredArguments.length > 0) break; // an argument of a command that has others, too
    if (inner === undefined) return `presence ${shown}: no command ${words[0]}`;
    command = inner;
    words.shift();
  }
  const known = ["--help", ...command.options.map(({ long }) => long)];
  const wrong = words
    .map((word) => word.split("=")[0] ?? "")
    .find((word) => /^--\w/.test(word) && !known.includes(word));
  return wrong && `presence ${shown}: no option ${wrong}`;
}

test("every command that a document shows exists", async () => {
  const all = await presenceProgram(CONTEXT, []);
  const shown = DOCUMENTS.flatMap((path) => shownIn(projectText(path)));
  expect(shown.length).toBeGreaterThan(100);
  expect(shown.flatMap((each) => fault(all, each) ?? [])).toEqual([]);
});

test("every npm script that a document shows exists", () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(projectText("package.json"));
  const shown = DOCUMENTS.flatMap((path) =>
    Array.from(projectText(path).matchAll(/npm run ([a-z][\w:-]*)/g), ([, name = ""]) => name),
  );
  expect([...new Set(shown)].filter((name) => !(name in scripts))).toEqual([]);
});
