import { NO_DELIVERY } from "../../../src/contract/accounts/delivery.ts";
import type { ReleaseManifest } from "../../../src/proof/audit/release-manifest.ts";

/** What a release of the first `size` rows says that it was made from. */
export function fakeInputs(
  origin: string,
  size: number,
  changes: Partial<ReleaseManifest["inputs"]> = {},
): ReleaseManifest["inputs"] {
  return {
    activity_sha256: null,
    as_of: "2026-05-01T00:00:00Z",
    base_url: "https://example.org",
    compared_release: null,
    delivery: NO_DELIVERY,
    demand_sha256: null,
    environment: "demo",
    incidents_sha256: null,
    last_sealed_row: size,
    operator_name: null,
    operator_texts_sha256: null,
    origin,
    pending_lines: 0,
    reference_sha256: "",
    reports_sha256: null,
    security_contact: null,
    source_revision: "test",
    tree_size: size,
    ...changes,
  };
}
