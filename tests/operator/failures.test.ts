import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Operator } from "../support/operations/operator.ts";

/** What an operator can mend is said in a line: permissions, disks, settings, other files. A stack is for defects. */

let service: Operator;
beforeAll(async () => {
  service = new Operator();
  await service.ok(["init", "--origin", "test.example/log", "--environment", "demo"]);
});
afterAll(() => service[Symbol.dispose]());

interface Fault {
  readonly folder?: string; // of the home, which lies where a file belongs
  readonly file?: string; // of the home, which lies where a folder or a database belongs
  readonly env?: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly says: RegExp;
}

const PARTNER = ["partner", "create", "A", "--contact", "a@b.example"];
const FAULTS: Readonly<Record<string, Fault>> = {
  "the home is a file": { file: ".", command: ["seal"], says: /var/ },
  "the home is a file, for a new ledger": {
    file: ".",
    command: ["init", "--origin", "a.example/b"],
    says: /var/,
  },
  "the ledger is a folder": {
    folder: "night/ledger.db",
    command: ["seal"],
    says: /ledger\.db: it is a folder, and must be a regular file/,
  },
  "its lock is a folder": {
    folder: "night/ledger.db.lock",
    command: ["seal"],
    says: /ledger\.db\.lock: it is a folder/,
  },
  "the keys are a file": { file: "night/keys", command: ["backup", "b"], says: /keys/ },
  "the night's status is a folder": {
    folder: "night/nightly.json",
    command: ["nightly"],
    says: /a folder lies where a file is needed/,
  },
  "the state is a folder": { folder: "state/state.db", command: PARTNER, says: /database|state/ },
  "the state is no database": { file: "state/state.db", command: PARTNER, says: /database|state/ },
  "the state's folder is a file": { file: "state", command: PARTNER, says: /var\/state/ },
  "the catalog is a folder": {
    folder: "night/gazetteer.ndjson",
    command: ["gazetteer", "search", "x"],
    says: /a folder lies where a file is needed/,
  },
  "the input is a folder": { command: ["ingest", ".", "--synthetic"], says: /\./ },
  "the rejects have no folder": {
    command: ["ingest", "some.ndjson", "--synthetic", "--rejects", "none/rejects.ndjson"],
    says: /none\/rejects/,
  },
  "the backup's place is a file": { command: ["backup", "some.ndjson"], says: /some\.ndjson/ },
  "the backup's place is below a file": { command: ["backup", "some.ndjson/b"], says: /some\.ndjson/ },
  "the backup is gone": { command: ["restore", "none", "--into", "new"], says: /none/ },
  "the home is below a file": { env: { PRESENCE_HOME: "/dev/null/x" }, command: ["seal"], says: /dev\/null/ },
  "the key of DKIM is gone": {
    env: {
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "a@b.example",
      DKIM_KEY_FILE: "/none.pem",
      DKIM_SELECTOR: "s",
    },
    command: ["deliver"],
    says: /none\.pem/,
  },
  "a setting is wrong": { env: { PORT: "many" }, command: ["seal"], says: /PORT must be/ },
};

test.for(Object.entries(FAULTS))("%s", async ([, { folder, file, env, command, says }]) => {
  using broken = new Operator();
  cpSync(service.home.root, broken.home.root, { recursive: true });
  broken.write("some.ndjson", "\n");
  const path = join(broken.home.root, folder ?? file ?? "none");
  rmSync(path, { recursive: true, force: true });
  if (folder !== undefined) mkdirSync(path, { recursive: true });
  mkdirSync(dirname(path), { recursive: true });
  if (file !== undefined) writeFileSync(path, "no database, and long enough to have a header\n".repeat(40));
  const { code, stderr } = await broken.run(command, env === undefined ? {} : { env });
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(code, stderr).toBe(1);
  expect(stderr).toMatch(/^presence: /m);
  expect(stderr).toMatch(says);
});
