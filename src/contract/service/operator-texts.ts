import { z } from "zod";

/** Pages to which the operator can add a text, each from a file `NAME.md`. */
export const OPERATOR_TEXT_NAMES = ["about", "licence", "privacy", "terms"] as const;
export const OperatorTextName = z.enum(OPERATOR_TEXT_NAMES);
export type OperatorTextName = z.infer<typeof OperatorTextName>;

/** Markdown (CommonMark) by name. */
export const OperatorTexts = z.partialRecord(OperatorTextName, z.string());
export type OperatorTexts = z.infer<typeof OperatorTexts>;

export const OPERATOR_TEXT_BYTES = 64 * 1024;
