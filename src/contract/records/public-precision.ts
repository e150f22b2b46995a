/** How precisely the service publishes the place and the time of an observation: each limit is defined only here. */

/** H3 resolution of the published cell of fixed assets and brand mentions (about 0.7 km²). */
export const FIXED_RESOLUTION = 8;

/** H3 resolution of the published cell of mobile assets: the size of a city (about 250 km²). */
export const MOBILE_RESOLUTION = 5;
