import { z } from "zod";
import { concern, wholeNumber } from "./setting.ts";

const share = z
  .string()
  .refine((text) => text.trim() !== "" && Number(text) >= 0 && Number(text) <= 1, {
    error: ({ input }) => `must be a share from 0 to 1 (got ${String(input)})`,
  })
  .transform(Number);

/** The bounds of what comes in: a batch outside them waits for the operator. */
export const intake = concern(
  {
    BRAKE: z
      .enum(["on", "off"], { error: ({ input }) => `must be one of on, off (got ${String(input)})` })
      .default("on")
      .describe("off: no batch is held back before the seal"),
    BRAKE_LINES_FACTOR: wholeNumber(1, 1000)
      .default(5)
      .describe("lines of a source in one night, as a multiple of the largest of the 28 nights before"),
    BRAKE_MAX_REJECTED: share
      .optional()
      .describe("largest share of a batch's lines that may be rejected; unset: learnt"),
    BRAKE_MAX_NEW_NAMES: share
      .optional()
      .describe("largest share of a batch's lines with names that no night before had; unset: learnt"),
    BRAKE_MAX_NEW_CELLS: share
      .optional()
      .describe("largest share of a batch's lines in map cells that no night before had; unset: learnt"),
    SOURCE_SILENT_DAYS: wholeNumber(1, 365)
      .default(7)
      .describe("days without a line after which `presence doctor` and the metrics name a source"),
  },
  (values) => ({
    brake:
      values.BRAKE === "off"
        ? undefined
        : {
            linesFactor: values.BRAKE_LINES_FACTOR,
            maxRejected: values.BRAKE_MAX_REJECTED,
            maxNewNames: values.BRAKE_MAX_NEW_NAMES,
            maxNewCells: values.BRAKE_MAX_NEW_CELLS,
          },
    sourceSilentDays: values.SOURCE_SILENT_DAYS,
  }),
);
