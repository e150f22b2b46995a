import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Operator } from "../../../tests/support/operations/operator.ts";

test("a source gets a folder and a map, and what it delivers is listed, taken and reported", async () => {
  using operator = new Operator();
  await operator.ok(["init", "--origin", "test.example/log", "--environment", "demo"]);
  const terms = ["--vetting", "collective", "--operator", "F", "--licence", "own", "--consent", "own"];
  const added = await operator.run(["source", "add", "fleet", "--kind", "fleet_cam", ...terms]);
  expect(added.stderr.replaceAll(operator.folder, "FOLDER")).toContain(
    "its folder in the inbox: install -d -m 0700 FOLDER/var/inbox/fleet",
  );
  expect(await operator.ok(["inbox", "take"])).toBe("the inbox is empty\n");
  const folder = join(operator.home.inbox, "fleet");
  mkdirSync(folder, { recursive: true });
  const draft = operator.write("draft", "id;naam\n1;x\n");
  await new Promise((resolve) => setTimeout(resolve, 10)); // its status gets newer than its content
  renameSync(draft, join(folder, "a.csv"));
  writeFileSync(join(folder, "b.part"), "");

  const list = JSON.parse(await operator.ok(["inbox", "list", "--json"]));
  expect(list).toMatchObject([
    { source: "fleet", file: "a.csv", bytes: 12, state: "whole", reason: null },
    { file: "b.part", state: "left", reason: "its name says that it is not whole: rename it when it is" },
  ]);
  const { stdout, stderr, code } = await operator.run(["inbox", "take", "--wait", "1"]);
  expect(code).toBe(1);
  expect(stdout).toContain("inbox/fleet/a.csv: left: source fleet has no column map, which CSV needs");
  expect(stderr).toContain("files that failed: 0; left in the inbox: 2");

  const map = operator.write("map.json", JSON.stringify({ columns: { id: "source_ref", naam: "name" } }));
  const put = ["source", "map", "fleet", map, "--encoding", "latin1", "--json"];
  expect(JSON.parse(await operator.ok(put))).toMatchObject({
    encoding: "windows-1252",
    map: { columns: { id: "source_ref" } },
  });
  expect(JSON.parse(await operator.ok(["source", "map", "fleet", "--json"]))).toMatchObject({
    encoding: "windows-1252",
    map: { columns: { naam: "name" } },
  });
  expect(await operator.ok(["source", "map", "fleet"])).toContain(
    '\n  "columns": {\n    "id": "source_ref",\n',
  );
  expect(
    await operator.refused(["source", "map", "fleet", operator.write("bad.json", '{"columns":{"a":"b"}}')]),
  ).toContain("FOLDER/bad.json: column map:");
  expect(await operator.refused(["source", "map", "nobody"])).toContain("nobody");
  expect((await operator.run(["inbox", "take", "--wait", "1", "--json"])).stdout).toContain(
    '"outcome":"failed"',
  );
  const reports = JSON.parse(await operator.ok(["inbox", "report", "fleet", "--json"]));
  expect(reports).toMatchObject([
    {
      file: "a.csv",
      outcome: "failed",
      reason: expect.stringContaining("column map: the file has no column"),
    },
  ]);
  expect(await operator.ok(["inbox", "report", "other"])).toBe("");
  expect(JSON.parse(await operator.ok(["source", "map", "fleet", "--remove", "--json"]))).toMatchObject({
    encoding: "utf-8",
    map: null,
  });
});
