import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a command that waits for what can come no more ends with a word, and with code 1", () => {
  const guard = join(import.meta.dirname, "process-end.ts");
  const program = `import { tellUnfinished } from ${JSON.stringify(guard)}; tellUnfinished(); await new Promise(() => {});`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("presence: the command stopped before it was done");
});
