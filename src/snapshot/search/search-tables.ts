/** Tables of the search index; all hold only what the public record shows. */
import { blob, integer, table, text } from "../../kernel/table.ts";

export const searchNames = table("search_names", {
  public: { position: integer().primaryKey(), folded: text() },
});

export const searchTerms = table("search_terms", {
  public: { term: text().primaryKey(), id: integer(), records: integer() },
  withoutRowid: true,
});

export const searchBlocks = table("search_blocks", {
  public: { key: integer().primaryKey(), offsets: blob() },
});

export const searchKeys = table("search_keys", {
  public: { key: text(), block: integer(), offsets: blob() },
  primaryKey: ["key", "block"],
});

export const SEARCH_TABLES = [searchNames, searchTerms, searchBlocks, searchKeys];
