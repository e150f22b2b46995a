import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { repetitions } from "../../tests/support/trial.ts";

const KILLS = repetitions(12, 2);

/** Appends batches and seals for ever, and acknowledges each on its standard output. */
function appender({ path, keysDir }: TestLedger): string {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  return `import { writeSync } from "node:fs";
    import { openLedgerWriter } from ${module("./writer.ts")};
    import { statusRow } from ${module("../../tests/support/ledger/small-ledger.ts")};
    const writer = openLedgerWriter(${JSON.stringify(path)}, { keysDir: ${JSON.stringify(keysDir)}, clock: Date.now });
    for (let batch = 1; ; batch += 1) {
      writer.transaction(() => { for (let row = 0; row < 200; row += 1) writer.append(statusRow(writer.nextId())); });
      writeSync(1, String(writer.nextId() - 1) + "\\n");
      if (batch % 3 === 0) writer.seal({ now: true });
    }`;
}

/** Rotates the signing key and seals for ever, and acknowledges each rotation. */
function rotator({ path, keysDir }: TestLedger): string {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  return `import { writeSync } from "node:fs";
    import { openLedgerWriter } from ${module("./writer.ts")};
    import { statusRow } from ${module("../../tests/support/ledger/small-ledger.ts")};
    const writer = openLedgerWriter(${JSON.stringify(path)}, { keysDir: ${JSON.stringify(keysDir)}, clock: Date.now });
    for (;;) {
      writer.rotateSigningKey();
      writeSync(1, writer.keyRing().all().length + "\\n");
      writer.transaction(() => writer.append(statusRow(writer.nextId())));
      writer.seal({ now: true });
    }`;
}

/** Kills the program at the given time after its first line; returns the last number that it acknowledged. */
async function killed(program: string, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let acknowledged = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    if (acknowledged === 0) setTimeout(() => child.kill("SIGKILL"), afterMs);
    acknowledged = Number(line);
  });
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGKILL");
  return acknowledged;
}

test(`kill -9 at ${KILLS} moments: every acknowledged row is there, and the chain verifies`, async () => {
  using ledger = new TestLedger("2020-01-01T00:00:00Z");
  for (let kill = 0; kill < KILLS; kill += 1) {
    const acknowledged = await killed(appender(ledger), 1 + kill * 7);
    ledger.time = Date.now();
    using writer = ledger.writer();
    expect(acknowledged).toBeGreaterThan(0);
    expect(writer.nextId()).toBeGreaterThan(acknowledged);
    writer.seal({ now: true });
    using reader = ledger.reader();
    const size = reader.latestCheckpoint()?.size ?? 0;
    expect(size).toBeGreaterThan(acknowledged);
    let rows = 0;
    for (const row of reader.verifiedRows(size)) rows = row.id;
    expect(rows).toBe(size);
  }
});

test(`kill -9 at ${KILLS} moments of rotations: the key is never lost, and every head verifies`, async () => {
  using ledger = new TestLedger("2020-01-01T00:00:00Z");
  let tree = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const acknowledged = await killed(rotator(ledger), 1 + kill * 3);
    ledger.time = Date.now();
    using writer = ledger.writer();
    expect(writer.keyRing().all().length).toBeGreaterThanOrEqual(acknowledged);
    ledger.appendAt(writer, new Date().toISOString(), 1);
    writer.seal({ now: true });
    using reader = ledger.reader();
    expect(reader.keyRing().current.vkey).toBe(ledger.signingKey().vkey);
    expect(reader.checkpoints().at(-1)?.size).toBeGreaterThan(tree);
    tree = reader.latestCheckpoint()?.size ?? 0;
  }
});
