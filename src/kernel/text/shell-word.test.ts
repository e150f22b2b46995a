import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellLine } from "./shell-word.ts";

test("a shell reads back what was written", () => {
  const words = ["plain", "two words", "it's", "$(id)", "`id`", "a\nb", "", "-x", "*", "\\", '"', "ä"];
  const said = execFileSync("sh", ["-c", `printf '%s\\0' ${shellLine(words)}`], { encoding: "utf8" });
  expect(said.split("\0").slice(0, -1)).toEqual(words);
  expect(shellLine(["chmod", "600", "/srv/presence/ledger.db"])).toBe("chmod 600 /srv/presence/ledger.db");
});
