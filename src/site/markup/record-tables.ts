/** Tables of a record's page besides its observations. */

import { PresenceKind } from "../../contract/enums.ts";
import type { Asset } from "../../contract/records/asset.ts";
import type { EvidencePacket } from "../../contract/records/evidence.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { CITY_DAYS, cityDay, count, number, percent } from "../../render/words/format.ts";
import { ASSET_STATUS_WORDS, ASSET_TYPE_WORDS, KIND_WORDS } from "../../render/words/words.ts";
import { scrollTable } from "./parts.ts";

export function assetTable(assets: readonly Asset[]): SafeHtml {
  const caption = `“Not seen recently” never means that an asset is gone. Rejected rows are not counted. ${CITY_DAYS}`;
  return scrollTable(
    { label: "Assets", caption, stack: true },
    html`<thead>
      <tr>
        <th scope="col">Type</th><th scope="col">State</th><th scope="col" class="number">Observations</th>
        <th scope="col">First seen</th><th scope="col">Last seen</th><th scope="col">Asset</th>
      </tr>
    </thead>
    <tbody>
      ${assets.map(assetRow)}
    </tbody>`,
  );
}

function assetRow(asset: Asset): SafeHtml {
  return html`<tr>
    <th scope="row" class="nowrap">${ASSET_TYPE_WORDS[asset.asset_type]}</th>
    <td data-label="State">${ASSET_STATUS_WORDS[asset.status]}</td>
    <td class="number" data-label="Observations">${number(asset.observation_count)}${asset.counting_observation_count === 0 && asset.observation_count > 0 && html` <span class="under">none counts yet</span>`}</td>
    <td class="nowrap" data-label="First seen">${cityDay(asset.first_observed_on)}</td>
    <td class="nowrap" data-label="Last seen">${cityDay(asset.last_observed_on)}</td>
    <td class="full" data-label="Asset"><code>${asset.public_id}</code></td>
  </tr>`;
}

/** Observations by kind, in the order of the kinds, with the meaning of each. */
export function kindTable({ observations, evidence_claim_boundary: boundary }: EvidencePacket): SafeHtml {
  const texts = boundary.positive_result.presence_kinds;
  const rows = PresenceKind.options.map((kind) => {
    const found = observations.presence_mix.find(({ value }) => value === kind);
    if (found === undefined) return undefined;
    return html`<tr>
      <th scope="row">
        ${KIND_WORDS[kind]}
        <span class="under">${count(found.count, "observation", "observations")}, ${percent(found.share)}</span>
      </th>
      <td>${texts[kind]}</td>
    </tr>`;
  });
  return scrollTable(
    { label: "Observations by presence kind", caption: "Observations by kind, and the meaning of each kind" },
    html`<thead><tr><th scope="col">Kind</th><th scope="col">Meaning</th></tr></thead>
    <tbody>
      ${rows}
    </tbody>`,
  );
}
