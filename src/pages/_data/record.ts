import { entity } from "../../resources/entity.ts";
import { evidence } from "../../resources/evidence.ts";
import { context } from "./site.ts";

/** Everything a record's page shows. */
export function recordPage(publicId: string) {
  const path = { public_id: publicId };
  const found = entity.read(context, path, {});
  const packet = evidence.read(context, path, {});
  const entityUrl = `/api/v1/entity/${publicId}`;
  return {
    entity: found.entity,
    assets: found.assets,
    stats: found.stats,
    standing: found.presence_score,
    online: found.online_presence,
    confidenceNote: found.coverage_confidence.note,
    packet,
    urls: {
      entity: entityUrl,
      evidence: `${entityUrl}/evidence`,
      score: `/api/v1/presence-score/${publicId}`,
      observations: `/api/v1/observations/${publicId}`,
      cityRss: `/pulse/${packet.record.city}/rss.xml`,
    },
  };
}
