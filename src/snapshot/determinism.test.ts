import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { APPLICATION_ID_OF_1X, PUBLIC_COLUMNS } from "./schema.ts";
import { isReadable, openSnapshot } from "./snapshot.ts";

const AS_OF = "2026-05-01T13:00:00Z";

function town() {
  const town = new TestTown();
  town.city("toronto");
  for (const name of ["Alpha", "Beta", "Gamma"]) {
    const record = town.record(name);
    const asset = town.asset(record);
    for (const observer of ["a", "b", "c"]) town.see(record, asset, observer, "2026-04-28T10:00:00Z");
  }
  return town;
}

describe("a snapshot is a function of its inputs", () => {
  test("the same ledger gives the same bytes", () => {
    using once = town();
    const size = once.seal();
    const [first, again] = [once.build(size, AS_OF), once.build(size, AS_OF)];
    expect(readFileSync(again.path).equals(readFileSync(first.path))).toBe(true);
  });

  test("another ledger of the same rows, in another folder, gives the same bytes", () => {
    using one = town();
    using other = town();
    const [first, second] = [one.build(one.seal(), AS_OF), other.build(other.seal(), AS_OF)];
    expect(other.ledger.folder).not.toBe(one.ledger.folder);
    expect(readFileSync(second.path).equals(readFileSync(first.path))).toBe(true);
  });

  test("an earlier tree size is rebuilt byte for byte after the ledger has grown", () => {
    using grown = town();
    const size = grown.seal();
    const before = grown.build(size, AS_OF);
    grown.at("2026-05-03T12:00:00Z");
    const late = grown.record("Late");
    grown.see(late, grown.asset(late), "a", "2026-05-02T10:00:00Z");
    grown.review("flag", late);
    grown.seal();
    const rebuilt = grown.build(size, AS_OF);
    expect(rebuilt.releaseId).toBe(before.releaseId);
    expect(readFileSync(rebuilt.path).equals(readFileSync(before.path))).toBe(true);
  });

  test("each input has a part in the release id", () => {
    using one = town();
    const size = one.seal();
    const ids = [
      one.build(size, AS_OF),
      one.build(size, "2026-05-02T13:00:00Z"),
      one.build(size, AS_OF, { baseUrl: "https://elsewhere.example" }),
      one.build(size, AS_OF, { sourceRevision: "other" }),
      one.build(size, AS_OF, { reference: { gazetteer: [], industries: [] } }),
    ].map(({ releaseId }) => releaseId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("a city's snapshot id changes with its own content only", () => {
    using grown = town();
    grown.city("chicago", { lat: 41.88, lng: -87.63 });
    const before = grown.snapshot(AS_OF);
    const record = grown.record("Delta", { city: "chicago" });
    const asset = grown.asset(record);
    for (const observer of ["a", "b", "c", "d"])
      grown.see(record, asset, observer, "2026-04-30T10:00:00Z", { city: "chicago" });
    const after = grown.snapshot(AS_OF);
    expect(after.record("demo_alpha")?.position).toBe(2); // Delta is displayed before it now
    expect(after.city("toronto")?.snapshotId).toBe(before.city("toronto")?.snapshotId);
    expect(after.city("chicago")?.snapshotId).not.toBe(before.city("chicago")?.snapshotId);
  });

  test("a city's snapshot id changes with the time that its lists are derived as of", () => {
    using one = town();
    const size = one.seal();
    const ids = [AS_OF, AS_OF, "2026-05-03T12:00:01Z"].map((asOf) => {
      const snapshot = openSnapshot(one.build(size, asOf).path);
      const id = snapshot.city("toronto")?.snapshotId;
      snapshot.close();
      return id;
    });
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});

describe("nothing private is in it", () => {
  test("its tables have exactly the columns marked public", () => {
    using one = town();
    using db = new Closing(one.build(one.seal(), AS_OF).path);
    const real = db
      .prepare<[], [string, string]>(
        "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'",
      )
      .raw()
      .all()
      .map(([table, column]) => `${table}.${column}`);
    expect(real.toSorted()).toEqual(PUBLIC_COLUMNS.toSorted());
  });

  test("no private value of any row is anywhere in the file", () => {
    using one = town();
    const text = readFileSync(one.build(one.seal(), AS_OF).path, "latin1");
    expect(text).toContain("Alpha");
    for (const secret of ["SECRET", "43.651", "-79.381"]) expect(text).not.toContain(secret);
  });
});

describe("opening a snapshot", () => {
  test("says what is wrong with a missing file, another file and another version", () => {
    using one = town();
    const { path } = one.build(one.seal(), AS_OF);
    expect(() => openSnapshot(`${path}.gone`)).toThrow(/file not found/);
    expect(() => openSnapshot(one.ledger.path)).toThrow(/it is not the snapshot of a release/);
    writeFileSync(`${path}.text`, "this is a text and no database at all".repeat(50));
    expect(() => openSnapshot(`${path}.text`)).toThrow(/no readable snapshot there/);
    using db = new Closing(path, { readonly: false });
    expect(isReadable(path)).toBe(true);
    db.pragma("user_version = 99");
    expect(isReadable(path)).toBe(false);
    expect(() => openSnapshot(path)).toThrow("written by a newer version of presence (format 99;");
    db.pragma(`application_id = ${APPLICATION_ID_OF_1X}`);
    expect(isReadable(path)).toBe(false);
    expect(() => openSnapshot(path)).toThrow(/written by presence 1\.x, .*: run `presence build`/);
  });
});

class Closing extends Database {
  constructor(path: string, options: Database.Options = { readonly: true }) {
    super(path, options);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
