import { z } from "zod";
import { OperatorError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { concern, flag, httpUrl, path, secret, wholeNumber } from "./setting.ts";

export type SearchSettings =
  | { readonly kind: "brave"; readonly key: Secret; readonly url: string | undefined }
  | { readonly kind: "file"; readonly path: string };

/** Online checks of records. */
export const online = concern(
  {
    ONLINE_CHECKS_PER_NIGHT: wholeNumber(0, 100_000)
      .default(0)
      .describe("number of records that are looked up on the public web each night; 0: none"),
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
