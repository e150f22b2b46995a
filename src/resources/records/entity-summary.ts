import type { PlacePrecision } from "../../contract/enums.ts";
import type { EntitySummary } from "../../contract/records/entity.ts";
import type { CityRow, RecordRow } from "../../snapshot/rows.ts";
import { recordUrl } from "../links.ts";
import { observedSpan, timeOrNull } from "../plain-values.ts";
import { identityHierarchy } from "./identity.ts";
import { standingWire } from "./standing-wire.ts";

/** Mobile assets publish no place within their city. */
export function placePrecision({ cellCount }: Pick<RecordRow, "cellCount">): PlacePrecision {
  return cellCount > 0 ? "cell" : "city";
}

/** Summary of a Presence Record: used in search results and rankings, and as the base of Entity (interface 2.2). */
export function entitySummary(record: RecordRow, city: CityRow | undefined, baseUrl: string): EntitySummary {
  return {
    public_id: record.publicId,
    name: record.name,
    city: city?.name ?? null,
    industry: record.industry,
    status: record.status,
    record_status: record.recordStatus,
    identity_status: record.identityStatus,
    is_synthetic: record.isSynthetic,
    ...standingWire(record),
    ...observedSpan(record, city?.lng),
    place_precision: placePrecision(record),
    online_presence: record.onlineVerdict,
    online_presence_checked_at: timeOrNull(record.online.checkedAt),
    record_url: recordUrl(baseUrl, record.publicId),
    entity_row: record.id,
    record_type: "presence_record",
    identity_hierarchy: identityHierarchy(record.identity),
  };
}
