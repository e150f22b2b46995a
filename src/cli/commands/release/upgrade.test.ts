import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { expect, test } from "vitest";
import { API_VERSION } from "../../../contract/versions.ts";
import { contextFor } from "../../../demo/demo-view.ts";
import { homePaths } from "../../../kernel/home.ts";
import { placeEarlierHome } from "../../../testing/earlier/earlier-home.ts";
import { define } from "./upgrade.ts";

test("says for each part what changes, how long it takes, and until when one can go back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  const home = homePaths(join(folder, "home"));
  placeEarlierHome("1.0.0", home);
  let said = "";
  const output = { write: (text: string) => (said += text) };
  const silent = { write: () => undefined };
  const program = new Command("presence");
  define(program.command("upgrade"), { ...contextFor(home), stdout: output, stderr: silent });
  await program.parseAsync(["node", "presence", "upgrade", "check", "--scratch", folder]);
  expect(said).toMatch(new RegExp(`^version ${API_VERSION}\nledger: format 2 to format \\d+\n`));
  expect(said).toMatch(/^ {2}time: copy [\d.]+ s, migrate [\d.]+ s, verify [\d.]+ s$/m);
  expect(said).toMatch(/^ {2}space: 0\.6 MiB before, [\d.]+ MiB after$/m);
  expect(said.match(/^ {2}going back: /gm)).toHaveLength(3);
  expect(readdirSync(folder)).toEqual(["home"]);
  rmSync(folder, { recursive: true });
});
