import type { CommandTable } from "../../command.ts";

export const releaseCommands: CommandTable = {
  build: ["build a release of the sealed rows and publish it", () => import("./build.ts")],
  nightly: [
    "seal, check online, build, publish and deliver; safe to run again at any time",
    () => import("./nightly.ts"),
  ],
  release: [
    "list, compare, hold and approve releases: what differs too much from the published one waits for you",
    () => import("./release.ts"),
  ],
  backup: ["copy ledger, state and keys to a new folder while the service runs", () => import("./backup.ts")],
  restore: [
    "restore a backup to a new home: check it, verify its ledger and migrate it",
    () => import("./restore.ts"),
    "none",
  ],
  upgrade: [
    "rehearse an upgrade to this version on copies of ledger and state",
    () => import("./upgrade.ts"),
  ],
  doctor: [
    "find problems of keys, ledger, release, state and configuration, with their remedies",
    () => import("./doctor.ts"),
  ],
  replay: [
    "recompute a release's numbers from its public files and compare them with the published ones",
    () => import("./replay.ts"),
    "none",
  ],
  mirror: [
    "keep a copy of a published service: download what changed, delete what was withdrawn",
    () => import("./mirror.ts"),
    "none",
  ],
  demo: ["create the demonstration's ledger if there is none, and summarize it", () => import("./demo.ts")],
};
