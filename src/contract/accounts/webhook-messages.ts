/** The bodies that a webhook's endpoint gets (interface 4.15 and 6). `data` of a message may gain members. */
import { z } from "zod";
import { ChangeEvent } from "../cities/pulse.ts";
import { EventType } from "../enums.ts";
import { Count, Timestamp, Uri } from "../fields.ts";
import { RowRanges } from "../ledger/ledger.ts";
import { TEST_TYPE, VERIFICATION_TYPE, WITHDRAWAL_TYPE } from "./delivery.ts";

export const EventMessage = z
  .object({
    type: EventType,
    timestamp: Timestamp.describe("`detected_at` of the event."),
    data: ChangeEvent,
  })
  .meta({ id: "EventMessage", description: "A change event." });

export const VerificationMessage = z
  .object({
    type: z.literal(VERIFICATION_TYPE),
    timestamp: Timestamp,
    data: z.object({ challenge: z.string().describe("To be returned, as plain text or as JSON.") }),
  })
  .meta({ id: "VerificationMessage", description: "Checks whether a new endpoint accepts messages." });

export const TestMessage = z
  .object({
    type: z.literal(TEST_TYPE),
    timestamp: Timestamp,
    data: z.object({ webhook_public_id: z.string() }),
  })
  .meta({ id: "TestMessage", description: "Sent on request, to try an endpoint." });

export const WithdrawalMessage = z
  .object({
    type: z.literal(WITHDRAWAL_TYPE),
    timestamp: Timestamp.describe("Data time of the release."),
    data: z.object({
      withdrawn_by: z.int().positive().describe("The row that withdrew them."),
      part: Count.min(1).describe("Number of this message, from 1."),
      parts: Count.min(1).describe("Number of messages with parts of the list."),
      rows: RowRanges.describe("Withdrawn ledger rows as ranges [first, last], both ends included."),
      withdrawals_url: Uri.describe("The whole list."),
    }),
  })
  .meta({ id: "WithdrawalMessage", description: "Lists the rows that copies must delete, by number only." });
export type WithdrawalMessage = z.infer<typeof WithdrawalMessage>;

/** By the name under which the API describes them. */
export const WEBHOOK_MESSAGES = {
  changeEvent: EventMessage,
  [VERIFICATION_TYPE]: VerificationMessage,
  [TEST_TYPE]: TestMessage,
  [WITHDRAWAL_TYPE]: WithdrawalMessage,
} as const;
