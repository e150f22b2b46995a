import { z } from "zod";
import type { JsonValue } from "../../kernel/text/canonical-json.ts";
import type { NewIds, OpenRow } from "../../ledger/append-again.ts";
import type { LiveObserver } from "../../ledger/rows/live-rows.ts";
import type { NewRow, ObservationBody } from "../../ledger/rows/rows.ts";
import { coarseObservation, type Precision } from "./coarse-observation.ts";
import type { TagMapper } from "./tag-mapper.ts";

interface CoarseContext {
  /** By the slug of a city. */
  readonly precisionIn: (city: string) => Precision;
  readonly tags: TagMapper;
}

/** A row as intake would write it today, with the references to other rows that are appended again. Keeps all private values. */
export function coarseRow(row: OpenRow, ids: NewIds, { precisionIn, tags }: CoarseContext): NewRow {
  const { earlier } = row;
  const id = (old: number) => ids.get(old) ?? old;
  const hidden = row.private === undefined ? {} : { private: row.private };
  switch (row.kind) {
    case "record":
      return { kind: row.kind, ...recordValues(row, id) };
    case "asset":
      return { kind: row.kind, body: { ...row.body, earlier, record: id(row.body.record) }, ...hidden };
    case "observation": {
      const { record, asset } = row.body;
      const body = {
        ...coarseObservation(row.body, precisionIn(row.body.city)),
        earlier,
        asset: id(asset),
        record: id(record),
        observer_tag: tags.tag(observerOf(row.body, row.private), id(record)),
      };
      return { kind: row.kind, body, ...hidden };
    }
    case "review": {
      const { target, into, tags: old } = row.body;
      const merged = old !== null && into !== null ? tags.merged(old, { target, into }, ids) : old;
      const body = {
        ...row.body,
        earlier,
        target: id(target),
        into: into === null ? null : id(into),
        tags: merged,
      };
      return { kind: row.kind, body, ...hidden };
    }
    case "identity":
      return { kind: row.kind, body: { ...row.body, earlier, record: id(row.body.record) }, ...hidden };
    case "recount": {
      const { target, tags: old } = row.body;
      const changed = old === null ? null : tags.changed(old, target, ids);
      return { kind: row.kind, body: { ...row.body, tags: changed, target: id(target) }, ...hidden };
    }
    case "status":
      return { kind: row.kind, body: { ...row.body, earlier, record: id(row.body.record) }, ...hidden };
  }
}

/** Match candidates are private today, and a row says only that its match waits for review. */
function recordValues(
  { body, earlier, ...row }: Extract<OpenRow, { kind: "record" }>,
  id: (old: number) => number,
) {
  const { match_candidates: shown = [], match_review, ...kept } = body;
  const known = z.array(z.int()).parse(row.private?.["match_candidates"] ?? shown);
  const hidden = known.length > 0 ? { ...row.private, match_candidates: known.map(id) } : row.private;
  return {
    body: { ...kept, earlier, match_review: match_review ?? shown.length > 0 },
    ...(hidden !== undefined && { private: hidden }),
  };
}

function observerOf(
  { source_type, observer_tag, counts }: ObservationBody,
  hidden: Readonly<Record<string, JsonValue>> | undefined,
): LiveObserver {
  const { observer = null, source_ref } = Hidden.parse(hidden ?? {});
  const source = typeof source_ref === "object" ? source_ref.source : null;
  return { observer, sourceType: source_type, source, tag: observer_tag, isFromBefore: counts === undefined };
}

const Hidden = z.object({
  observer: z.string().optional(),
  source_ref: z.union([z.string(), z.object({ source: z.string() })]).optional(),
});
