import { PARAMETERS } from "../method/parameters.ts";

/** 1 for source types that can plausibly see assets other than vehicles, as releases judge their observations. */
export const SOURCE_SIGHT = PARAMETERS.independence.seesFixed;
