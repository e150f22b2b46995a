/** `npm run nightly`: the nightly build, with the options and exit codes of `presence nightly`. */

process.argv.splice(2, 0, "nightly");
await import("../src/cli/cli.ts");
