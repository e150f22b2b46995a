/** The example of the settings file, made from the settings' declarations: deploy/presence.toml. */

import { configFrom, settings } from "./config.ts";
import { parseSettings, secretFileName } from "./settings-file.ts";

const HEAD = `Settings of the service: /etc/presence/presence.toml, which root writes and every unit and command reads.
A line that begins with # is a comment: it shows the default, or none. Texts stand in quotes, numbers do not.
\`presence settings\` prints what is in effect. An environment variable of the same name takes the place of a setting.
Secrets never stand here: each lies in a file of its own, in the folder of the user that needs it.
All settings are in docs/operations/environment.md. Restart the server after a change: systemctl restart presence`;

const HEADINGS: Readonly<Record<string, string>> = {
  build: "Data and releases",
  operator: "You",
  server: "The server",
  intake: "Deliveries",
  ledger: "Timestamps",
  state: "State",
  delivery: "Email and webhooks",
  online: "Online checks",
  backup: "Backup",
  desk: "Review desk",
};

const WIDTH = 118;

/** With values of its own. Throws OperatorError for a name or value that a settings file may not have. */
export function settingsExample(values: ReadonlyMap<string, string> = new Map()): string {
  const isListed = ({ name, isShown }: Setting) => isShown || values.has(name);
  const lines = [...values].map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`);
  const given = parseSettings(lines.join("\n"), "--set");
  configFrom(Object.fromEntries(given.map(({ name, value }) => [name, value])));

  const byConcern = Map.groupBy(settings().filter(isListed), ({ concern }) => concern);
  const parts = [...byConcern].flatMap(([concern, all]) => [
    `## ${HEADINGS[concern] ?? concern}`,
    ...all.map((setting) =>
      [...comment(setting.description), assignment(setting, values.get(setting.name))].join("\n"),
    ),
  ]);
  return `${[HEAD.replaceAll(/^/gm, "# "), ...parts].join("\n\n")}\n`;
}

type Setting = ReturnType<typeof settings>[number];

function assignment({ name, isSecret, fallback, shownValue }: Setting, value = shownValue): string {
  if (isSecret) return `# ${name}: a secret, in /etc/presence/USER/${secretFileName(name)}`;
  return value === undefined ? `# ${name} = ${tomlOf(fallback)}` : `${name} = ${tomlOf(value)}`;
}

function tomlOf(value: string): string {
  return /^\d+$/.test(value) ? value : JSON.stringify(value);
}

/** Lines of at most WIDTH characters. */
function comment(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length > WIDTH - 3) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`.trim();
  }
  return lines.map((line) => `# ${line}`);
}
