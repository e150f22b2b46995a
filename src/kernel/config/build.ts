import { z } from "zod";
import { RecordDocuments } from "../record-documents.ts";
import { concern, oneOf, path, shown, wholeNumber } from "./setting.ts";

/** The home folder, and how releases are built in it. */
export const build = concern(
  {
    PRESENCE_HOME: path
      .default("./var")
      .describe("folder of the service's data: ledger, keys, state and releases")
      .meta(shown("/srv/presence")),
    PRESENCE_SETTINGS: path
      .optional()
      .describe(
        "settings file, which the option `--settings` names, too: `/etc/presence/presence.toml` where the manual was followed; unset: none",
      ),
    COMPILED_PAGES: path
      .optional()
      .describe(
        "folder in which builds and servers keep the compiled pages; on the disk of PRESENCE_HOME, and for one installed program only; unset: `night/compiled-pages` in PRESENCE_HOME",
      ),
    RELEASES_KEPT: wholeNumber(1, 365)
      .default(7)
      .describe("number of releases that are kept, so that paging cursors stay valid")
      .meta(shown()),
    RECORD_DOCUMENTS: oneOf(RecordDocuments.options)
      .default("files")
      .describe(
        "`files`: a release has a file for each document of a record; `on-demand`: the server makes these from the snapshot, which is published for whoever wants to check them",
      )
      .meta(shown()),
    PURGE_HOOK: z
      .string()
      .regex(
        /^(\/[^\0]*|https:\/\/\S+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/\S*)?)$/,
        "must be the absolute path of a program, an https:// address, or an http:// address of this machine",
      )
      .optional()
      .describe(
        "program or address that gets the list of addresses that caches must drop after an erasure; unset: none",
      )
      .meta(shown()),
    SOURCE_REVISION: z
      .string()
      .max(100)
      .optional()
      .describe("revision of the source code, for a checkout without .git"),
  },
  (values) => ({
    home: values.PRESENCE_HOME,
    settingsFile: values.PRESENCE_SETTINGS,
    compiledPages: values.COMPILED_PAGES,
    releasesKept: values.RELEASES_KEPT,
    recordDocuments: values.RECORD_DOCUMENTS,
    purgeHook: values.PURGE_HOOK,
    sourceRevision: values.SOURCE_REVISION,
  }),
);

/** Neither control characters, breaks and marks that turn the direction of text, nor markup. */
const SITE_NAME = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069<>`[\]{}|\\]+$/u;

/** What the site says about its operator. */
export const operator = concern(
  {
    SECURITY_CONTACT: z
      .url({ protocol: /^(https|mailto)$/, error: "must be a mailto: or https:// address" })
      .regex(/^[!-~]+$/, "must be printable ASCII without spaces")
      .optional()
      .describe(
        "contact for security reports, mailto: or https://, published in security.txt; unset: no such file",
      )
      .meta(shown("mailto:security@example.org")),
    OPERATOR_NAME: z
      .string()
      .max(200)
      .regex(/^(?=.*\S)\P{Cc}+$/u, "must be one line of text")
      .optional()
      .describe("name of the site's operator, as shown on its pages; unset: the pages give no name")
      .meta(shown("Tiny Watch Ltd")),
    SITE_NAME: z
      .string()
      .trim()
      .max(60)
      .regex(SITE_NAME, "must be one line of plain text without < > ` [ ] { } | and \\")
      .optional()
      .describe(
        "name of the service on pages, in feeds, emails, citations and documents for machines; set it before the first release; unset: Physical Presence Evidence Service",
      )
      .meta(shown()),
    OPERATOR_TEXTS: path
      .optional()
      .describe(
        "folder with the operator's own texts for the pages, any of `about.md`, `licence.md`, `privacy.md`, `terms.md`; unset: none",
      )
      .meta(shown()),
    INCIDENTS_FILE: path
      .optional()
      .describe(
        "JSON file with the incidents shown on the status page; unset: `night/incidents.json` in PRESENCE_HOME, if it exists",
      ),
  },
  (values) => ({
    securityContact: values.SECURITY_CONTACT,
    operatorName: values.OPERATOR_NAME?.trim(),
    siteName: values.SITE_NAME,
    operatorTexts: values.OPERATOR_TEXTS, // folder
    incidentsFile: values.INCIDENTS_FILE,
  }),
);
