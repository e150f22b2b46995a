import { openFigures, readFigures, writeFigures } from "../../../src/build/figures/signed-figures.ts";
import { currentRelease } from "../../../src/build/stages/publish.ts";
import type { Home } from "../../../src/kernel/home.ts";
import { openLedgerReader } from "../../../src/ledger/reader.ts";
import { records } from "./figures.ts";

/** Lets the published release say, signed, that it had more records in a city: a program or a disk that loses records shows like this. */
export function addLostRecords(home: Home, city: string, count: number): void {
  const directory = currentRelease(home) ?? "";
  using reader = openLedgerReader(home.ledger);
  const figures = openFigures(readFigures(directory), (note) => reader.openManifestNote(note));
  const cities = figures.cities.map((each) =>
    each.city === city ? { ...each, records: [...each.records, ...records(count, FIRST)] } : each,
  );
  const signer = reader.manifestSigner(home.keys);
  writeFigures(directory, { ...figures, cities }, reader.meta.origin, (text) => signer.sign(text));
}

const FIRST = 9001; // beyond the rows of the tests' ledgers
