import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText, outputTo, shellLine, writeText } from "./terminal.ts";

describe("shell word", () => {
  test("a shell reads back what was written", () => {
    const words = ["plain", "two words", "it's", "$(id)", "`id`", "a\nb", "", "-x", "*", "\\", '"', "ä"];
    const said = execFileSync("sh", ["-c", `printf '%s\\0' ${shellLine(words)}`], { encoding: "utf8" });
    expect(said.split("\0").slice(0, -1)).toEqual(words);
    expect(shellLine(["chmod", "600", "/srv/presence/ledger.db"])).toBe("chmod 600 /srv/presence/ledger.db");
  });
});

describe("terminal", () => {
  function written(work: (output: ReturnType<typeof outputTo>) => void, isTTY = false): string {
    let all = "";
    work(
      outputTo({
        isTTY,
        write: (text) => {
          all += text;
        },
      }),
    );
    return all;
  }

  test("what steers a terminal or begins a line is shown by its number, and all else as it is", () => {
    expect(
      written((output) => output.write("a\u001b[2Jb\u202egnp.exe\u2066\u2028\nMEND  x\r\n\tok é 信 😀\n")),
    ).toBe("a\\u{1b}[2Jb\\u{202e}gnp.exe\\u{2066}\\u{2028}\\u{a}MEND  x\\u{d}\\u{a}\tok é 信 😀\n");
    expect(written((output) => output.write("\n"))).toBe("\n");
    expect(written((output) => output.redraw?.("50 %\n\u001b"), true)).toBe("\r\u001b[K50 %\\u{a}\\u{1b}");
  });

  test("a text keeps its lines", () => {
    expect(written((output) => writeText(output, "a\u009b\n\nb\n"))).toBe("a\\u{9b}\n\nb\n");
  });

  test("every text becomes one line, and every value JSON on one line that says the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const line = written((output) => output.write(`x${text}y\n`));
        expect(line.slice(0, -1)).not.toMatch(/(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        const json = jsonText({ text });
        expect(written((output) => output.write(json))).toBe(`${json}\n`);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });
});
