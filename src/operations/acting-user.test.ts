import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { homePaths } from "../kernel/home.ts";
import { type Account, accountIn, groupIn, type ProcessUser } from "../kernel/system-user.ts";
import { actAsOwner, decideUser, homeOwners } from "./acting-user.ts";

const OWNER = { uid: 990, gid: 900 };
const SERVER = { uid: 991, gid: 901 };
const as = (uid: number, ...groups: number[]) => ({ uid, groups });
const OWNERS = { home: OWNER, state: SERVER };
const STAY = { action: "stay" };

describe("the user of a command", () => {
  test("is the owner of the home: root becomes it, another is refused", () => {
    expect(decideUser(as(990), "owner", OWNERS)).toEqual(STAY);
    expect(decideUser(as(0), "owner", OWNERS)).toEqual({ action: "become", ...OWNER });
    expect(decideUser(as(1000, 900), "owner", OWNERS)).toEqual({ action: "refuse", ...OWNER });
    expect(decideUser(as(991, 901), "owner", OWNERS)).toEqual({ action: "refuse", ...OWNER });
  });

  test("is for the server whoever may use the state", () => {
    expect(decideUser(as(991), "server", OWNERS)).toEqual(STAY);
    expect(decideUser(as(992, 901), "server", OWNERS)).toEqual(STAY); // a worker of its own
    expect(decideUser(as(990), "server", OWNERS)).toEqual(STAY); // which SERVER_SECRETS refuses later
    expect(decideUser(as(0), "server", OWNERS)).toEqual({ action: "become", ...SERVER });
    expect(decideUser(as(1000, 900), "server", OWNERS)).toEqual({ action: "refuse", ...SERVER });
    const one = { home: OWNER, state: undefined };
    expect(decideUser(as(0), "server", one)).toEqual({ action: "become", ...OWNER });
    expect(decideUser(as(991), "server", one)).toEqual({ action: "refuse", ...OWNER });
    const wrong = { home: OWNER, state: { uid: 0, gid: 0 } };
    expect(decideUser(as(0), "server", wrong)).toEqual({ action: "become", ...OWNER });
  });

  test("is anyone where a command touches only what it names, and where there is no home yet", () => {
    expect(decideUser(as(1000), "none", OWNERS)).toEqual(STAY);
    expect(decideUser(as(0), "none", OWNERS)).toEqual(STAY);
    expect(decideUser(as(0), "owner", { home: undefined, state: undefined })).toEqual(STAY);
  });

  test("stays root in a home of root, as in a container", () => {
    const owners = { home: { uid: 0, gid: 0 }, state: undefined };
    expect(decideUser(as(0), "owner", owners)).toEqual(STAY);
    expect(decideUser(as(1000), "owner", owners)).toMatchObject({ action: "refuse", uid: 0 });
  });
});

describe("in a real folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "acting-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const own = process.geteuid?.() ?? 0;
  function user(uid: number, became: Account[] = []): ProcessUser {
    const names: Readonly<Record<number, string>> = { [own]: "presence", 4711: "carol" };
    const accountOf = (id: number | string) => {
      const name = names[Number(id)];
      return name === undefined ? undefined : { uid: Number(id), gid: 7, name, folder: "/srv" };
    };
    const become = (account: Account) => void became.push(account);
    return { uid, groups: [uid], accountOf, groupsOf: () => [], groupOf: () => undefined, become };
  }
  const act = (who: ProcessUser) =>
    actAsOwner(who, { home: homePaths(folder), need: "owner", command: ["city", "add", "two words"] });

  test("a refusal names both users and the command", () => {
    expect(() => act(user(4711))).toThrow(
      `${folder} belongs to presence, but this command runs as carol: run it as presence (sudo -u presence presence city add 'two words') or as root, who becomes presence`,
    );
    expect(() => act(user(4712))).toThrow("runs as user 4712");
    act(user(own));
  });

  test.skipIf(own !== 0)(
    "root becomes the owner, and a home of root with another's ledger is the other's (as root only)",
    () => {
      chownSync(folder, 990, 900);
      const became: Account[] = [];
      act(user(0, became));
      expect(became).toEqual([{ uid: 990, gid: 900, name: "user 990", folder: "/" }]);
      chownSync(folder, 0, 0);
      act(user(0, became));
      writeFileSync(join(folder, "ledger.db"), "");
      chownSync(join(folder, "ledger.db"), 991, 901);
      act(user(0, became));
      expect(became.slice(1)).toMatchObject([{ uid: 991, gid: 901 }]);
      expect(() => act(user(4711))).toThrow("sudo -u '#991' presence");
    },
  );

  test("the state's owner is that of STATE_FOLDER, and a missing folder has none", () => {
    const state = join(folder, "state");
    expect(homeOwners(homePaths(folder, state)).state).toBeUndefined();
    mkdirSync(state);
    expect(homeOwners(homePaths(folder, state)).state?.uid).toBe(own);
    expect(homeOwners(homePaths(join(folder, "gone")))).toEqual({ home: undefined, state: undefined });
  });
});

test("lines of passwd and group are read, and others are none", () => {
  expect(accountIn("presence:x:990:980:A, B:/srv/presence:/usr/sbin/nologin\n")).toEqual({
    name: "presence",
    uid: 990,
    gid: 980,
    folder: "/srv/presence",
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
