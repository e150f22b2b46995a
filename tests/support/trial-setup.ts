/** Loaded before each test file of `npm run trial`: property tests try ten times as many cases. */
import fc from "fast-check";

fc.configureGlobal({ numRuns: 1000 });
