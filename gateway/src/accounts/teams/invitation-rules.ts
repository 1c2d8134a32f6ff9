/** Whom an invitation into a team is for, and how it is shown. Pure. */
import { createHash } from "node:crypto";
import type {
  ReceivedInvitation,
  TeamInvitation,
} from "@tollgate/contract/accounts/team-invitations.ts";
import { mailAddress } from "@tollgate/contract/accounts/users.ts";
import { refuse } from "../../http/refusal.ts";
import { normalizeAddress } from "../../notices/mail/mail-code-rules.ts";
import type { InvitationRow } from "./invitation-store.ts";

/** The hash under which the secret of a link is kept. */
export const hashInvitationCode = (code: string): string =>
  createHash("sha256").update(`team invitation ${code}`).digest("hex");

export const composeInvitationLink = (site: string, code: string): string =>
  `${site}/invitation#${code}`;

/** An address in lower case; null where the text is a username. */
export function readInvitedAddress(to: string): string | null {
  if (!to.includes("@")) return null;
  const parsed = mailAddress.safeParse(to);
  if (!parsed.success)
    throw refuse("invalid_request", { fields: { to: "must be a username or a mail address" } });
  return normalizeAddress(parsed.data);
}

interface InvitedAccount {
  id: number;
  email: string;
  email_verified_at: number | null;
}

/** Only an address that the account has proved finds its invitations. */
export const readInvited = ({ id, email, email_verified_at }: InvitedAccount) => ({
  id,
  email: email_verified_at === null ? "" : normalizeAddress(email),
});

/**
 * `checkHolder` is about who holds the link: one that was mailed is for an account with that
 * address, which the mail proves. One that was shown is for whomever the admin gave it.
 */
export function checkHolder(
  invitation: Pick<InvitationRow, "is_mailed" | "email">,
  account: InvitedAccount,
): void {
  if (invitation.is_mailed === 1 && invitation.email !== normalizeAddress(account.email))
    throw refuse("invitation_for_other_address");
}

export const viewInvitation = (row: InvitationRow): TeamInvitation => ({
  ...{ id: row.id, to: row.recipient, role: row.role, invited_by: row.inviter },
  ...{ created_at: row.created_at, expires_at: row.expires_at },
});

export const viewReceivedInvitation = (row: InvitationRow): ReceivedInvitation => ({
  ...{ id: row.id, team_name: row.team_name, role: row.role, invited_by: row.inviter },
  ...{ created_at: row.created_at, expires_at: row.expires_at },
});
