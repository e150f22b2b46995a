import { z } from "zod";
import { concern, path, secret } from "./setting.ts";

/** The state database. */
export const state = concern(
  {
    STATE_URL: secret(
      z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" }),
      "PostgreSQL database of subscriptions, partners and usage; unset: `state.db` in PRESENCE_HOME",
    ),
    STATE_FOLDER: path
      .optional()
      .describe(
        "folder of `state.db` and `state.key`, which its group may use, so that the server runs as another user than the one who has ledger and keys; unset: PRESENCE_HOME, for one user",
      ),
  },
  (values) => ({ stateUrl: values.STATE_URL, stateFolder: values.STATE_FOLDER }),
);
