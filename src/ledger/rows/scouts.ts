import type Database from "better-sqlite3";
import { z } from "zod";
import { claimDigest, digestTexts } from "./digests.ts";
import { changedRow } from "./stored-rows.ts";

type ScoutRow = [id: number, digests: Buffer, salts: Buffer, values: string];

const CHUNK = 5000;
const OBSERVER = "observer";
const Observer = z.object({ principal: z.string() });

/**
 * Row and principal of each live observation by a scout after `after` up to `upTo`, each proved by its digest. Private: for counting a
 * city's scouts only. Throws OperatorError naming a row whose private value was changed.
 */
export function* provedScouts(
  database: Database.Database,
  { after = 0, upTo }: { readonly after?: number; readonly upTo: number },
): Generator<readonly [row: number, principal: string]> {
  const chunk = database
    .prepare<[number, number, number], ScoutRow>(
      `SELECT r.id, r.digests, o.salts, o.private
       FROM rows r JOIN openings o ON o.row = r.id
       WHERE r.id > ? AND r.id <= ? AND r.kind = 'observation' AND o.private IS NOT NULL
         AND o.body ->> '$.source_type' = 'scout'
       ORDER BY r.id LIMIT ?`,
    )
    .raw();
  for (let from = after; ; ) {
    const rows = chunk.all(from, upTo, CHUNK);
    for (const row of rows) yield [row[0], provedPrincipal(row)];
    const last = rows.at(-1);
    if (last === undefined) return;
    from = last[0];
  }
}

/**
 * The same of rows that an earlier build proved, which takes a third of the time: `checkRows` proves their private values again, a share
 * each night. A row of another kind may be among them.
 */
export function* trustedScouts(
  database: Database.Database,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Generator<readonly [row: number, principal: string]> {
  const trusted = database
    .prepare<[number, number], [row: number, principal: unknown]>(
      `SELECT row, private ->> '$.${OBSERVER}.principal' FROM openings
       WHERE row > ? AND row <= ? AND private IS NOT NULL AND body ->> '$.source_type' = 'scout' ORDER BY row`,
    )
    .raw();
  for (const [row, principal] of trusted.all(after, upTo))
    if (typeof principal === "string") yield [row, principal];
}

function provedPrincipal([id, digests, salts, values]: ScoutRow): string {
  const claims: [string, unknown][] = Object.entries(JSON.parse(values));
  const index = claims.findIndex(([name]) => name === OBSERVER);
  const observer = claims[index]?.[1];
  // The body's salt is the first, the private values' follow in their order.
  const digest = claimDigest(salts, index + 1, { name: OBSERVER, json: JSON.stringify(observer) });
  const known = Observer.safeParse(observer);
  if (!known.success || !digestTexts(digests).includes(digest))
    throw changedRow(id, "its private observer does not fit its digests");
  return known.data.principal;
}
