import { z } from "zod";
import { concern, secret } from "./setting.ts";

/** The state database. */
export const state = concern(
  {
    STATE_URL: secret(
      z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" }),
      "PostgreSQL database of subscriptions, partners and usage; unset: `state.db` in PRESENCE_HOME",
    ),
  },
  (values) => ({ stateUrl: values.STATE_URL }),
);
