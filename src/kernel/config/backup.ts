import { concern, path } from "./setting.ts";

export const backup = concern(
  {
    BACKUP_HOOK: path
      .optional()
      .describe(
        "program that backs up off the machine, `/opt/presence/deploy/backup/presence-backup`; what it cannot back up is not published; unset: none",
      ),
  },
  ({ BACKUP_HOOK }) => ({ backupHook: BACKUP_HOOK }),
);
