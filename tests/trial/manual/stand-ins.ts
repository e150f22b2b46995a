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
];

/** What stands in without a change of any command. */
export const MACHINE_STAND_INS: readonly (readonly [string, string])[] = [
  [
    "a machine with Debian",
    "a tree of debootstrap, booted with its systemd in namespaces of its own; kernel, network and clock are this machine's",
  ],
  ["the calendar of timers", "each enabled timer of the service elapses once, at the end"],
  ["the clock's service", "systemd does not start it in namespaces, because the clock is this machine's"],
  ["a person at the terminal", "DEBIAN_FRONTEND=noninteractive, and no input"],
  ["Debian's mirror", "the one that this machine uses, with its proxy and certificates"],
  ["npm's registry", "the one that this machine uses, with its certificates"],
  ["the DNS", "/etc/hosts has the names of install.md"],
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
