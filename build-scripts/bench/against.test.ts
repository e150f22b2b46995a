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
import {
  againstText,
  compareRounds,
  namesInHelp,
  OtherTree,
  pairLines,
  readingOf,
  worseLines,
} from "./against.ts";
import { type BenchLine, boundLine, notMeasured, speedLine } from "./table.ts";

describe("verdict", () => {
  describe("pairs", () => {
    const lines = (...names: string[]) => names.map((name) => boundLine(name, "s", 1, 2));
    const paired = (here: string[], there: string[]) => {
      const { pairs, ...rest } = pairLines(lines(...here), lines(...there));
      return { pairs: pairs.map((pair) => [pair.here.name, pair.there.name]), ...rest };
    };

    test("lines are paired by name, in this side's order", () => {
      expect(paired(["b", "a"], ["a", "b"])).toEqual({
        pairs: [
          ["b", "b"],
          ["a", "a"],
        ],
        onlyHere: [],
        onlyThere: [],
      });
    });

    test("names that differ in their numbers alone are paired when one line of each side fits", () => {
      const [here, there] = ["patch, 25,230 files made", "patch, 300,000 files made"];
      expect(paired([here], [there]).pairs).toEqual([[here, there]]);
      expect(paired(["needle of 1", "needle of 2"], ["needle of 3"])).toEqual({
        pairs: [],
        onlyHere: ["needle of 1", "needle of 2"],
        onlyThere: ["needle of 3"],
      });
    });

    test("an equal name goes before one that differs in its numbers", () => {
      expect(paired(["needle of 1", "needle of 2"], ["needle of 2", "needle of 3"]).pairs).toEqual(
        [
          ["needle of 2", "needle of 2"],
          ["needle of 1", "needle of 3"],
        ].toReversed(),
      );
    });

    test("lines of one side are named", () => {
      expect(paired(["a", "new"], ["a", "old"])).toMatchObject({ onlyHere: ["new"], onlyThere: ["old"] });
    });
  });

  describe("reading", () => {
    const text = (figure: string) => readingOf({ name: "a line", figure, limit: "", ratio: "" });

    test("a line's own number is read as it is", () => {
      expect(readingOf(boundLine("p50", "ms", 0.01234, 1))).toEqual({
        value: 0.01234,
        unit: "ms",
        better: "less",
        step: 0,
      });
      expect(readingOf(speedLine("intake", "rows/s", 26_723.4, 99_000))).toMatchObject({
        value: 26_723.4,
        better: "more",
      });
    });

    test("texts of earlier commits are read, with the step of their last digit", () => {
      expect(text("26,723 rows/s")).toEqual({ value: 26_723, unit: "rows/s", better: "more", step: 1 });
      expect(text("0.48 ms")).toEqual({ value: 0.48, unit: "ms", better: "less", step: 0.01 });
      expect(text("1817 MB")).toEqual({ value: 1817, unit: "MB", better: "less", step: 1 });
    });

    test("what was not measured has no reading", () => {
      expect(text("not measured")).toBeUndefined();
      expect(text("")).toBeUndefined();
    });

    test("both ways agree about every line of the bench's tables", () => {
      for (const line of [speedLine("s", "files/s", 4321, 9), boundLine("b", "s", 131.2, 120)]) {
        const { measured: _, ...printed } = line;
        const [number, read] = [readingOf(line), readingOf(printed)];
        expect(read).toMatchObject({ unit: number?.unit, better: number?.better });
        expect(Math.abs((read?.value ?? 0) - (number?.value ?? 0))).toBeLessThanOrEqual(0.5);
      }
    });
  });

  describe("verdict", () => {
    const speed = (value: number) => speedLine("intake", "rows/s", value, 1);
    const time = (value: number) => boundLine("build", "s", value, 1);
    const printed = ({ measured: _, ...line }: BenchLine): BenchLine => line;
    const compare = (...rounds: [here: BenchLine, there: BenchLine][]) =>
      compareRounds(rounds.map(([here, there]) => ({ here: [here], there: [there] })));

    describe("a ratio", () => {
      test("is below 1 where this side is slower, or takes more", () => {
        expect(compare([speed(50), speed(100)]).lines[0]?.ratio).toBe(0.5);
        expect(compare([time(20), time(10)]).lines[0]?.ratio).toBe(0.5);
        expect(compare([time(10), time(20)]).lines[0]?.ratio).toBe(2);
      });

      test("is the median of the rounds' ratios, so a round on a slow machine changes nothing", () => {
        const { lines } = compare([time(10), time(10)], [time(50), time(50)], [time(10), time(40)]);
        expect(lines).toEqual([{ name: "build", unit: "s", here: 10, there: 40, ratio: 1 }]);
      });

      test("compares a number with an earlier commit's text", () => {
        expect(compare([speed(50_000), printed(speed(100_000))]).lines[0]?.ratio).toBe(0.5);
      });

      test("is not made from the last digit of a printed figure, nor with nothing", () => {
        expect(compare([printed(time(0.02)), printed(time(0.01))]).lines[0]?.ratio).toBeUndefined();
        expect(compare([time(0.02), time(0.01)]).lines[0]?.ratio).toBe(0.5);
        expect(compare([time(0), time(3)]).lines[0]?.ratio).toBeUndefined();
      });

      test("needs the same unit and a measurement on both sides", () => {
        const milliseconds = boundLine("build", "ms", 5, 1);
        expect(compare([time(5), milliseconds]).lines).toEqual([]);
        expect(compare([notMeasured("build", "wrk is not installed"), time(5)]).lines).toEqual([]);
      });
    });

    test("lines whose names differ from round to round in their numbers are one line", () => {
      const patch = (files: number, value: number) => boundLine(`patch, ${files} files made`, "s", value, 60);
      const { lines } = compare([patch(10, 5), patch(12, 5)], [patch(11, 9), patch(10, 9)]);
      expect(lines).toEqual([{ name: "patch, 10 files made", unit: "s", here: 7, there: 7, ratio: 1 }]);
    });

    test("lines alike but for their numbers stay apart", () => {
      const needles = [1, 2].map((letters) => boundLine(`needle of ${letters}`, "ms", letters, 9));
      const { lines } = compareRounds(Array.from({ length: 3 }, () => ({ here: needles, there: needles })));
      expect(lines.map(({ name, here }) => [name, here])).toEqual([
        ["needle of 1", 1],
        ["needle of 2", 2],
      ]);
    });

    test("a line below the bound is told, one at the bound is none", () => {
      const comparison = compareRounds([
        { here: [speed(69), time(10)], there: [speed(100), time(7), boundLine("gone", "s", 1, 1)] },
      ]);
      const worse = worseLines(comparison, 0.7).map(({ name }) => name);
      expect(worse).toEqual(["intake"]);
      expect(
        againstText({ ...comparison, worse, against: "0123456789ab", bound: 0.7, rounds: 1 }).split("\n"),
      ).toEqual([
        "what    here       there       ratio",
        "intake  69 rows/s  100 rows/s  0.69  WORSE",
        "build   10 s       7 s         0.70",
        "only there: gone",
        "",
        "1 of 2 lines are below 0.7 of 0123456789.",
        "",
      ]);
    });
  });
});

describe("side", () => {
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
});
