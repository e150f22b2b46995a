import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OperatorError } from "../errors.ts";
import { SeededNumbers } from "../seeded.ts";
import { parseEnvironmentFile } from "./environment.ts";

const read = (text: string) => Object.fromEntries(parseEnvironmentFile(text).variables);

test("the examples of systemd.exec(5), and values that a shell would split or run", () => {
  expect(read('OPERATOR_NAME="Tiny Watch Ltd"\n')).toEqual({ OPERATOR_NAME: "Tiny Watch Ltd" });
  expect(read("A=Tiny Watch Ltd\n")).toEqual({ A: "Tiny Watch Ltd" });
  expect(read("A=$(id) `id` $HOME & ; | * ~\n")).toEqual({ A: "$(id) `id` $HOME & ; | * ~" });
  expect(read('A=\'$(id) "x" \\n\'\nB="it\'s"')).toEqual({ A: '$(id) "x" \\n', B: "it's" });
  expect(read("# one\n; two\n\n  A = b  \nC=d # no comment\n")).toEqual({ A: "b", C: "d # no comment" });
  expect(read("A=one\\\n two\nB=\"one \\\ntwo\"\nC='one\ntwo'")).toEqual({
    A: "one two",
    B: "one two",
    C: "one\ntwo",
  });
  expect(read('A="\\"\\\\\\$\\`\\n"\nB=\\"x\\"\nC=a\\ ')).toEqual({ A: '"\\$`\\n', B: '"x"', C: "a " });
  expect(read("A='one' \"two\"three\nB=one 'two'\nC=\n")).toEqual({
    A: "onetwothree",
    B: "one 'two'",
    C: "",
  });
  expect(read("A=1\r\nB=2\rC=3")).toEqual({ A: "1", B: "2", C: "3" });
  expect(read("A=1\nA=2\n")).toEqual({ A: "2" });
  expect(read('A="never closed\nB=1')).toEqual({ A: "never closed\nB=1" });
});

test("what assigns nothing is passed over and counted, and a name harms no object", () => {
  const { variables, ignoredLines } = parseEnvironmentFile(
    "export A=1\nonly words\n2B=1\nC=a\u0007\n__proto__=x\nD=\té\t\nlast",
  );
  expect([...variables]).toEqual([
    ["__proto__", "x"],
    ["D", "é"],
  ]);
  expect(ignoredLines).toEqual([1, 2, 3, 4, 7]);
  expect(read("")).toEqual({});
});

test("what versions of systemd read differently is refused", () => {
  expect(() => read("A=1\n# a folder: C:\\\nB=2\n")).toThrow(/^line 2: a comment ends with a backslash/);
  expect(read("# a \\ b\nB=2\n")).toEqual({ B: "2" });
  expect(() => read("A=1\nB=\0")).toThrow("line 2: a NUL character");
});

const PIECES = [
  "A=",
  "B=",
  "C =",
  "x",
  "y z",
  "\n",
  "\n",
  "\r",
  " ",
  "\t",
  "'",
  '"',
  "\\",
  "#",
  ";",
  "=",
  "é",
  "`",
  "7",
];

/** A text, and its variables; undefined where it is refused. */
function randomFile(numbers: SeededNumbers) {
  const pieces = Array.from(
    { length: numbers.between(1, 24) },
    () => PIECES[numbers.between(0, PIECES.length - 1)],
  );
  const text = pieces.join("");
  try {
    return { text, variables: read(text) };
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

test("any text is read or refused in plain words", () => {
  const numbers = new SeededNumbers("any");
  for (let tries = 0; tries < 5000; tries += 1) {
    const { text = "", variables = {} } = randomFile(numbers) ?? {};
    for (const value of Object.values(variables))
      expect(text.replaceAll(/[\\'"\s]/g, "")).toContain(value.replaceAll(/[\\'"\s]/g, ""));
  }
});

/** White space as systemd writes it, which a shell does not turn back. */
const shown = (text: string) => text.replaceAll("\t", "\\t").replaceAll("\n", "\\n");

/** systemd's own reader, in the one program of it that needs no running systemd. */
const GENERATOR = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator";

test.skipIf(!existsSync(GENERATOR))("systemd reads the same (needs Debian's systemd)", () => {
  const folder = mkdtempSync(join(tmpdir(), "environment-"));
  const file = join(folder, "environment.d", "50-test.conf");
  mkdirSync(join(folder, "environment.d"));
  const numbers = new SeededNumbers("systemd");
  // This program unsets what is empty, where a unit's variable is empty: as the configuration counts it, too.
  const show = 'set -a; eval "$1"; printf "%s\\0" "$A" "$B" "$C"';
  try {
    for (let tries = 0; tries < 60; tries += 1) {
      const { text = "", variables = {} } = randomFile(numbers) ?? {};
      if (text.includes("\r")) continue; // within quotes units refuse it, and this program does not
      writeFileSync(file, text);
      const said = spawnSync(GENERATOR, { encoding: "utf8", env: { XDG_CONFIG_HOME: folder, HOME: folder } });
      const values = spawnSync("bash", ["-c", show, "bash", said.stdout], {
        encoding: "utf8",
        env: {},
      }).stdout;
      const { A = "", B = "", C = "" } = variables;
      expect(shown(values), JSON.stringify(text)).toBe(
        shown([A, B, C].map((value) => `${value}\0`).join("")),
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
