import { findIndustry } from "../../contract/cities/industry.ts";

/**
 * SQL condition: the bound `:industry` is null, or the row's ISIC code is that code or below it. A section letter is compared
 * with the column `industry_section`; below a division or group lie the codes that begin with its digits (":" follows "9").
 */
export function industryCondition(column: string): string {
  const section = column.replace(/industry$/, "industry_section");
  return `(:industry IS NULL OR ${section} = :industry OR (${column} >= :industry AND ${column} < :industry || ':'))`;
}

const NO_INDUSTRY = "unknown";

/** The value to bind for a filter: null for none, and one that no row has for what is not an ISIC code. */
export function industryValue(filter: string | undefined): string | null {
  if (filter === undefined) return null;
  return findIndustry(filter) === undefined ? NO_INDUSTRY : filter;
}
