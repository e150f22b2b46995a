import type Database from "better-sqlite3";
import { openOfFormat } from "../../../src/ledger/database/ledger-file.ts";
import { type LedgerWriter, openLedgerWriter, type WriterOptions } from "../../../src/ledger/writer.ts";

const connections = new WeakMap<LedgerWriter, Database.Database>();

/** A writer whose own connection `rawLedger` hands to tests, which change what the program never would. */
export function openRawWriter(path: string, options: WriterOptions): LedgerWriter {
  const opened: Database.Database[] = [];
  const open: typeof openOfFormat = (...args) => {
    const database = openOfFormat(...args);
    opened.push(database);
    return database;
  };
  const writer = openLedgerWriter(path, { ...options, open });
  for (const database of opened) connections.set(writer, database);
  return writer;
}

export function rawLedger(writer: LedgerWriter): Database.Database {
  const database = connections.get(writer);
  if (database === undefined) throw new Error("the writer was not opened by openRawWriter");
  return database;
}
