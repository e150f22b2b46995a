import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { configFrom } from "../../kernel/config/config.ts";
import { withSettingsFile } from "../../kernel/config/settings-file.ts";
import { homePaths } from "../../kernel/home.ts";

const folder = mkdtempSync(join(tmpdir(), "settings-command-"));
afterAll(() => rmSync(folder, { recursive: true }));
const home = homePaths(join(folder, "gone"));

async function said(environment: Record<string, string>, ...typed: string[]): Promise<string> {
  const { variables, places } = withSettingsFile(environment, "presence");
  const { stdout } = await presenceAt(home, ["settings", ...typed], {
    config: configFrom(variables, places),
  });
  return stdout;
}

test("an example with values of one's own is a settings file with these values", async () => {
  const names = [
    'OPERATOR_NAME=Jansen & Zoon "de oude" \\ | /',
    "BASE_URL=https://a.example",
    "SOURCE_REVISION=1",
  ];
  const text = await said({}, "--example", ...names.flatMap((each) => ["--set", each]));
  const file = join(folder, "presence.toml");
  writeFileSync(file, text, { mode: 0o644 });
  expect(configFrom(withSettingsFile({ PRESENCE_SETTINGS: file }, "presence").variables)).toMatchObject({
    operatorName: 'Jansen & Zoon "de oude" \\ | /',
    baseUrl: "https://a.example",
    sourceRevision: "1",
    home: "/srv/presence",
  });
  const list = await said({ PRESENCE_SETTINGS: file, PORT: "5000", SMTP_URL: "smtp://geheim" });
  expect(list).toMatch(/^BASE_URL +https:\/\/a\.example +\S+presence\.toml, line \d+$/m);
  expect(list).toMatch(/^PORT +5000 +environment$/m);
  expect(list).toMatch(/^SMTP_URL +\(secret\) +environment$/m);
  expect(list).toMatch(/^RELEASES_KEPT +7 +default$/m);
  expect(await said({ PRESENCE_SETTINGS: file }, "PRESENCE_HOME")).toBe("/srv/presence\n");
});

test("values that a settings file may not have are refused", async () => {
  for (const [value, problem] of [
    ["SMPT_URL=x", "there is no setting SMPT_URL: did you mean SMTP_URL?"],
    ["SMTP_URL=geheim", "SMTP_URL does not belong here"],
    ["PORT=many", "PORT must be a whole number from 0 to 65535 (got many)"],
    ["PORT", "--set needs a name and a value, as NAME=value (got PORT)"],
  ] as const)
    await expect(said({}, "--example", "--set", value)).rejects.toThrow(problem);
  await expect(said({}, "PRESENCE_HOM")).rejects.toThrow(
    "PRESENCE_HOM is not a setting: did you mean PRESENCE_HOME?",
  );
});
