import { z } from "zod";
import { OperatorError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { Strictness } from "../strictness.ts";
import { concern, flag, httpUrl, oneOf, path, secret, shown, wholeNumber } from "./setting.ts";

// A version could say anything about a device or its driver: those that are published have no spaces and no long texts.
const MODEL = /^[a-z_]+:[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

const models = z
  .string()
  .transform((text) => text.split(",").map((entry) => entry.trim()))
  .superRefine((entries, { addIssue }) => {
    for (const entry of entries)
      if (!MODEL.test(entry))
        addIssue(
          `must be a list of <source type>:<version>, as fleet_cam:signreader-2.4; a version has at most 40 letters, digits, dots, hyphens and underscores (got ${entry})`,
        );
  })
  .transform((entries) => new Set(entries));

/** What is taken in. */
export const intake = concern(
  {
    STRICTNESS: oneOf(Strictness.options)
      .default("normal")
      .describe(
        "how readily a batch is held back before its seal, and a release before it is published: `strict`, `normal`, or `off` for never",
      )
      .meta(shown()),
    RECOGNITION_MODELS: models
      .default(new Set())
      .describe(
        "versions of recognition models that are published with the lines taken in from now on, with the type of their source: fleet_cam:signreader-2.4,fleet_cam:signreader-2.5",
      )
      .meta(shown()),
    SOURCE_SILENT_DAYS: wholeNumber(1, 365)
      .default(7)
      .describe("days without a line after which `presence doctor` and the metrics name a source"),
  },
  (values) => ({
    strictness: values.STRICTNESS,
    models: values.RECOGNITION_MODELS,
    sourceSilentDays: values.SOURCE_SILENT_DAYS,
  }),
);

export type SearchSettings =
  | { readonly kind: "brave"; readonly key: Secret; readonly url: string | undefined }
  | { readonly kind: "file"; readonly path: string };

/** Online checks of records. */
export const online = concern(
  {
    ONLINE_CHECKS_PER_NIGHT: wholeNumber(0, 100_000)
      .default(0)
      .describe("number of records that are looked up on the public web each night; 0: none")
      .meta(shown()),
    SEARCH_API_KEY: secret(
      z.string().regex(/^[!-~]{8,200}$/, "must be 8 to 200 printable characters"),
      "key of the Brave Search API, which finds names; unset: only published websites are checked",
    ),
    SEARCH_API_URL: httpUrl.optional().describe("address of that API, if it is not Brave's own"),
    SEARCH_FILE: path
      .optional()
      .describe("JSON file with answers to searches, in place of the API; for tests and offline use"),
    SEARCH_PHONES: flag.describe(
      "`true`: the search API is also asked for telephone numbers of records, which are private",
    ),
  },
  (values) => ({
    online: {
      checksPerNight: values.ONLINE_CHECKS_PER_NIGHT,
      search: searchSettings(values.SEARCH_API_KEY, values.SEARCH_API_URL, values.SEARCH_FILE),
      phones: values.SEARCH_PHONES,
    },
  }),
);

function searchSettings(
  key: Secret | undefined,
  url: string | undefined,
  file: string | undefined,
): SearchSettings | undefined {
  if (file !== undefined && key !== undefined)
    throw new OperatorError("environment variables SEARCH_FILE and SEARCH_API_KEY: set only one of them");
  if (file !== undefined) return { kind: "file", path: file };
  return key === undefined ? undefined : { kind: "brave", key, url };
}
