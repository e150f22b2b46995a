/** The rotations of `presence key rotate`: what each would do, and the steps. */

import { manifestKeyPath, signingKeyPath } from "../ledger/keys/keys.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { type CommandContext, homeOf, requiredState } from "./context.ts";
import { lockReleases } from "./release.ts";
import { openCurrentWriter } from "./take-in.ts";

export interface Rotated {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[]; // what the operator has to do next
}

export interface Rotation {
  /** What it would do, in sentences. */
  effect(context: CommandContext): Promise<string>;
  rotate(context: CommandContext, clock: string | undefined): Promise<Rotated>;
}

const checkpoint: Rotation = {
  async effect(context) {
    const { keys, ledger } = homeOf(context);
    using reader = openLedgerReader(ledger, { keysDir: keys });
    const { name, keyId } = reader.keyRing().current;
    const size = (reader.latestCheckpoint()?.size ?? 0).toLocaleString("en-US");
    return (
      `With --yes, a new key signs every tree of ${name} above ${size} rows. ` +
      `Key ${keyId} endorses it and is deleted from ${signingKeyPath(keys, reader.meta.environment)}; its public key stays published, ` +
      `and its signatures stay valid. Back up ${keys} immediately afterwards: no other copy of the new key exists`
    );
  },
  async rotate(context, clock) {
    const home = homeOf(context);
    using writer = await openCurrentWriter(context, clock);
    using _lock = lockReleases(home); // a release built meanwhile would mix two keys
    const retired = writer.keyRing().current;
    writer.rotateSigningKey();
    const [added] = writer.keyRing().all().slice(-1);
    const facts = {
      retired_key: retired.keyId,
      signing_key: added?.keyId,
      vkey: added?.vkey,
      signs_above: added?.fromSize,
      key_file: signingKeyPath(home.keys, writer.meta.environment),
    };
    return {
      facts,
      notes: [`back up ${home.keys} now, apart from the ledger; the next build publishes the key`],
    };
  },
};

const manifest: Rotation = {
  async effect(context) {
    const { keys, ledger } = homeOf(context);
    using reader = openLedgerReader(ledger, { keysDir: keys });
    return (
      `With --yes, a new key signs the manifest of every later release of ${reader.meta.origin}; the key of checkpoints endorses it. ` +
      `The old one is deleted from ${manifestKeyPath(keys, reader.meta.environment)}; releases that it signed still verify`
    );
  },
  async rotate(context, clock) {
    const home = homeOf(context);
    using writer = await openCurrentWriter(context, clock);
    using _lock = lockReleases(home); // a release built meanwhile would mix two keys
    writer.rotateManifestKey();
    const [added, retired] = writer.manifestKeys().toReversed();
    const facts = {
      retired_key: retired?.keyId ?? null,
      manifest_key: added?.keyId,
      vkey: added?.vkey,
      key_file: manifestKeyPath(home.keys, writer.meta.environment),
    };
    return { facts, notes: ["run `presence build` now: it publishes the key and signs with it"] };
  },
};

const state: Rotation = {
  async effect(context) {
    return (
      `With --yes, ${homeOf(context).stateKey} gets a new key. Links in emails sent before and the secrets of webhooks made before stay valid ` +
      "until the next rotation, because the previous key is kept beside it; rotate twice after a theft"
    );
  },
  async rotate(context) {
    await using opened = await requiredState(context); // completes an interrupted rotation, and checks the key
    const path = homeOf(context).stateKey;
    return {
      facts: { state_key: await opened.rotateKey(), key_file: path },
      notes: [
        "restart `presence serve` and `presence deliver` now: until then they use the previous key",
        `back up ${path} now; with several machines, copy it to each`,
      ],
    };
  },
};

export const ROTATIONS = { checkpoint, manifest, state } satisfies Readonly<Record<string, Rotation>>;
