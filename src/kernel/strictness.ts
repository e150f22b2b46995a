import { z } from "zod";

/** How readily the brakes stop what comes in and what is published, until the operator has looked at it; `off`: never. */
export const Strictness = z.enum(["strict", "normal", "off"]);
export type Strictness = z.infer<typeof Strictness>;
