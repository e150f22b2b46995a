import { type Config, configFrom } from "./config.ts";

// This file alone reads the environment of the process.

export function readConfig(): Config {
  return configFrom(process.env);
}

/** Where a test may find a browser. */
export function readBrowserSettings(): { path: string | undefined; chromiumPath: string | undefined } {
  return { path: process.env["PATH"], chromiumPath: process.env["CHROMIUM_PATH"] };
}

/** Where commands and the programs that they start are looked for. */
export const COMMAND_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const KEPT = [
  "HOME",
  "USER",
  "LOGNAME",
  "TERM",
  "COLUMNS",
  "LANG",
  "LC_ALL",
  "NO_COLOR",
  "NODE_COMPILE_CACHE",
];

/** What a command gets besides the variables of a file: its user and terminal, and no setting that the caller's shell happens to have. */
export function commandVariables(): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { PATH: COMMAND_PATH, ...Object.fromEntries(kept) };
}
