import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { namesInHelp, OtherTree } from "./side.ts";

describe("other tree", () => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "other-tree-")));
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", project, "-c", "user.name=t", "-c", "user.email=t@mail.test", ...args], {
      encoding: "utf8",
    });
  git("init", "--quiet");
  mkdirSync(join(project, "node_modules"));
  writeFileSync(join(project, ".gitignore"), "node_modules/\n");
  writeFileSync(join(project, "package-lock.json"), "{}\n");
  for (const version of ["one", "two"]) {
    writeFileSync(join(project, "version"), version);
    git("add", "--all");
    git("commit", "--quiet", "--message", version);
  }
  afterAll(() => rmSync(project, { recursive: true }));

  test("another commit lies in a worktree with this checkout's packages, and is gone afterwards", () => {
    const other = new OtherTree(project, "HEAD~1");
    expect(readFileSync(join(other.folder, "version"), "utf8")).toBe("one");
    expect(other.revision).toBe(git("rev-parse", "HEAD~1").trim());
    expect(realpathSync(join(other.folder, "node_modules"))).toBe(join(project, "node_modules"));
    other[Symbol.dispose]();
    expect(existsSync(other.folder)).toBe(false);
    expect(existsSync(other.scratch)).toBe(false);
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(existsSync(join(project, "node_modules"))).toBe(true);
  });

  test("a commit that does not exist is refused, and leaves nothing", () => {
    expect(() => new OtherTree(project, "no-such-commit")).toThrow("no-such-commit");
    expect(() => new OtherTree(project, "--help")).toThrow();
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  });
});

describe("side", () => {
  test("the benches of a commit are the choices that its help names", () => {
    const help = `Options:
  --only <name>  one bench only (choices: "release", "intake",
                 "http")
  --quick        with a twentieth of the data (choices: "none")`;
    expect(namesInHelp(help)).toEqual(["release", "intake", "http"]);
    expect(namesInHelp("Options:\n  --quick")).toEqual([]);
  });
});
