import { OPEN_LICENSE, SERVICE } from "../../contract/records/claim-boundary.ts";
import { isoDate } from "../../kernel/time.ts";

interface LicenceFacts {
  readonly baseUrl: string; // no trailing slash
  readonly asOf: number;
}

/** Attribution line for the aggregates. */
export function attributionText({ baseUrl, asOf }: LicenceFacts): string {
  return `${SERVICE}, data as of ${isoDate(asOf)}, ${baseUrl}/ (${OPEN_LICENSE.name}, ${OPEN_LICENSE.url})`;
}

/** `/exports/LICENSE.txt`. */
export function exportLicence(facts: LicenceFacts): string {
  return `The files in this folder and in cells/ are licensed under the
${OPEN_LICENSE.title} license (${OPEN_LICENSE.name}):
${OPEN_LICENSE.url}

You may share and adapt them for any purpose if you name the source and state
whether you changed the figures. Use this attribution:

  ${attributionText(facts)}

Two files contain single records and are not under this license: changes.json and
changes.csv. The terms of the service apply to them: ${facts.baseUrl}/terms/

The figures count what was observed. A missing or low number never proves absence.
`;
}
