import { stringify } from "csv-stringify/sync";
import { EXPLORER_COLUMNS, type ExplorerRow } from "../contract/explorer.ts";

/**
 * RFC 4180 text with the exact header of interface 4.8; an unknown value is an empty cell. Text that a spreadsheet would
 * run as a formula gets a leading apostrophe.
 */
export function csvText(rows: readonly ExplorerRow[]): string {
  return stringify([...rows], {
    header: true,
    columns: [...EXPLORER_COLUMNS],
    record_delimiter: "windows",
    escape_formulas: true,
    quoted_match: /[\r\n]/, // a lone CR or LF is no record delimiter here, so it would stay unquoted
  });
}
