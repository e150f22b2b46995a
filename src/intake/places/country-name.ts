const displayNames = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
const known = new Map<string, string>();

/** The English name of an ISO 3166-1 alpha-2 code (Unicode CLDR, as shipped with Node); the code itself when unknown. */
export function countryName(code: string): string {
  const name = known.get(code) ?? lookUp(code);
  known.set(code, name);
  return name;
}

function lookUp(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (displayNames.of(code) ?? code) : code;
}
