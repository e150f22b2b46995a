import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Config, configFrom, settings } from "./config.ts";
import { parseSettings, withSettingsFile } from "./settings-file.ts";

const USER = "presence";
const isRoot = process.geteuid?.() === 0;
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "settings-"));
  chmodSync(folder, 0o755);
  file = join(folder, "presence.toml");
});
afterEach(() => rmSync(folder, { recursive: true }));

function configOf(text: string, environment: Record<string, string> = {}, user = USER): Config {
  writeFileSync(file, text, { mode: 0o644 });
  const { variables, places } = withSettingsFile({ PRESENCE_SETTINGS: file, ...environment }, user);
  return configFrom(variables, places);
}

/** Writes the file of a secret, as the manual does. */
function secretFile(name: string, text: string, user = USER) {
  mkdirSync(join(folder, user), { recursive: true });
  writeFileSync(join(folder, user, name), `${text}\n`, { mode: 0o600 });
}

test("texts, numbers, lists, and what is not set", () => {
  const config = configOf(`# a comment
PRESENCE_HOME = "/srv/presence" # another
BASE_URL = 'https://presence.example.org'
OPERATOR_NAME = "Straßen & Söhne \\"e.V.\\""
TRUSTED_PROXIES = 1
RELEASES_KEPT = "9"
INTERNAL_ADDRESSES = ["10.0.0.0/8", "::1"]
METRICS_ADDRESS = "127.0.0.2"
TSA_URL = ""
`);
  expect(config).toMatchObject({
    home: "/srv/presence",
    baseUrl: "https://presence.example.org",
    operatorName: 'Straßen & Söhne "e.V."',
    trustedProxies: 1,
    releasesKept: 9,
    internalAddresses: ["10.0.0.0/8", "::1"],
    timestampAuthority: undefined,
    port: 4321,
  });
  expect(config.given).toContainEqual({ name: "TRUSTED_PROXIES", value: "1", place: `${file}, line 5` });
});

test("without PRESENCE_SETTINGS no file is read, wherever one lies", () => {
  expect(withSettingsFile({ PORT: "1", HOST: "" }, USER)).toEqual({
    variables: { PORT: "1" },
    places: new Map(),
  });
});

test("a variable of the environment takes the place of a setting, and an empty one does not", () => {
  const text = 'PORT = 5000\nHOST = "::1"\n';
  expect(configOf(text, { PORT: "6000", HOST: "" })).toMatchObject({ port: 6000, host: "::1" });
});

test("a secret lies in the folder of its user, and nobody names its file", () => {
  secretFile("smtp-url", "smtps://me:geheim@mail.example");
  const text = 'MAIL_FROM = "a@b.example"\nDKIM_SELECTOR = "s1"\n';
  secretFile("dkim.pem", "key");
  const { mail, given, secretsInText } = configOf(text);
  expect(mail?.smtpUrl.reveal()).toBe("smtps://me:geheim@mail.example");
  expect(mail?.dkim).toEqual({ selector: "s1", keyFile: join(folder, USER, "dkim.pem") });
  expect(given).toContainEqual({ name: "SMTP_URL", value: undefined, place: join(folder, USER, "smtp-url") });
  expect(secretsInText).toEqual([]);
  expect(configOf(text, {}, "presence-web").mail).toBeUndefined();
  secretFile("other", "smtp://of-a-test");
  const named = configOf(text, { SMTP_URL_FILE: join(folder, USER, "other") });
  expect(named.mail?.smtpUrl.reveal()).toBe("smtp://of-a-test");
  expect(configOf(text, { SMTP_URL: "smtp://of-a-test" }).mail?.smtpUrl.reveal()).toBe("smtp://of-a-test");
  expect(configOf(text, { STATE_URL_FILE: join(folder, "gone") }).stateUrl).toBeDefined();
});

test("a secret in the file is refused with the place where it belongs, and not repeated", () => {
  for (const { name } of settings().filter(({ isSecret }) => isSecret))
    for (const key of [name, `${name}_FILE`]) {
      const read = () => configOf(`PORT = 1\n${key} = "geheim"\n`);
      const own = join(folder, "USER", name.toLowerCase().replaceAll("_", "-"));
      expect(read, key).toThrow(`${file}, line 2: ${key} does not belong here`);
      expect(read, key).toThrow(own);
      expect(read, key).not.toThrow("geheim");
    }
});

test.each([
  ['SMPT_URL = "geheim"', 2, "there is no setting SMPT_URL: did you mean SMTP_URL?"],
  ['base_url = "x"', 2, "there is no setting base_url: did you mean BASE_URL?"],
  ["[server]\nPORT = 1", 2, "there is no setting server: docs/operations/environment.md lists all"],
  ["PORT.number = 1", 2, "PORT must be a text in quotes, a whole number, true or false, or a list of texts"],
  ["PORT = 1.5", 2, "PORT must be a text in quotes, a whole number, true or false, or a list of texts"],
  ["PORT = 2026-11-27", 2, "PORT must be a text in quotes"],
  ["PORT = [1, 2]", 2, "PORT must be a text in quotes"],
  ["PORT = 99999999999999999999", 2, "integer value cannot be represented losslessly"],
  ['PORT = "many"', 2, "PORT must be a whole number from 0 to 65535 (got many)"],
  ["PORT = 1\nPORT = 2", 3, "trying to redefine"],
  ["BASE_URL = smtp://geheim", 2, 'invalid value: a text stands in quotes, as NAME = "text"'],
  ['OPERATOR_NAME = "geheim', 2, "control characters are not allowed in strings"],
  ['OPERATOR_NAME = """geheim\ntwo lines"""', 2, "OPERATOR_NAME has a control character"],
  ['PRESENCE_HOME = "/srv\\u0000"', 2, "PRESENCE_HOME has a control character"],
  ['"geheim is no key" = 1', 2, "there is no setting of this name"],
  ['__proto__ = "geheim"', 2, "there is no setting __proto__"],
  ['PRESENCE_SETTINGS = "/other"', 2, "there is no setting PRESENCE_SETTINGS"],
  ["PORT", 2, ""],
])("%s: file and line are named, and no value that may be a secret", (line, number, problem) => {
  const read = () => configOf(`# settings\n${line}\n`);
  expect(read).toThrow(`${file}, line ${number}: ${problem}`);
  expect(read).not.toThrow(/geheim/);
});

test.each([
  ["is missing", () => rmSync(file), "file not found"],
  ["others may write", () => chmodSync(file, 0o664), "others may write it (mode 664): run chmod 644 on it"],
  ["is too long", () => writeFileSync(file, "#".repeat(70_000)), "it is larger than 65536 bytes"],
  ["is not UTF-8", () => writeFileSync(file, Buffer.from([0x23, 0xff])), "the file is not UTF-8"],
  [
    "is a folder",
    () => {
      rmSync(file);
      mkdirSync(file);
    },
    "it is no file",
  ],
])("a file that %s is refused", (_name, spoil, problem) => {
  writeFileSync(file, "", { mode: 0o644 });
  spoil();
  expect(() => withSettingsFile({ PRESENCE_SETTINGS: file }, USER)).toThrow(`--settings ${file}: ${problem}`);
});

test.skipIf(!isRoot)("a file of another user, or behind another's link, is refused (as root only)", () => {
  writeFileSync(file, "", { mode: 0o644 });
  const link = join(folder, "link");
  symlinkSync(file, link);
  const read = (path: string) => withSettingsFile({ PRESENCE_SETTINGS: path }, USER);
  expect(() => read(link)).not.toThrow();
  chownSync(file, 4711, 4711);
  expect(() => read(file)).toThrow(
    "it belongs to user 4711, who could change what this one runs: give it to root",
  );
});

test("any text is read or refused in plain words", () => {
  for (const text of [
    "\u0000",
    "=",
    "[[",
    "a = {",
    "A = [",
    '"',
    "'''",
    "PORT = +1",
    "PORT = 0x10",
    "\ufeffPORT = 1",
  ])
    try {
      expect(parseSettings(text, "f")).toBeInstanceOf(Array);
    } catch (error) {
      expect(error).toMatchObject({
        name: "OperatorError",
        message: expect.stringMatching(/^f, line \d+: /),
      });
    }
});
