import { OPEN_LICENSE, SERVICE } from "../../contract/records/claim-boundary.ts";
import { isoDate } from "../../kernel/time.ts";

interface LicenceFacts {
  readonly baseUrl: string; // without a slash at its end
  readonly asOf: number;
}

/** How whoever uses the aggregates names their source. */
export function attributionText({ baseUrl, asOf }: LicenceFacts): string {
  return `${SERVICE}, data as of ${isoDate(asOf)}, ${baseUrl}/ (${OPEN_LICENSE.name}, ${OPEN_LICENSE.url})`;
}

/** `/exports/LICENSE.txt`. */
export function exportLicence(facts: LicenceFacts): string {
  return `The files in this folder and in cells/ are licensed under the
${OPEN_LICENSE.title} licence (${OPEN_LICENSE.name}):
${OPEN_LICENSE.url}

You may share and adapt them for any purpose, if you name the source and say
whether you changed the figures. Name the source like this:

  ${attributionText(facts)}

Two files are about single records and not under that licence: changes.json and
changes.csv. For them the terms of the service hold: ${facts.baseUrl}/terms/

The figures count what was observed. A missing or low number never proves absence.
`;
}
