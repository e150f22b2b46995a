import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { ForeignFolder } from "../../kernel/files/foreign-file.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { isoTime } from "../../kernel/time.ts";
import { type Mailer, messageOf, type OutgoingMail } from "./mailer.ts";

/** Maximum number of kept files, so that a public demonstration does not fill the disk. */
const MAX_FILES = 500;
const SENDER = "alerts@demonstration.invalid";

/** Writes each email as an .eml file into `folder`, whose name another user may exchange for a link. Only the owner can read them, because they contain addresses and links. */
export function openFileMailer(folder: string, baseUrl: string): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      try {
        const { message } = await transport.sendMail(messageOf(mail, SENDER, baseUrl));
        if (!Buffer.isBuffer(message)) throw new TypeError("the message is no buffer");
        await mkdir(folder, { recursive: true, mode: 0o700 });
        using opened = new ForeignFolder(folder);
        await writeWhole(join(opened.path, fileName(mail)), message);
        await removeOldest(opened.path);
        return { kind: "sent", status: 250 };
      } catch (error) {
        const code = error instanceof Error && "code" in error ? String(error.code) : "unknown failure";
        return { kind: "unreachable", status: null, error: code };
      }
    },
    close: () => transport.close(),
  };
}

/** `20261122T231500Z-confirm-your-subscription-1f0c9a7e.eml`: sorts by time and is the same for each attempt. */
function fileName({ sentAt, subject, key }: OutgoingMail): string {
  const time = isoTime(sentAt).replaceAll(/[-:]/g, "");
  const words = subject
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  return `${time}-${words}-${sha256Hex(key).slice(0, 8)}.eml`;
}

async function writeWhole(path: string, content: Buffer): Promise<void> {
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Includes drafts of killed processes. */
async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.eml(\.[^.]+\.part)?$/.test(name)).sort();
  for (const name of names.slice(0, -MAX_FILES)) await rm(join(folder, name), { force: true });
}
