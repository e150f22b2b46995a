import { z } from "zod";
import { RecordDocuments } from "../record-documents.ts";
import { concern, oneOf, path, wholeNumber } from "./setting.ts";

function percent(fallback: number) {
  return wholeNumber(1, 100).default(fallback);
}

/** The home folder, and how releases are built in it. */
export const build = concern(
  {
    PRESENCE_HOME: path
      .default("./var")
      .describe("folder of the service's data: ledger, keys, state and releases"),
    COMPILED_PAGES: path
      .optional()
      .describe(
        "folder in which builds and servers keep the compiled pages; on the disk of PRESENCE_HOME, and for one installed program only; unset: `night/compiled-pages` in PRESENCE_HOME",
      ),
    RELEASES_KEPT: wholeNumber(1, 365)
      .default(7)
      .describe("number of releases that are kept, so that paging cursors stay valid"),
    RECORD_DOCUMENTS: oneOf(RecordDocuments.options)
      .default("files")
      .describe(
        "`files`: a release has a file for each document of a record; `on-demand`: the server makes these from the snapshot, which is published for whoever wants to check them",
      ),
    HOLD_RECORDS_GONE: percent(5).describe(
      "a release is held if more than this share (percent) of the records, of a city or of all, is gone; 100: never",
    ),
    HOLD_SCORES_MOVED: percent(50).describe(
      "the same for records whose score moved by more than 10 points, beyond ageing",
    ),
    HOLD_RANKS_MOVED: percent(50).describe(
      "the same for ranked records that lost their rank, or moved by more than 3 places and a tenth of the ranking, beyond ageing",
    ),
    HOLD_COVERAGE_MOVED: percent(30).describe(
      "the same for eligible cells that came into the coverage or left it, and for cities with another coverage level, beyond ageing",
    ),
    HOLD_FLOOR: wholeNumber(1, 1_000_000)
      .default(10)
      .describe("fewer records or cells than these never hold a release, whatever their share"),
    PURGE_HOOK: z
      .string()
      .regex(
        /^(\/[^\0]*|https:\/\/\S+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/\S*)?)$/,
        "must be the absolute path of a program, an https:// address, or an http:// address of this machine",
      )
      .optional()
      .describe(
        "program or address that gets the list of addresses that caches must drop after an erasure; unset: none",
      ),
    SOURCE_REVISION: z
      .string()
      .max(100)
      .optional()
      .describe("revision of the source code, for a checkout without .git"),
  },
  (values) => ({
    home: values.PRESENCE_HOME,
    compiledPages: values.COMPILED_PAGES,
    releasesKept: values.RELEASES_KEPT,
    recordDocuments: values.RECORD_DOCUMENTS,
    holdBounds: {
      recordsGone: values.HOLD_RECORDS_GONE,
      scoresMoved: values.HOLD_SCORES_MOVED,
      ranksMoved: values.HOLD_RANKS_MOVED,
      coverageMoved: values.HOLD_COVERAGE_MOVED,
      floor: values.HOLD_FLOOR,
    },
    purgeHook: values.PURGE_HOOK,
    sourceRevision: values.SOURCE_REVISION,
  }),
);

/** What the site says about its operator. */
export const operator = concern(
  {
    SECURITY_CONTACT: z
      .url({ protocol: /^(https|mailto)$/, error: "must be a mailto: or https:// address" })
      .regex(/^[!-~]+$/, "must be printable ASCII without spaces")
      .optional()
      .describe(
        "contact for security reports, mailto: or https://, published in security.txt; unset: no such file",
      ),
    OPERATOR_NAME: z
      .string()
      .max(200)
      .regex(/^(?=.*\S)\P{Cc}+$/u, "must be one line of text")
      .optional()
      .describe("name of the site's operator, as shown on its pages; unset: the pages give no name"),
    OPERATOR_TEXTS: path
      .optional()
      .describe(
        "folder with the operator's own texts for the pages, any of `about.md`, `licence.md`, `privacy.md`, `terms.md`; unset: none",
      ),
    INCIDENTS_FILE: path
      .optional()
      .describe(
        "JSON file with the incidents shown on the status page; unset: `night/incidents.json` in PRESENCE_HOME, if it exists",
      ),
  },
  (values) => ({
    securityContact: values.SECURITY_CONTACT,
    operatorName: values.OPERATOR_NAME?.trim(),
    operatorTexts: values.OPERATOR_TEXTS, // folder
    incidentsFile: values.INCIDENTS_FILE,
  }),
);
