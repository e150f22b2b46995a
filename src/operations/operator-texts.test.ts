import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_INCIDENTS, OPERATOR_TEXT_BYTES } from "../contract/service/status.ts";
import { configFrom } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { readIncidents, readOperatorTexts } from "./operator-texts.ts";
import { operatorSettings, remarkMissing } from "./release-settings.ts";

describe("operator texts", () => {
  let base: string;
  let folder: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), "operator-"));
    folder = join(base, "texts");
    mkdirSync(folder);
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const put = (file: string, content: string | Uint8Array) => writeFileSync(join(folder, file), content);

  /** The message of the OperatorError that reading ends with. */
  function refusal(): string {
    try {
      readOperatorTexts(folder);
    } catch (error) {
      if (error instanceof OperatorError) return error.message.replaceAll(folder, "texts");
      throw error;
    }
    return "";
  }

  test("texts are read by name, and what is no Markdown is left alone", () => {
    put("about.md", "\uFEFF# Us\n");
    put("terms.md", "ü".repeat(OPERATOR_TEXT_BYTES / 2));
    put("notes.txt", "not for the site");
    expect(readOperatorTexts(folder)).toEqual({
      about: "# Us\n",
      terms: "ü".repeat(OPERATOR_TEXT_BYTES / 2),
    });
    expect(readOperatorTexts(undefined)).toEqual({});
  });

  test("a link within the folder is followed", () => {
    put("long.txt", "Terms");
    symlinkSync("long.txt", join(folder, "terms.md"));
    expect(readOperatorTexts(folder)).toEqual({ terms: "Terms" });
  });

  test.each<[string, () => unknown, RegExp]>([
    [
      "too large",
      () => put("about.md", "x".repeat(OPERATOR_TEXT_BYTES + 1)),
      /^texts\/about\.md: must have at most 65536 bytes \(has 65537\)/,
    ],
    ["not UTF-8", () => put("about.md", Uint8Array.of(0x63, 0xff, 0x64)), /^texts\/about\.md: is not UTF-8/],
    ["UTF-16", () => put("about.md", Buffer.from("\uFEFFUs", "utf16le")), /is not UTF-8/],
    ["empty", () => put("privacy.md", " \n"), /^texts\/privacy\.md: is empty/],
    [
      "a name that no page has",
      () => put("license.md", "x"),
      /^texts\/license\.md: .*expected one of about\.md, licence\.md/,
    ],
    ["a folder", () => mkdirSync(join(folder, "about.md")), /^texts\/about\.md: not a regular file/],
    ["a link to nothing", () => symlinkSync("gone", join(folder, "about.md")), /cannot be read/],
    ["a link to itself", () => symlinkSync("about.md", join(folder, "about.md")), /cannot be read/],
  ])("%s is refused with a reason", (_, make, reason) => {
    make();
    expect(refusal()).toMatch(reason);
  });

  test("a link out of the folder is refused, also through a folder whose name begins the same", () => {
    writeFileSync(join(base, "secret.md"), "key");
    mkdirSync(join(base, "texts-of-others"));
    writeFileSync(join(base, "texts-of-others", "x"), "key");
    for (const target of ["../secret.md", "../texts-of-others/x", "/etc/passwd"]) {
      symlinkSync(target, join(folder, "about.md"));
      expect(refusal(), target).toMatch(/about\.md: is a link out of the folder/);
      rmSync(join(folder, "about.md"));
    }
  });

  test("a folder that is not there is refused, and so is a file in its place", () => {
    put("about.md", "x");
    expect(() => readOperatorTexts(join(base, "nowhere"))).toThrow(
      /OPERATOR_TEXTS: .*nowhere is not a readable folder/,
    );
    expect(() => readOperatorTexts(join(folder, "about.md"))).toThrow(OperatorError);
  });

  test("a real site is told what it lacks", () => {
    put("about.md", "Us");
    const remarks: string[] = [];
    const stderr = { write: (text: string) => remarks.push(text) };
    const settings = (env: Record<string, string>) =>
      operatorSettings(configFrom({ ...env, PRESENCE_HOME: base }), "production", 0);
    const named = settings({ OPERATOR_TEXTS: folder, OPERATOR_NAME: "Example Observers" });
    expect(named).toMatchObject({ operatorName: "Example Observers", operatorTexts: { about: "Us" } });
    remarkMissing({ stderr }, named);
    remarkMissing({ stderr }, settings({}));
    expect(remarks).toEqual([
      "pages say that the operator has not provided: licence.md, privacy.md, terms.md (see OPERATOR_TEXTS)\n",
      "pages say that the operator has not provided: OPERATOR_NAME, about.md, licence.md, privacy.md, terms.md (see OPERATOR_TEXTS)\n",
    ]);
  });
});

describe("operator incidents", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "incidents-"));
    mkdirSync(join(home, "night"));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const config = () => configFrom({ PRESENCE_HOME: home });
  const put = (content: unknown) =>
    writeFileSync(
      join(home, "night/incidents.json"),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  const outage = { started: "2026-05-01T10:00:00Z", title: "No search", text: "The server was down." };

  test("without a file there are none; one that is named must be there", () => {
    expect(readIncidents(config())).toEqual([]);
    const named = configFrom({ PRESENCE_HOME: home, INCIDENTS_FILE: join(home, "other.json") });
    expect(() => readIncidents(named)).toThrow(/INCIDENTS_FILE .*other\.json: file not found/);
  });

  test("an incident without `resolved` lasts", () => {
    put([outage, { ...outage, title: "Late", resolved: "2026-05-01T11:00:00Z" }]);
    expect(readIncidents(config()).map(({ title, resolved }) => [title, resolved])).toEqual([
      ["No search", null],
      ["Late", "2026-05-01T11:00:00Z"],
    ]);
  });

  test.each([
    ["[", /incidents\.json: is not JSON/],
    [{}, /expected array/],
    [[outage, { ...outage, started: "yesterday", title: "x" }], /incident 2, started: /],
    [[{ ...outage, resolved: "2026-05-01T09:59:59Z" }], /incident 1, resolved: is before `started`/],
    [[{ ...outage, text: " " }], /incident 1, text: /],
    [[{ ...outage, severity: "high" }], /incident 1: .*severity/],
    [[outage, outage], /two incidents have the same/],
    [Array.from({ length: MAX_INCIDENTS + 1 }, (_, at) => ({ ...outage, title: `${at}` })), /<=50 items/],
  ])("%j is refused", (content, message) => {
    put(content);
    expect(() => readIncidents(config())).toThrow(message);
  });
});
