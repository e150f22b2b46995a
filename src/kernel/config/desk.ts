import { z } from "zod";
import { concern, port, shown } from "./setting.ts";

/** The review desk in the browser. */
export const desk = concern(
  {
    DESK_PORT: port.default(4322).describe("port that the review desk listens on"),
    DESK_URL: z
      .url({ error: "must be an https:// address" })
      .regex(
        /^(https:\/\/[^/?#@]+|http:\/\/localhost(:\d+)?)\/?$/,
        "must be an https:// address without a path; http:// for localhost alone",
      )
      .optional()
      .describe(
        "public address of the review desk, on a host of its own, which its passkeys belong to; unset: http://localhost:DESK_PORT",
      )
      .meta(shown()),
  },
  (values) => ({
    desk: {
      port: values.DESK_PORT,
      origin: values.DESK_URL === undefined ? undefined : new URL(values.DESK_URL).origin,
    },
  }),
);
