import { expect, test } from "vitest";
import { runWorkers } from "./worker.ts";

const threadOf = (program: string) => new URL(`data:text/javascript,${encodeURIComponent(program)}`);

test("a thread that runs out of memory fails with a text that says so", async () => {
  const hungry = threadOf('const all = []; for (;;) all.push("x".repeat(100).split(""));');
  const run = runWorkers(hungry, [1], () => undefined, { resourceLimits: { maxOldGenerationSizeMb: 8 } });
  await expect(run).rejects.toThrow("out of memory");
});

test("a thread that ends itself fails with its name and code", async () => {
  const run = runWorkers(threadOf("process.exit(3);"), [1], () => undefined, { name: "pages" });
  await expect(run).rejects.toThrow("pages ended with code 3 in its thread");
});
