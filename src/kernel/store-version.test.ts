import { expect, test } from "vitest";
import { OperatorError } from "./errors.ts";
import { assertStoreVersion, OtherStoreVersion, type StoreFormat, VERSION_OF_1X } from "./store-version.ts";

const FORMAT: StoreFormat = { store: "ledger", version: 4, oldest: 3, remedy: "start with an empty folder" };

test.each([3, 4])("version %i is read", (version) => {
  expect(() => assertStoreVersion("var/ledger.db", FORMAT, version)).not.toThrow();
});

test.each([
  [
    5,
    "var/ledger.db: the ledger was written by a newer version of presence (format 5; this one reads up to 4): install that version, or a later one",
  ],
  [
    2,
    "var/ledger.db: the ledger was written by an older version of presence (format 2; this one reads from 3): start with an empty folder",
  ],
  [
    VERSION_OF_1X,
    "var/ledger.db: the ledger was written by presence 1.x, whose formats no later version reads: start with an empty folder",
  ],
])("version %i is refused in one sentence", (version, sentence) => {
  const refused = new OtherStoreVersion("var/ledger.db", FORMAT, version);
  expect(refused).toBeInstanceOf(OperatorError);
  expect(refused).toMatchObject({ message: sentence, version, isNewer: version === 5 });
  expect(() => assertStoreVersion("var/ledger.db", FORMAT, version)).toThrow(sentence);
});
