/** Everything in which the trial differs from an operator at a machine of their own. */
import type { Block } from "./blocks.ts";

/** A substitution in a block of the manual. */
export interface Substitution {
  readonly of: string; // must occur in the manual
  readonly by: string;
  readonly reason: string;
  readonly onlyWithout?: string; // an address: substituted only where nothing answers there
}

export const SUBSTITUTIONS: readonly Substitution[] = [
  {
    of: "URL-OF-THE-SOURCES",
    by: "/trial/presence.git",
    reason: "a bare copy of this repository, with what is changed in tracked files",
  },
  {
    of: "certbot certonly",
    by: "/trial/certbot.sh certonly",
    reason: "a local certificate authority; the hooks are run as certbot runs them",
  },
  {
    of: "npm run check:node",
    by: ": npm run check:node",
    reason: "nodejs.org is out of reach",
    onlyWithout: "https://nodejs.org/dist/index.json",
  },
  {
    of: "systemd-tmpfiles --create presence.conf",
    by: "systemd-tmpfiles --create presence.conf; /trial/trust.sh",
    reason: "both users trust the trial's certificate authority, as every machine does a public one",
  },
  {
    of: "presence release list\npresence doctor\n",
    by: "presence release list\npresence doctor || :\n",
    reason: "page 5 says that the doctor still misses what pages 6 and 7 set up",
  },
];

/** What stands in without a change of any command. */
export const MACHINE_STAND_INS: readonly (readonly [string, string])[] = [
  [
    "a machine with Debian",
    "a tree of debootstrap, booted with its systemd in namespaces of its own; kernel and clock are this machine's",
  ],
  [
    "the calendar of timers",
    "a timer elapses when the stamp of its last run is set back, as on a machine that was off at its hour; its random delay is left out",
  ],
  [
    "nine days",
    "the service's processes read a clock that is moved (libfaketime); systemd stays in the machine's day",
  ],
  ["a person who writes column maps", "those of tests/trial/manual/deliveries.ts"],
  ["the clock's service", "systemd does not start it in namespaces, because the clock is this machine's"],
  ["a person at the terminal", "DEBIAN_FRONTEND=noninteractive, and no input"],
  ["Debian's mirror", "packages that were downloaded into apt's archive beforehand"],
  ["npm's registry", "npm's cache, which has the packages of the lockfile"],
  ["the DNS", "/etc/hosts has the names of page 1"],
  [
    "mail.example.org",
    "a mail server of the trial, with TLS, which keeps what it gets and takes every password",
  ],
  [
    "public certificate authorities",
    "one of the trial, which the tree trusts, as do services in their environment",
  ],
  ["the wait of an alarm", "its minutes are seconds once all blocks are run"],
];

/** The text to run. */
export function substituted(block: Block, table: readonly Substitution[]): string {
  return table.reduce((now, { of, by }) => now.replaceAll(of, () => by), block.text);
}
