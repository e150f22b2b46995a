import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Operator } from "../../../tests/support/operations/operator.ts";

test("files that cannot be what they are taken for are told as what they are, with what to do", async () => {
  using operator = new Operator();
  mkdirSync(join(operator.folder, "folder"));
  for (const [name, text] of [
    ["visits.csv", "id,name\n1,Bella\n"],
    ["lines.ndjson", '{"name":"Bella","lat":1}\n'],
    ["empty.csv", "\n"],
    ["words.csv", "no table\n"],
  ] as const)
    operator.write(name, text);
  for (const [args, said] of [
    [
      ["ingest", "visits.csv"],
      "visits.csv: CSV needs a column map: `presence map suggest visits.csv > map.json` writes one",
    ],
    [["ingest", "folder"], "folder: it is a folder: name the files in it, for example folder/*.csv"],
    [["map", "suggest", "folder"], "folder: it is a folder"],
    [["map", "suggest", "nowhere.csv"], "nowhere.csv: file not found"],
    [["map", "suggest", "lines.ndjson"], "lines of JSON, which need no column map"],
    [["map", "suggest", "empty.csv"], "the file is empty"],
    [["map", "suggest", "words.csv"], "no table found"],
    [["industry", "search", "xyzzy"], "no industry fits “xyzzy”: try an English word"],
  ] as const)
    expect(await operator.refused([...args]), args.join(" ")).toContain(said);
  for (const word of ["slagerij", "piekarnia", "パン屋"])
    expect(await operator.ok(["industry", "search", word]), word).toMatch(/^4721 /);
});
