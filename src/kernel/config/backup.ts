import { z } from "zod";
import { OperatorError } from "../errors.ts";
import { concern, path, secret, wholeNumber } from "./setting.ts";

const repository = z
  .string()
  .min(1)
  .optional()
  .describe(
    "restic's name of a repository: a folder, or `s3:https://HOST/BUCKET`, for backups off the machine; unset: `presence backup` needs a folder",
  );

/** A repository of restic (https://restic.net), and the file with its password. */
export interface RepositorySettings {
  readonly repository: string;
  readonly passwordFile: string;
}

/** Backups off the machine: ledger and state in one repository, keys apart in another. */
export const backup = concern(
  {
    BACKUP_REPOSITORY: repository,
    BACKUP_PASSWORD_FILE: path
      .optional()
      .describe("file with the password of that repository; required with BACKUP_REPOSITORY"),
    BACKUP_KEYS_REPOSITORY: repository.describe(
      "the same for the keys, which must not lie beside the ledger; required with BACKUP_REPOSITORY",
    ),
    BACKUP_KEYS_PASSWORD_FILE: path
      .optional()
      .describe("file with the password of the keys' repository; another one than the ledger's"),
    BACKUP_KEPT_DAYS: wholeNumber(1, 3650)
      .default(35)
      .describe("days for which a backup of each day is kept; what is erased stays in backups for so long"),
    BACKUP_CHECK_VKEY: z
      .string()
      .min(1)
      .optional()
      .describe(
        "verification key of the machine that checks the backups in full; unset: this machine checks them itself",
      ),
    BACKUP_S3_KEY_ID: z.string().min(1).optional().describe("access key id of the S3-compatible store"),
    BACKUP_S3_SECRET: secret(z.string().min(1), "secret access key of the S3-compatible store"),
  },
  (values) => ({
    backup:
      values.BACKUP_REPOSITORY === undefined
        ? undefined
        : {
            data: {
              repository: values.BACKUP_REPOSITORY,
              passwordFile: required("BACKUP_PASSWORD_FILE", values.BACKUP_PASSWORD_FILE),
            },
            keys: keysApart(
              values.BACKUP_REPOSITORY,
              required("BACKUP_KEYS_REPOSITORY", values.BACKUP_KEYS_REPOSITORY),
              required("BACKUP_KEYS_PASSWORD_FILE", values.BACKUP_KEYS_PASSWORD_FILE),
            ),
            keptDays: values.BACKUP_KEPT_DAYS,
            checkVkey: values.BACKUP_CHECK_VKEY,
            s3: { keyId: values.BACKUP_S3_KEY_ID, secret: values.BACKUP_S3_SECRET },
          },
  }),
);

function required(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new OperatorError(`environment variable ${name} must be set when BACKUP_REPOSITORY is set`);
}

/** Whoever has ledger and keys signs in the operator's name. */
function keysApart(data: string, repository: string, passwordFile: string): RepositorySettings {
  if (repository !== data) return { repository, passwordFile };
  throw new OperatorError(
    "environment variable BACKUP_KEYS_REPOSITORY must name another repository than BACKUP_REPOSITORY: keys are kept apart from the ledger",
  );
}
