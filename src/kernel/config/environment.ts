import { type Config, configFrom } from "./config.ts";

// This file alone reads the environment of the process.

export function readConfig(): Config {
  return configFrom(process.env);
}

/** Where a test may find a browser. */
export function readBrowserSettings(): { path: string | undefined; chromiumPath: string | undefined } {
  return { path: process.env["PATH"], chromiumPath: process.env["CHROMIUM_PATH"] };
}
