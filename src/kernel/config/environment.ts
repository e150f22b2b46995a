import { type Config, configFrom } from "./config.ts";

// This file alone reads and changes the environment of the process.

export function readConfig(): Config {
  return configFrom(process.env);
}

/** Where a test may find a browser. */
export function readBrowserSettings(): { path: string | undefined; chromiumPath: string | undefined } {
  return { path: process.env["PATH"], chromiumPath: process.env["CHROMIUM_PATH"] };
}

/** Tells this process and its children whose process it is, once it is no longer root's. */
export function setUserVariables({ name, folder }: { name: string; folder: string }): void {
  Object.assign(process.env, { HOME: folder === "" ? "/" : folder, USER: name, LOGNAME: name });
}
