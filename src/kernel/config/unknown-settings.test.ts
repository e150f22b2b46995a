import { expect, test } from "vitest";
import { configFrom, settingNames } from "./config.ts";
import { unknownSettings } from "./unknown-settings.ts";

test("a file of settings has those of the program and of other known programs, and no others", () => {
  const good = [
    "SMTP_URL",
    "SMTP_URL_FILE",
    "BACKUP_REPOSITORY",
    "AWS_ACCESS_KEY_ID",
    "NODE_OPTIONS",
    "TZ",
    "HOME",
    "HOOK_CDN_TOKEN",
    "https_proxy",
  ];
  expect(unknownSettings(good, settingNames())).toEqual([]);
  expect(
    unknownSettings(["SMPT_URL", "BACKUP_HOOKS", "PORT_FILE", "MAIL_SERVER"], settingNames()).map(
      ({ name, hint }) => `${name}: ${hint}`,
    ),
  ).toEqual([
    "SMPT_URL: did you mean SMTP_URL?",
    "BACKUP_HOOKS: did you mean BACKUP_HOOK?",
    "PORT_FILE: undefined",
    "MAIL_SERVER: undefined",
  ]);
});

test("in the environment, only a name that is near to a setting is told, and never its value", () => {
  const { mistyped } = configFrom({ SMPT_URL: "smtp://geheim", MAIL_SERVER: "x", HOSTNAME: "a", PROT: "" });
  expect(mistyped).toEqual([{ name: "SMPT_URL", hint: "did you mean SMTP_URL?" }]);
});
