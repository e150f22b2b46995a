/** Which settings are in effect, and where each was set. */

import { type GivenSetting, settings } from "../../kernel/config/config.ts";
import { settingsExample } from "../../kernel/config/settings-example.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { didYouMean } from "../../kernel/text/near-name.ts";
import type { CommandContext } from "../../operations/context.ts";
import { type Bare, command } from "../command.ts";
import { collect } from "../options.ts";
import { lines, Output } from "../output.ts";

const NO_VALUE = "-";

interface InEffect {
  readonly name: string;
  readonly value: string | null; // null for none
  readonly place: string | null; // null for the default
}

const show = command({
  path: "settings",
  takes: (bare: Bare) =>
    bare
      .argument("[name]", "print the value of this setting alone")
      .option("--all", "list every setting")
      .option("--example", "print an example settings file, with a comment for each common setting")
      .option("--set <name=value>", "with --example: a setting to fill in; repeatable", collect, []),
  help: "\nThe value of a secret is not printed.",
  access: "none",
  run({ context }, { all, example, set }, name) {
    if (example === true) return new Output({ text: settingsExample(valuesOf(set)) });
    if (name !== undefined) return one(context, name);
    const given = new Set(context.config.given.map((each) => each.name));
    const listed = settings().filter((each) => all === true || each.isShown || given.has(each.name));
    const found = listed.map((setting) => inEffect(context, setting));
    const width = (column: "name" | "value") => Math.max(...found.map((each) => (each[column] ?? "").length));
    return lines(found, {
      line: (each) =>
        `${each.name.padEnd(width("name"))}  ${(each.value ?? NO_VALUE).padEnd(width("value"))}  ${each.place ?? "default"}`,
      json: (each) => each,
      notes: [],
    });
  },
});

function valuesOf(typed: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    typed.map((each) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new OperatorError(`--set needs a name and a value, as NAME=value (got ${each})`);
    }),
  );
}

function one(context: CommandContext, name: string): Output {
  const all = settings();
  const setting = all.find((each) => each.name === name);
  if (setting === undefined) {
    const names = all.map((each) => each.name);
    throw new OperatorError(
      `${name} is not a setting: ${didYouMean(name, names) ?? "`presence settings --all` lists them"}`,
    );
  }
  const found = inEffect(context, setting);
  return new Output({ json: found, text: [found.value ?? NO_VALUE] });
}

type Setting = ReturnType<typeof settings>[number];

function inEffect({ config }: CommandContext, { name, isSecret, fallback }: Setting): InEffect {
  const given: GivenSetting | undefined = config.given.find((each) => each.name === name);
  if (given === undefined) return { name, value: fallback === "" ? null : fallback, place: null };
  return { name, value: isSecret ? "(secret)" : (given.value ?? null), place: given.place };
}

export const commands = [show];
