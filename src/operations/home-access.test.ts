import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { accountIn, groupIn, type Home, homePaths, type ProcessUser } from "../kernel/home.ts";
import { silentLog } from "../kernel/log.ts";
import { createLedger } from "../ledger/database/ledger-file.ts";
import { assertOwner, assertSecretsClosed, homeOwners, readableSecrets, wantedUser } from "./home-access.ts";

describe("acting user", () => {
  const OWNER = { uid: 990, gid: 900 };
  const SERVER = { uid: 991, gid: 901 };
  const as = (uid: number, ...groups: number[]) => ({ uid, groups });
  const OWNERS = { home: OWNER, state: SERVER };

  describe("the user of a command", () => {
    test("is the owner of the home: root and others are told whose it is", () => {
      expect(wantedUser(as(990), "owner", OWNERS)).toBeUndefined();
      for (const other of [as(0), as(1000, 900), as(991, 901)])
        expect(wantedUser(other, "owner", OWNERS)).toEqual(OWNER);
    });

    test("is for the server whoever may use the state", () => {
      expect(wantedUser(as(991), "server", OWNERS)).toBeUndefined();
      expect(wantedUser(as(992, 901), "server", OWNERS)).toBeUndefined(); // a worker of its own
      expect(wantedUser(as(990), "server", OWNERS)).toBeUndefined(); // which SERVER_SECRETS refuses later
      expect(wantedUser(as(0, 901), "server", OWNERS)).toEqual(SERVER);
      expect(wantedUser(as(1000, 900), "server", OWNERS)).toEqual(SERVER);
      for (const one of [
        { home: OWNER, state: undefined },
        { home: OWNER, state: OWNER },
      ]) {
        expect(wantedUser(as(0), "server", one)).toEqual(OWNER);
        expect(wantedUser(as(991), "server", one)).toEqual(OWNER);
      }
    });

    test("is anyone where a command touches only what it names, and where there is no home yet", () => {
      expect(wantedUser(as(1000), "none", OWNERS)).toBeUndefined();
      expect(wantedUser(as(0), "none", OWNERS)).toBeUndefined();
      expect(wantedUser(as(0), "owner", { home: undefined, state: undefined })).toBeUndefined();
    });

    test("is root in a home of root, as in a container", () => {
      const owners = { home: { uid: 0, gid: 0 }, state: undefined };
      expect(wantedUser(as(0), "owner", owners)).toBeUndefined();
      expect(wantedUser(as(1000), "owner", owners)).toMatchObject({ uid: 0 });
    });
  });

  describe("in a real folder", () => {
    let home: Home;
    beforeEach(() => {
      home = homePaths(mkdtempSync(join(tmpdir(), "acting-")));
    });
    afterEach(() => rmSync(home.root, { recursive: true }));

    const own = process.geteuid?.() ?? 0;
    function user(uid: number): ProcessUser {
      const names: Readonly<Record<number, string>> = { [own]: "presence", 4711: "carol" };
      const accountOf = (id: number | string) => {
        const name = names[Number(id)];
        return name === undefined ? undefined : { uid: Number(id), gid: 7, name };
      };
      return { uid, groups: [uid], accountOf, groupsOf: () => [], groupOf: () => undefined };
    }
    const run = (who: ProcessUser, need: "owner" | "server" = "owner") =>
      assertOwner(who, { home, need, command: ["city", "add", "two words"] });

    test("a refusal names both users and the line to type", () => {
      mkdirSync(home.night);
      expect(() => run(user(4711))).toThrow(
        `${home.night} belongs to presence, but this command runs as carol: run it as presence: sudo -u presence -- presence city add 'two words'`,
      );
      expect(() => run(user(4712))).toThrow("runs as user 4712");
      run(user(own));
    });

    test.skipIf(own !== 0)("root gets a line that a minimal Debian has (as root only)", () => {
      mkdirSync(home.night);
      mkdirSync(home.stateFolder);
      chownSync(home.night, 4711, 900);
      chownSync(home.stateFolder, 991, 901);
      expect(() => run(user(0))).toThrow(
        "run it as carol: runuser -u carol -- presence city add 'two words'",
      );
      expect(() => run(user(0), "server")).toThrow(
        `${home.stateFolder} belongs to user 991, but this command runs as presence: run it as user 991: setpriv --reuid=991 --regid=901 --clear-groups presence city`,
      );
      expect(() => run(user(4712))).toThrow("sudo -u carol -- presence");
    });

    test("a home that was not made yet is that of the folder above", () => {
      expect(homeOwners(home)).toMatchObject({ home: { uid: own }, state: undefined });
      expect(homeOwners(homePaths(join(home.root, "gone")))).toEqual({ home: undefined, state: undefined });
    });

    test("a home of presence 1.x is refused, with the folder to delete", () => {
      writeFileSync(join(home.root, "ledger.db"), "");
      expect(() => run(user(own))).toThrow(
        `${home.root}: the home was written by presence 1.x, whose formats no later version reads: delete the folder, or set PRESENCE_HOME to another one`,
      );
    });
  });

  test("lines of passwd and group are read, and others are none", () => {
    expect(accountIn("presence:x:990:980:A, B:/srv/presence:/usr/sbin/nologin\n")).toEqual({
      name: "presence",
      uid: 990,
      gid: 980,
    });
    expect(groupIn("presence-state:x:901:presence,presence-web\n")).toEqual({
      name: "presence-state",
      gid: 901,
    });
    for (const line of ["", "\n", "presence", "presence:x:-1:2:::", ":x:1:2:::", "a:x:1"]) {
      expect(accountIn(line)).toBeUndefined();
      expect(groupIn(line.replace("a:x:1", "a:x:b:"))).toBeUndefined();
    }
  });
});

describe("readable secrets", () => {
  let home: Home;
  let warned: string[];
  const log = { ...silentLog, error: (event: string) => void warned.push(event) };

  beforeEach(() => {
    home = homePaths(mkdtempSync(join(tmpdir(), "secrets-")));
    warned = [];
    mkdirSync(home.keys, { recursive: true });
  });
  afterEach(() => rmSync(home.root, { recursive: true }));

  function start(serverSecrets: "refuse" | "warn" | "allow", environment?: "production" | "demo"): void {
    assertSecretsClosed({ config: { serverSecrets }, home, environment, log });
  }

  test("a server that can read nothing of it starts", () => {
    expect(readableSecrets(home)).toEqual([]);
    start("refuse", "production");
  });

  test.each([
    "ledger.db",
    "keys/production.signing.json",
    "keys/production.manifest.json",
    "keys/production.intake.json",
  ])("one that may read %s does not", (name) => {
    const path = join(home.night, name);
    writeFileSync(path, "");
    expect(() => start("refuse", "production")).toThrow(
      `the server may read ${path}: run it as a user of its own`,
    );
    expect(() => start("refuse", undefined)).toThrow("SERVER_SECRETS");
    start("warn", "production");
    expect(warned).toEqual(["secrets_open_to_server"]);
    start("allow", "production");
    start("refuse", "demo");
    expect(warned).toHaveLength(1);
  });

  const isRoot = process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0;

  test.skipIf(!isRoot)("another user may read none of what init makes (needs root and setpriv)", () => {
    const { root, ledger, keys } = home;
    chmodSync(root, 0o755);
    rmSync(keys, { recursive: true });
    createLedger(ledger, {
      environment: "production",
      origin: "example.org/real",
      keysDir: keys,
      clock: () => 0,
    });
    const program = `
    import { readableSecrets } from ${JSON.stringify(new URL("./home-access.ts", import.meta.url).href)};
    console.log(JSON.stringify(readableSecrets({ ledger: ${JSON.stringify(ledger)}, keys: ${JSON.stringify(keys)} })));
  `;
    const readableAs = (...user: string[]) => {
      const node = [process.execPath, "--input-type=module", "-e", program];
      return JSON.parse(execFileSync("setpriv", [...user, ...node], { encoding: "utf8" }));
    };
    expect(readableAs("--reuid=0")).toHaveLength(4);
    expect(readableAs("--reuid=65534", "--regid=65534", "--clear-groups")).toEqual([]);
  });
});
