import { z } from "zod";
import { concern, path, wholeNumber } from "./setting.ts";

/** The home folder, and how releases are built in it. */
export const build = concern(
  {
    PRESENCE_HOME: path
      .default("./var")
      .describe("folder of the service's data: ledger, keys, state and releases"),
    COMPILED_PAGES: path
      .optional()
      .describe(
        "folder in which builds and servers keep the compiled pages; on the disk of PRESENCE_HOME, and for one installed program only; unset: `compiled-pages` in PRESENCE_HOME",
      ),
    RELEASES_KEPT: wholeNumber(1, 365)
      .default(7)
      .describe("number of releases that are kept, so that paging cursors stay valid"),
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
    purgeHook: values.PURGE_HOOK,
    sourceRevision: values.SOURCE_REVISION,
  }),
);
