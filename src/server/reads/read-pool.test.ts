import { afterEach, describe, expect, test } from "vitest";
import { silentLog } from "../../kernel/log.ts";
import { ReadPool, type ReadTask } from "./read-pool.ts";

/** A worker that does what the operation's name says. */
const script = `
  import { parentPort } from "node:worker_threads";
  let served = 0;
  const deeds = {
    echo: (task) => ({ body: task.path.word }),
    count: () => ({ body: String(++served) }),
    refuse: () => ({ error: { status: 400, message: "x is wrong", details: { hint: 1 } } }),
    fault: () => ({ fault: "SQL trouble" }),
    hang: () => { for (;;); },
    crash: () => { throw new Error("boom"); },
    exit: () => process.exit(3),
    nonsense: () => 42,
  };
  parentPort.on("message", (task) => {
    if (task === "end") parentPort.close();
    else parentPort.postMessage(deeds[task.operationId](task));
  });
  parentPort.postMessage("ready");
`;
const worker = new URL(`data:text/javascript,${encodeURIComponent(script)}`);

const open: ReadPool[] = [];
afterEach(async () => {
  for (const pool of open.splice(0)) await pool.close();
});

function poolOf(timeoutMs = 5000, script = worker): ReadPool {
  const pool = new ReadPool({ log: silentLog, timeoutMs, worker: script });
  open.push(pool);
  return pool;
}

function task(operationId: string, word = ""): ReadTask {
  return { operationId, snapshot: "", path: { word }, query: {} };
}

describe("the read worker", () => {
  test("answers everybody with his own answer, in turn", async () => {
    const pool = poolOf();
    const words = Array.from({ length: 50 }, (_, index) => `w${index}`);
    expect(await Promise.all(words.map((word) => pool.read(task("echo", word))))).toEqual(words);
  });

  test("hands on the errors of a read, and goes on", async () => {
    const pool = poolOf();
    await expect(pool.read(task("refuse"))).rejects.toMatchObject({ status: 400, details: { hint: 1 } });
    await expect(pool.read(task("fault"))).rejects.toThrow("SQL trouble");
    expect(await pool.read(task("count"))).toBe("1");
  });

  test.each(["crash", "exit"])(
    "that dies (%s) fails the read it did with a 503; those that wait are done by another",
    async (death) => {
      const pool = poolOf();
      expect(await pool.read(task("count"))).toBe("1");
      const [dead, next] = await Promise.allSettled([pool.read(task(death)), pool.read(task("count"))]);
      expect(dead).toMatchObject({ status: "rejected", reason: { status: 503 } });
      expect(next).toMatchObject({ value: "1" }); // a new worker counts from the start
    },
  );

  test("that hangs is stopped and replaced", async () => {
    const pool = poolOf(1000);
    const hung = pool.read(task("hang"));
    await expect(hung).rejects.toMatchObject({ status: 503, message: expect.stringContaining("too long") });
    expect(await pool.read(task("count"))).toBe("1");
  });

  test("that loads for longer than a read may take answers those that waited for it", async () => {
    const ready = 'parentPort.postMessage("ready");';
    const slow = script.replace(ready, `setTimeout(() => ${ready.slice(0, -1)}, 2000);`);
    const pool = poolOf(1500, new URL(`data:text/javascript,${encodeURIComponent(slow)}`));
    expect(await Promise.all([pool.read(task("count")), pool.read(task("count"))])).toEqual(["1", "2"]);
  });

  test("that never comes up keeps nobody waiting for ever", async () => {
    const silent = new URL("data:text/javascript,setInterval(() => undefined, 1000)");
    const pool = poolOf(200, silent);
    await expect(pool.read(task("count"))).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("busy"),
    });
  });

  test("that answers nonsense fails that read only", async () => {
    const pool = poolOf();
    await expect(pool.read(task("nonsense"))).rejects.toThrow();
    expect(await pool.read(task("count"))).toBe("1");
  });

  test("takes only so many into its queue, and none once closed", async () => {
    const pool = poolOf();
    await pool.read(task("count"));
    const reads = Array.from({ length: 300 }, () => pool.read(task("count")));
    const outcomes = await Promise.allSettled(reads);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(99); // one is being done, 200 wait
    expect(refused[0]).toMatchObject({ reason: { status: 503 } });
    await pool.close();
    await expect(pool.read(task("count"))).rejects.toMatchObject({ status: 503 });
  });
});
