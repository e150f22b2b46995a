/** Unit files, as far as the manual's services need systemd.syntax(7) and systemd.service(5). Pure. */

/** Values of a setting, in order: an empty one takes back those before it. */
export type Unit = (setting: string) => readonly string[];

export function parseUnit(text: string): Unit {
  const settings = new Map<string, string[]>();
  for (const line of text.replace(/\\\n/g, " ").split("\n")) {
    const [, name, value = ""] = /^([A-Za-z]+)=(.*)$/.exec(line.trim()) ?? [];
    if (name === undefined) continue;
    settings.set(name, value === "" ? [] : [...(settings.get(name) ?? []), value]);
  }
  return (setting) => settings.get(setting) ?? [];
}

/** All words of a setting that is a list. */
export function words(unit: Unit, setting: string): string[] {
  return unit(setting).flatMap((value) => value.split(/\s+/));
}

export interface UnitCommand {
  readonly argv: readonly string[];
  readonly mayFail: boolean;
}

const WORD = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\S+/g;

/** The words of an Exec line with specifiers and variables in place; `$NAME` alone is split at white space. */
export function unitCommand(line: string, env: Readonly<Record<string, string>>): UnitCommand {
  const [, prefixes = "", rest = ""] = /^([-@:+!]*)(.*)$/.exec(line) ?? [];
  const argv = Array.from(rest.matchAll(WORD), ([word]) => word).flatMap((word) => {
    const [, name] = /^\$(\w+)$/.exec(word) ?? [];
    if (name !== undefined) return (env[name] ?? "").split(/\s+/).filter((part) => part !== "");
    return [expanded(/^(["']).*\1$/.test(word) ? word.slice(1, -1) : word, env)];
  });
  return { argv, mayFail: prefixes.includes("-") };
}

function expanded(word: string, env: Readonly<Record<string, string>>): string {
  return word
    .replaceAll("%%", "%")
    .replace(/\$\$|\$\{(\w+)\}/g, (_, name?: string) => (name === undefined ? "$" : (env[name] ?? "")));
}
