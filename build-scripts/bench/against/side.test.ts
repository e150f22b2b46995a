import { expect, test } from "vitest";
import { namesInHelp } from "./side.ts";

test("the benches of a commit are the choices that its help names", () => {
  const help = `Options:
  --only <name>  one bench only (choices: "release", "intake",
                 "http")
  --quick        with a twentieth of the data (choices: "none")`;
  expect(namesInHelp(help)).toEqual(["release", "intake", "http"]);
  expect(namesInHelp("Options:\n  --quick")).toEqual([]);
});
