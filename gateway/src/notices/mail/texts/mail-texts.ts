/** The words of every mail in one language; a file beside this one has them for each. */
import type { AlertRuleName } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { RootNotice } from "../root-notice.ts";

/** Paragraphs of plain text. The code or link of the mail stands between `before` and `after`. */
export interface MailWords {
  subject: string;
  before: readonly string[];
  after?: readonly string[];
}

export interface MailTexts {
  verification: MailWords;
  alreadyRegistered: MailWords;
  passwordReset: MailWords;
  /**
   * `passwordChanged` tells of a change by a mailed link, or by the owner in a session; `passkeys`
   * are the names of those that go on working, empty for none.
   */
  passwordChanged(change: { isByLink: boolean; passkeys: string }): MailWords;
  addressChanged: MailWords;
  /** Two devices use the same passkey. */
  passkeyCopied(passkey: { name: string }): MailWords;
  /**
   * A first sign-in found an account by an address that nobody has proved; the code of the mail
   * links it.
   */
  providerLink(link: { provider: string; username: string }): MailWords;
  /** A first sign-in found the account by its verified address. */
  providerLinked(link: { provider: string }): MailWords;
  /** `left` is the balance as the account sees it. */
  lowBalance(account: { username: string; left: string }): MailWords;
  /** `inviter` is the username of who invites. */
  teamInvitation(invitation: { team: string; inviter: string; days: number }): MailWords;
  /** An administrator stopped a key. */
  tokenDisabled(token: { name: string }): MailWords;
  tokenPaused(token: { name: string }): MailWords;
  /** A budget paused the keys that it limits. */
  keysPaused(paused: { budget: string }): MailWords;
  /** `reason` is what the person wrote; empty for nothing. */
  budgetAsked(asked: {
    budget: string;
    username: string;
    amount: string;
    reason: string;
  }): MailWords;
  /** `granted` is null for a request that was declined. */
  budgetAnswered(answer: { budget: string; granted: string | null }): MailWords;
  /** An alert about its spending paused a key; `spent` and `usual` are texts. */
  keyPausedBySpike(paused: { key: string; spent: string; usual: string }): MailWords;
  /** An administrator gave a token a new key. */
  tokenReplaced(token: { name: string }): MailWords;
  /** The owner gave a token a new key; `end` is when the old one is refused, null for at once. */
  tokenRotated(token: { name: string; end: string | null }): MailWords;
  /** Reasons come in the language, but for what they quote of providers; amounts as it writes them. */
  notices: {
    [Kind in RootNotice["kind"]]: (notice: Extract<RootNotice, { kind: Kind }>) => MailWords;
  };
  /**
   * `remedies` say what the readers of an alert can do about it, beneath its sentence while it
   * fires.
   */
  remedies: Record<AlertRuleName, string>;
  /** `alertResolved` gives what becomes of an alert; `subject` is that of its notice. */
  alertResolved(alert: { subject: string }): MailWords;
  alertReminder(alert: { subject: string }): MailWords;
  alertFlapping(alert: { subject: string }): MailWords;
  alertDigest(digest: { count: number }): MailWords;
  /** An example, which an operator sends to a new destination. */
  alertExample: MailWords;
  /**
   * Proves that a user reads a destination; the code stands in the text, for chats show nothing
   * beside it.
   */
  destinationCode(proof: { code: string }): MailWords;
}
