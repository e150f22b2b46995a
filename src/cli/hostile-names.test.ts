import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestPatient } from "../../tests/support/operations/patient.ts";
import { startPresence } from "../../tests/support/operations/presence-process.ts";

const HOSTILE = "x\u001b[2J\nMEND   permissions: forged\n\u009b\u202e\u2028";
const SHOWN = "x\\u{1b}[2J\\u{a}MEND   permissions: forged";

test("names of files and texts of remote servers forge no line and steer no terminal, in any command", async () => {
  using service = new TestPatient();
  const { home } = service;
  writeFileSync(join(home.keys, HOSTILE), "");
  chmodSync(join(home.keys, HOSTILE), 0o666);
  const site = join(home.root, "site");
  mkdirSync(join(site, HOSTILE), { recursive: true });
  const server = createServer((_, response) =>
    response.writeHead(200).end(`${HOSTILE}\n1\nAAAA\n\n— ${HOSTILE} AAAA\n`),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const run = (...args: readonly string[]) => startPresence(args, { home: home.root }).done;
    const [doctor, ingest, ...others] = await Promise.all([
      run("doctor"),
      run("ingest", join(home.root, HOSTILE)),
      run("verify", "--release", join(site, HOSTILE)),
      run("mirror", url, join(home.root, HOSTILE)),
      run(HOSTILE),
    ]);
    for (const { code, stdout, stderr } of [doctor, ingest, ...others]) {
      expect(code).toBe(1);
      expect(stdout + stderr).not.toMatch(/^MEND {3}permissions: forged/m);
      expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Bidi_Control}]/u);
    }
    expect(doctor.stdout).toContain(SHOWN);
    expect(ingest.stderr).toContain(SHOWN);
  } finally {
    server.close();
  }
});
